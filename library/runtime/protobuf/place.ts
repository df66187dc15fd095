import { misfit, unexpected } from "./encode-error.js";
import { isObject } from "../base/json.js";
import type { ResourceName } from "./resource.js";
import { ValidationError } from "../schema/schema.js";
import { decode, type Draft, type Read, type Writer } from "./wire.js";

/** Sets the default of a value that is absent from the bytes. */
export { setId as fill } from "./resource.js";

/** The keys of all types of a union. */
type KeyOfAny<T> = T extends unknown ? keyof T : never;

/** The members of all types of a union. All of them are optional. */
export type Merged<T> = {
  readonly [K in KeyOfAny<T>]?: T extends { readonly [P in K]?: infer V } ? V : never;
};

/** Returns the union as an object with all members optional. */
export function merged<T extends object>(value: T): Merged<T> {
  return value;
}

/**
 * Returns the object in a member of another object. If the member is absent, creates the object.
 */
export function inner(value: object, key: string): Record<string, unknown> {
  const object = value as Record<string, unknown>;
  const found = object[key];
  return isObject(found) ? found : (object[key] = {});
}

/**
 * Returns a message that other fields have already set in part, with the defaults of its remaining
 * fields; `undefined` if the message is absent.
 */
export function begun<T extends object>(
  value: Draft<T> | undefined,
  read: Read<T>,
): Draft<T> | undefined {
  return value && { ...decode(new Uint8Array(), read), ...value };
}

/**
 * Returns `value`, typed so that any members can be added. Validators find invalid members later.
 */
export function open(value: object): Record<string, unknown> {
  return value as Record<string, unknown>;
}

/**
 * Returns the value that was read before if it is the same member of the union, and otherwise
 * `undefined`.
 */
export function same(value: object, key: string, constant: string): object | undefined {
  return Reflect.get(value, key) === constant ? value : undefined;
}

/**
 * Writes a resource name. Throws an `EncodeError` if `holder` contains an id that a resource name
 * cannot contain.
 */
export function writeName(
  writer: Writer,
  holder: object,
  resource: ResourceName,
  ...ids: readonly (string | undefined)[]
): void {
  try {
    writer.string(resource.write(...ids));
  } catch (thrown) {
    const issue = thrown instanceof ValidationError ? thrown.issues.at(0) : undefined;
    if (issue === undefined) throw thrown;
    throw misfit(`expected ${issue.expected}, got ${issue.found}`, holder, issue.path, thrown);
  }
}

/** Returns a number that JSON can represent. Throws an `EncodeError` for any other number. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw unexpected("finite number", value);
}
