import type { MessageDef, ValueType } from "../../generator/protocol/model/types.js";
import type { Values } from "../support/random/values.js";

/**
 * Removes null members from a document if ProtoJSON counts them as absent and protobuf-es does not:
 * next to another member of their oneof, or next to the other name of their field.
 */
export class Absent {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** A document of a type without such members. */
  of(name: string, value: unknown): unknown {
    const type = this.#values.find(name);
    return type.kind === "message" ? this.#message(type, value) : value;
  }

  #message({ fields }: MessageDef, value: unknown): unknown {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const members: readonly [string, unknown][] = Object.entries(value);
    return Object.fromEntries(
      members.flatMap(([key, item]): [string, unknown][] => {
        const field = fields.find(({ name, proto }) => name === key || proto?.name === key);
        if (field === undefined) return [[key, item]];
        const isTwice = members.some(
          ([other]) => other !== key && (other === field.name || other === field.proto?.name),
        );
        const isAbsent =
          item === null && (field.oneof !== undefined || isTwice) && !isNullable(field.type);
        return isAbsent ? [] : [[key, this.#value(field.type, item)]];
      }),
    );
  }

  #value(type: ValueType, value: unknown): unknown {
    switch (type.kind) {
      case "message":
        return this.of(type.name, value);
      case "list":
        return Array.isArray(value) ? value.map((item) => this.#value(type.element, item)) : value;
      case "map":
        if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [key, this.#value(type.value, item)] as const),
        );
      default:
        return value;
    }
  }
}

function isNullable(type: ValueType) {
  return (
    type.kind === "wellKnown" && (type.wellKnown === "Value" || type.wellKnown === "NullValue")
  );
}
