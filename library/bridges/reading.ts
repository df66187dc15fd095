import { isObject } from "../runtime/base/json.js";

/**
 * Returns a member of a value from a framework, along a path; `undefined` if it is absent.
 * Frameworks can return values that their types forbid, so their members are `unknown`.
 */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

/** Returns a member that must be a string. @throws A `TypeError` that names the framework. */
export function stringIn(value: unknown, key: string, framework: string): string {
  const member = memberOf(value, key);
  if (typeof member === "string") return member;
  throw new TypeError(`${framework} returned an item whose \`${key}\` is not a string`);
}

/** Returns a member if it is a string. */
export function optionalString(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === "string" ? member : undefined;
}

/** Numbers of tokens and requests, by the names that a framework uses. */
export type Usage = Readonly<Record<string, number>>;

/** Returns the sum of two usages. Ignores members that are not numbers. */
export function addUsage(usage: Usage, more: unknown): Usage {
  const sum: Record<string, number> = { ...usage };
  if (!isObject(more)) return sum;
  for (const [key, value] of Object.entries<unknown>(more))
    if (typeof value === "number") sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
