import { isObject } from "../base/json.js";
import type { FieldRequirement, Operation } from "../protocol/operation.js";
import { ValidationContext, ValidationError } from "../schema/schema.js";

/**
 * Checks the constraints that the operation puts on a request beyond its type: lists that need an element, and the
 * ranges of numbers. Throws a `ValidationError` that names each field; one in an object that is absent itself is not
 * missed.
 */
export function checkConstraints({ request: type, nonEmpty = [], ranges = [] }: Operation, request: unknown): void {
  const context = new ValidationContext("json");
  const report = (path: readonly string[], expected: string, found: unknown): void => {
    context.path.push(...path);
    context.report(expected, found);
    context.path.length = 0;
  };
  for (const path of nonEmpty) {
    if (!isObject(memberAt(request, path.slice(0, -1)))) continue;
    const list = memberAt(request, path);
    if (list === undefined || (Array.isArray(list) && list.length === 0))
      report(path, "a list with at least one element", list);
  }
  for (const { path, least, most = Infinity } of ranges) {
    const number = memberAt(request, path);
    if (typeof number !== "number" || (number >= least && number <= most)) continue;
    report(path, most === Infinity ? `at least ${String(least)}` : `${String(least)} to ${String(most)}`, number);
  }
  if (context.issues.length > 0) throw new ValidationError(type.name, context.issues);
}

/** Throws the error for the first field of a request that needs a capability which the agent card does not declare. */
export function checkFields(missing: readonly FieldRequirement[], request: unknown): void {
  for (const { path, error: Missing } of missing) {
    if (memberAt(request, path) !== undefined) throw new Missing(undefined, { metadata: { field: path.join(".") } });
  }
}

/** Returns the member that keys lead to; `undefined` where one of the objects on the way is not there. */
export function memberAt(value: unknown, keys: readonly string[]): unknown {
  let member = value;
  for (const key of keys) member = isObject(member) ? member[key] : undefined;
  return member;
}
