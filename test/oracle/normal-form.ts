import type { MessageDef, ValueType } from "../../generator/protocol/model/types.js";
import type { Values } from "../support/random/values.js";

/**
 * Removes differences between this project and protobuf-es from canonical JSON: required fields
 * with default values are written, and 32-bit numbers have the minimum of digits.
 */
export class NormalForm {
  readonly #values: Values;
  readonly #messages: ReadonlyMap<string, string>;

  constructor(
    values: Values,
    messages: readonly { readonly name: string; readonly fullName: string }[],
  ) {
    this.#values = values;
    this.#messages = new Map(messages.map(({ name, fullName }) => [fullName, name]));
  }

  /** Returns the normalized value of a type. */
  of(name: string, value: unknown): unknown {
    const type = this.#values.find(name);
    return type.kind === "message" ? this.#message(type, value) : value;
  }

  #message({ fields }: MessageDef, value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const members: readonly [string, unknown][] = Object.entries(value);
    return Object.fromEntries(
      members.flatMap(([key, item]): [string, unknown][] => {
        const field = fields.find(({ name }) => name === key);
        if (field === undefined) return [[key, item]];
        const isLeftOut = field.presence === "required" && this.#values.isDefault(field.type, item);
        return isLeftOut && field.oneof === undefined ? [] : [[key, this.#value(field.type, item)]];
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
        if (typeof value !== "object" || value === null) return value;
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [key, this.#value(type.value, item)] as const),
        );
      case "scalar":
      case "wrapper":
        return type.scalar === "float" && typeof value === "number" ? Math.fround(value) : value;
      case "wellKnown":
        return type.wellKnown === "Any" ? this.#any(value) : value;
      default:
        return value;
    }
  }

  #any(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const { "@type": url, ...members } = value as Record<string, unknown>;
    if (typeof url !== "string") return value;
    const name = this.#messages.get(url.slice(url.lastIndexOf("/") + 1));
    if (name !== undefined) return { ...(this.of(name, members) as object), "@type": url };
    const isFloat = url.endsWith("/google.protobuf.FloatValue");
    return {
      ...members,
      ...(isFloat && { value: Math.fround(Number(members["value"])) }),
      "@type": url,
    };
  }
}
