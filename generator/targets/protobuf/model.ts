import { Shapes } from "../../protocol/correlate/shape.js";
import type { Protocol, ValueType, WireDef } from "../../protocol/model/types.js";
import type { Imports } from "../../emit/imports.js";
import { modelRef } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { memberOf } from "../../emit/text.js";

/** How the codec sees the types that messages carry. */
export class Models {
  /** Whether the JSON of the types is the ProtoJSON of their messages. */
  readonly isProtoJson: boolean;
  readonly shapes: Shapes;
  readonly #imports: Imports;
  readonly #whole: ReadonlySet<string>;

  constructor({ types }: Protocol, { isProtoJson, messages }: WireDef, imports: Imports) {
    this.isProtoJson = isProtoJson;
    this.shapes = new Shapes(types);
    const whole = messages.filter(({ model }) => ["list", "map"].includes(this.shapes.resolve(model).kind));
    this.#whole = new Set(whole.map(({ name }) => name));
    this.#imports = imports;
  }

  /** The TypeScript type of a value. */
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

  /** The type of a message to write. Deprecated fields are written like any other, so their mark does not come along. */
  writtenType(type: ValueType): string {
    const isMarked = this.shapes.message(type)?.fields.some(({ deprecated }) => deprecated) === true;
    return isMarked ? `wire.Unmarked<${this.typeOf(type)}>` : this.typeOf(type);
  }

  /** Whether a message is all of a list or map, so that it is read anew each time. */
  isWhole(message: string): boolean {
    return this.#whole.has(message);
  }

  /** Whether the model has fewer values than the bytes can hold, as one of some texts is fewer than any text. */
  isNarrow(proto: ValueType, model: ValueType): boolean {
    return (
      proto.kind === "scalar" && !["string", "number", "boolean", "scalar"].includes(this.shapes.resolve(model).kind)
    );
  }

  /** Marks the ids of a resource name that may be absent: `{id?}`. */
  markOptional(model: ValueType, pattern: string): string {
    return pattern.replaceAll(/\{([^{}]+)\}/g, (variable, path: string) =>
      this.shapes.at(model, path.split("."))?.presence === "required" ? variable : `{${path}?}`,
    );
  }

  /** The expression that reads what is at a path of a value. */
  access(model: ValueType, value: string, path: readonly string[]): string {
    let isThere = true;
    return path.reduce((expression, key, index) => {
      const access = memberOf(isThere ? expression : `${expression}?`, key).replace("?[", "?.[");
      isThere = isThere && this.shapes.at(model, path.slice(0, index + 1))?.presence === "required";
      return access;
    }, value);
  }
}
