import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.js";
import { type Part, Role } from "../model.js";
import { dataAt, membersOf, type MetadataHolder, type PartsHolder, withMembers } from "./holder.js";
import { type Checked, checkValue, type ExtensionSchema } from "./schema.js";

/**
 * Reads and writes one value of an extension. `Holder` is the type of the objects that can contain
 * the value.
 */
export interface ExtensionField<Input, Output, Holder> {
  /** Key of the value. */
  readonly key: string;
  /**
   * Returns the value in an object; `undefined` if the object is absent or has no such value. Also
   * returns `undefined` for an invalid value in a message of a caller: the agent only refuses such
   * messages from callers that request the extension.
   * @throws A `TypeError` if the schema rejects the value in any other object.
   */
  get(holder: Holder | undefined): Output | undefined;
  /**
   * Returns a copy of an object with the value. A copied message or artifact also lists the
   * extension in `extensions`.
   * @throws A `TypeError` if the schema rejects the value.
   */
  set<H extends Holder & object>(holder: H, value: Input): H & Annotated;
}

/**
 * An object that may have metadata. If an object literal has no metadata, `set` returns this type.
 */
export interface Annotated {
  readonly metadata?: JsonObject;
}

/** A field whose values in requests are checked before a turn reads them. */
export interface CheckedField {
  /** Path of the values, for error messages. */
  readonly path: string;
  /**
   * Returns the reason why the value in a message is invalid; `undefined` if the value is absent or
   * valid.
   */
  problem(message: object): string | undefined;
}

/** Description of a field. */
export interface FieldParts<Input, Output> {
  readonly uri: string;
  readonly key: string;
  readonly schema: ExtensionSchema<Input, Output> | undefined;
}

/** Common parts of the fields of an extension. */
abstract class Field<Input, Output, Holder>
  implements ExtensionField<Input, Output, Holder>, CheckedField
{
  readonly key: string;
  protected readonly uri: string;
  readonly #schema: ExtensionSchema<Input, Output> | undefined;

  constructor({ uri, key, schema }: FieldParts<Input, Output>) {
    this.uri = uri;
    this.key = key;
    this.#schema = schema;
  }

  abstract readonly path: string;
  /** Returns the unchecked value in an object. */
  protected abstract find(holder: object): unknown;
  /** Returns a copy of an object with a valid value. */
  protected abstract put<H extends object>(holder: H, value: JsonValue): H;

  get(holder: Holder | undefined): Output | undefined {
    if (!isObject(holder)) return undefined;
    const checked = this.#check(holder);
    if (checked === undefined) return undefined;
    if (!("problem" in checked)) return checked.value;
    if (holder["role"] === Role.User) return undefined;
    throw this.#invalid(checked.problem);
  }

  set<H extends Holder & object>(holder: H, value: Input): H & Annotated {
    const checked = checkValue(this.#schema, value);
    if ("problem" in checked) throw this.#invalid(checked.problem);
    // Write the input instead of the result of the schema, because the schema is applied again when
    // the value is read.
    return this.put<H>(holder, value as JsonValue);
  }

  problem(message: object): string | undefined {
    const checked = this.#check(message);
    return checked !== undefined && "problem" in checked ? checked.problem : undefined;
  }

  #check(holder: object): Checked<Output> | undefined {
    const value = this.find(holder);
    return value === undefined ? undefined : checkValue(this.#schema, value);
  }

  #invalid(problem: string): TypeError {
    return new TypeError(`${this.path} of the extension ${this.uri} is invalid: ${problem}`);
  }
}

/** A value in metadata. */
export class MetadataField<Input, Output> extends Field<Input, Output, MetadataHolder> {
  get path(): string {
    return `metadata[${JSON.stringify(this.key)}]`;
  }

  protected find(holder: object): unknown {
    const { metadata } = membersOf(holder);
    return isObject(metadata) && Object.hasOwn(metadata, this.key) ? metadata[this.key] : undefined;
  }

  protected put<H extends object>(holder: H, value: JsonValue): H {
    const { metadata } = membersOf(holder);
    // Use a computed key, so that the key `__proto__` becomes a property.
    const own = isObject<JsonObject>(metadata)
      ? { ...metadata, [this.key]: value }
      : { [this.key]: value };
    return withMembers(holder, this.uri, { metadata: own });
  }
}

/** A value in a data part. The content of the part is an object that contains the field's key. */
export class DataField<Input, Output> extends Field<Input, Output, PartsHolder> {
  get path(): string {
    return `parts[data][${JSON.stringify(this.key)}]`;
  }

  protected find(holder: object): unknown {
    for (const part of membersOf(holder).parts ?? []) {
      const value = dataAt(part, this.key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  protected put<H extends object>(holder: H, value: JsonValue): H {
    const { parts = [] } = membersOf(holder);
    const index = parts.findIndex((part) => dataAt(part, this.key) !== undefined);
    const { data } = parts[index] ?? {};
    const written = isObject<JsonObject>(data)
      ? { ...data, [this.key]: value }
      : { [this.key]: value };
    // A part with data has no other content.
    const part = { ...parts[index], data: written } as Part;
    return withMembers(holder, this.uri, {
      parts:
        index < 0 ? [...parts, part] : parts.map((earlier, at) => (at === index ? part : earlier)),
    });
  }
}
