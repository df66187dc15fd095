import { isObject } from "../base/json.js";

export * from "./predicates.js";

/** Predicate that accepts no value. */
export const isNever: (value: unknown) => boolean = () => false;

/** Returns whether exactly one of several conditions is true. */
export function isOnlyOne(...conditions: readonly boolean[]): boolean {
  let count = 0;
  for (const condition of conditions) if (condition) count += 1;
  return count === 1;
}

/** Returns whether `value` is a finite number. */
export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Returns whether `value` is a whole number of any size, including `1.0`. */
export function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Returns whether `value` is divisible by `divisor`, with a quotient of at most 21 digits. */
export function isMultiple(value: unknown, divisor: number): boolean {
  if (typeof value !== "number") return false;
  const quotient = value / divisor;
  return quotient === Number.parseInt(String(quotient), 10);
}

/**
 * Returns whether `value` is a string that matches `pattern` and whose length in code points is
 * within limits.
 */
export function isText(
  value: unknown,
  minimum: number,
  maximum: number = Infinity,
  pattern?: RegExp,
): value is string {
  if (typeof value !== "string" || value.length < minimum) return false;
  // A string has at most as many code points as code units, so count them only if needed.
  if (minimum > 0 || maximum < value.length) {
    const length = lengthOf(value);
    if (length < minimum || length > maximum) return false;
  }
  return pattern?.test(value) ?? true;
}

/** Returns the number of code points in a string. */
export function lengthOf(value: string): number {
  let length = value.length;
  // A high surrogate and the low surrogate after it are one code point.
  for (let index = 1; index < value.length; index += 1) {
    if (isSurrogate(value, index, 0xdc00) && isSurrogate(value, index - 1, 0xd800)) length -= 1;
  }
  return length;
}

/** Returns whether a code unit is in the range of 1,024 surrogates that begins at `start`. */
function isSurrogate(value: string, index: number, start: number): boolean {
  return (value.charCodeAt(index) & 0xfc00) === start;
}

/** Returns whether `value` is a list with a length within limits. */
export function isSized(value: unknown, minimum: number, maximum: number = Infinity): boolean {
  return Array.isArray(value) && value.length >= minimum && value.length <= maximum;
}

/** Returns whether `value` is a list without duplicates. */
export function isUnique(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const items: readonly unknown[] = value;
  if (new Set(items).size !== items.length) return false;
  // A set only finds equal primitives. Lists and objects must be compared in pairs.
  const nested = items.filter((item) => typeof item === "object" && item !== null);
  return nested.every(
    (item, index) => !nested.slice(index + 1).some((later) => isEqual(item, later)),
  );
}

/** Returns whether two JSON values are equal, regardless of the order of members. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || left === null) return false;
  if (typeof right !== "object" || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const leftMembers = Object.entries(left);
  const rightMembers = new Map<string, unknown>(Object.entries(right));
  if (leftMembers.length !== rightMembers.size) return false;
  return leftMembers.every(
    ([key, item]) => rightMembers.has(key) && isEqual(item, rightMembers.get(key)),
  );
}

/** Returns whether `value` is an object with a number of members within limits. */
export function isCounted(value: unknown, minimum: number, maximum: number = Infinity): boolean {
  if (!isObject(value)) return false;
  let count = 0;
  for (const key of Object.keys(value)) if (value[key] !== undefined) count += 1;
  return count >= minimum && count <= maximum;
}

/**
 * Returns whether `value` is an object that is not nested too deeply, and `accepts` returns true
 * for each of its members.
 */
export function areMembers(
  value: unknown,
  accepts: (key: string, value: unknown, depth: number) => boolean,
  depth: number,
): boolean {
  if (!isObject(value, depth)) return false;
  for (const key of Object.keys(value)) {
    if (value[key] !== undefined && !accepts(key, value[key], depth + 1)) return false;
  }
  return true;
}
