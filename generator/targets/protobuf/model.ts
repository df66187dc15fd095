import { Shapes } from "../../protocol/correlate/shape.js";
import type { Protocol, ValueType, WireDef } from "../../protocol/model/types.js";
import type { Imports } from "../../emit/imports.js";
import { modelRef } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { memberOf } from "../../emit/text.js";

/** Provides the types that messages represent, as the codec requires them. */
export class Models {
  /** Whether the JSON of the types is the ProtoJSON of their messages. */
  readonly isProtoJson: boolean;
  readonly shapes: Shapes;
  readonly #imports: Imports;
  readonly #listsAndMaps: ReadonlySet<string>;

  constructor({ types }: Protocol, { isProtoJson, messages }: WireDef, imports: Imports) {
    this.isProtoJson = isProtoJson;
    this.shapes = new Shapes(types);
    const whole = messages.filter(({ model }) =>
      ["list", "map"].includes(this.shapes.resolve(model).kind),
    );
    this.#listsAndMaps = new Set(whole.map(({ name }) => name));
    this.#imports = imports;
  }

  /** Returns the TypeScript type of a value. */
  typeOf(type: ValueType): string {
    if ("name" in type) return this.#imports.type(modelRef(type.name));
    switch (type.kind) {
      case "list":
        return `${this.typeOf(type.element)}[]`;
      case "map":
        return `Record<string, ${this.typeOf(type.value)}>`;
      case "string":
        return "string";
      case "never":
        return this.#imports.type(runtime.Empty);
      default:
        return this.#imports.type(runtime.JsonValue);
    }
  }

  /**
   * Returns the type of a message to write. The type has no `@deprecated` marks, because deprecated
   * fields are written like any other field.
   */
  writtenType(type: ValueType): string {
    const isMarked =
      this.shapes.message(type)?.fields.some(({ deprecated }) => deprecated) === true;
    return isMarked ? `wire.Unmarked<${this.typeOf(type)}>` : this.typeOf(type);
  }

  /**
   * Returns whether the model of a message is a list or a map. Every occurrence of such a message
   * replaces the previous value.
   */
  isListOrMap(message: string): boolean {
    return this.#listsAndMaps.has(message);
  }

  /**
   * Returns whether the model accepts fewer values than the bytes can contain. For example, an enum
   * accepts fewer values than a string.
   */
  isNarrow(proto: ValueType, model: ValueType): boolean {
    return (
      proto.kind === "scalar" &&
      !["string", "number", "boolean", "scalar"].includes(this.shapes.resolve(model).kind)
    );
  }

  /** Marks the optional ids in the pattern of a resource name: `{id?}`. */
  markOptional(model: ValueType, pattern: string): string {
    return pattern.replaceAll(/\{([^{}]+)\}/g, (variable, path: string) =>
      this.shapes.at(model, path.split("."))?.presence === "required" ? variable : `{${path}?}`,
    );
  }

  /** Returns the expression that reads the value at a path. */
  access(model: ValueType, value: string, path: readonly string[]): string {
    let isThere = true;
    return path.reduce((expression, key, index) => {
      const access = memberOf(isThere ? expression : `${expression}?`, key).replace("?[", "?.[");
      isThere = isThere && this.shapes.at(model, path.slice(0, index + 1))?.presence === "required";
      return access;
    }, value);
  }
}
