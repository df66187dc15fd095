import { misfit, unexpected } from "./encode-error.js";
import { isObject } from "../base/json.js";
import type { ResourceName } from "./resource.js";
import { ValidationError } from "../schema/schema.js";
import { decode, type Draft, type Read, type Writer } from "./wire.js";

/** Sets what the bytes leave out of an object inside of another one, because it is the default. */
export { setId as fill } from "./resource.js";

/** The keys of any of several types. */
type KeyOfAny<T> = T extends unknown ? keyof T : never;

/** What several types have together; no member is certain to be there. */
export type Merged<T> = { readonly [K in KeyOfAny<T>]?: T extends { readonly [P in K]?: infer V } ? V : never };

/** One of several objects, seen as what they have together. */
export function merged<T extends object>(value: T): Merged<T> {
  return value;
}

/** The object inside of another one, which is made where it is not there. */
export function inner(value: object, key: string): Record<string, unknown> {
  const object = value as Record<string, unknown>;
  const found = object[key];
  return isObject(found) ? found : (object[key] = {});
}

/** What is there of a message before its bytes are read, if anything is: other fields may have set a part of it. */
export function begun<T extends object>(value: Draft<T> | undefined, read: Read<T>): Draft<T> | undefined {
  return value && { ...decode(new Uint8Array(), read), ...value };
}

/** An object to set members of that its type may not allow; validators find those. */
export function open(value: object): Record<string, unknown> {
  return value as Record<string, unknown>;
}

/** What was read before, if that is the member of a union that is being read. */
export function same(value: object, key: string, constant: string): object | undefined {
  return Reflect.get(value, key) === constant ? value : undefined;
}

/** Writes a resource name. Throws an `EncodeError` for ids of `holder` that do not fit into it. */
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

/** A number that JSON has. Throws an `EncodeError` for any other. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw unexpected("finite number", value);
}
