import { isObject } from "../base/json.js";
import type { Operation } from "../protocol/operation.js";
import { memberAt } from "../protocol/requirements.js";
import type { ValidationContext, Type } from "../schema/schema.js";

/** Constraints of an operation on its requests, in addition to their type. */
export type Constraints = Pick<Operation, "request" | "nonEmpty" | "ranges" | "urls">;

/**
 * Checks the constraints of an operation on a request: members that must not be empty, ranges of
 * numbers, and absolute URLs. Reports each violation to `context`, unless the type check has
 * already reported it. Members of an absent object are not required.
 */
export function checkConstraints(
  constraints: Constraints,
  request: unknown,
  context: ValidationContext,
): void {
  const { request: type, nonEmpty = [], ranges = [], urls = [] } = constraints;
  for (const path of nonEmpty) {
    const value = memberAt(request, path);
    // Most requests contain a non-empty list, which can be recognized without its type.
    if (Array.isArray(value) && value.length > 0) continue;
    if (!isObject(memberAt(request, path, path.length - 1))) continue;
    const member = typeAt(type, path);
    const isList = Array.isArray(value) || (value === undefined && member?.element !== undefined);
    if (isEmpty(value, member))
      report(context, path, isList ? "a list with at least one element" : "a value", value);
  }
  for (const { path, least, most = Infinity } of ranges) {
    const number = memberAt(request, path);
    if (typeof number !== "number") continue;
    if (number >= least && number <= most) continue;
    const range =
      most === Infinity ? `at least ${String(least)}` : `${String(least)} to ${String(most)}`;
    report(context, path, range, number);
  }
  for (const path of urls) {
    const url = memberAt(request, path);
    if (typeof url === "string" && !isHttpUrl(url))
      report(context, path, "an absolute http or https URL", url);
  }
}

function typeAt(type: Type<unknown>, path: readonly string[]): Type<unknown> | undefined {
  return path.reduce<Type<unknown> | undefined>((inner, key) => inner?.field?.(key), type);
}

/**
 * Returns whether a value is equivalent to an absent value: an empty string or list, or the
 * unspecified value of an enum.
 */
function isEmpty(value: unknown, type: Type<unknown> | undefined): boolean {
  if (value === undefined || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : type?.isDefault?.(value) === true;
}

function isHttpUrl(text: string): boolean {
  try {
    return /^https?:\/\/[^/]/i.test(text) && new URL(text).hostname !== "";
  } catch {
    return false;
  }
}

/** Reports a violation, unless an issue of the member or of its parts has already been reported. */
function report(
  context: ValidationContext,
  path: readonly string[],
  expected: string,
  found: unknown,
): void {
  const isKnown = context.issues.some((issue) =>
    path.every((key, index) => issue.path[index] === key),
  );
  if (isKnown) return;
  context.path.push(...path);
  context.report(expected, found);
  context.path.length -= path.length;
}
