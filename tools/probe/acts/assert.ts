import { isObject } from "../../agents/findings.js";
import { short } from "../reply.js";

/** A value that differs from its assertion. */
export interface Mismatch {
  /** Path of the value, such as `task.status.state`. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

type Check = (actual: unknown, wanted: unknown, path: string) => boolean;

/** Maximum length of a string that is matched with a regular expression from a suite. */
const maxMatched = 10_000;

const isText = (value: unknown): value is string => typeof value === "string";
const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : Number.NaN);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The operators of an assertion. All operators of one object must match. */
const operators: Readonly<Record<string, Check>> = {
  type: (actual, wanted) => typeOf(actual) === wanted,
  exists: (actual, wanted) => (actual !== undefined) === (wanted === true),
  absent: (actual, wanted) => (actual === undefined) === (wanted === true),
  contains: (actual, wanted) => isText(actual) && isText(wanted) && actual.includes(wanted),
  matches: matchesPattern,
  starts_with: (actual, wanted) => isText(actual) && isText(wanted) && actual.startsWith(wanted),
  ends_with: (actual, wanted) => isText(actual) && isText(wanted) && actual.endsWith(wanted),
  gte: (actual, wanted) => typeof actual === "number" && compare(actual, wanted, (a, b) => a >= b),
  lte: (actual, wanted) => typeof actual === "number" && compare(actual, wanted, (a, b) => a <= b),
  gt: (actual, wanted) => typeof actual === "number" && compare(actual, wanted, (a, b) => a > b),
  lt: (actual, wanted) => typeof actual === "number" && compare(actual, wanted, (a, b) => a < b),
  count: (actual, wanted) => lengthOf(actual) === wanted,
  count_gte: (actual, wanted) => compare(lengthOf(actual), wanted, (a, b) => a >= b),
  count_lte: (actual, wanted) => compare(lengthOf(actual), wanted, (a, b) => a <= b),
  one_of: matchesAny,
  all_of: (actual, wanted, path) =>
    listOf(wanted).every((assertion) => mismatch(actual, assertion, path) === undefined),
  any_of: matchesAny,
  not: (actual, wanted, path) => mismatch(actual, wanted, path) !== undefined,
  // In published suites, `items` describes the elements of a list.
  items: itemsMatch,
};

/** Returns the first difference between a value and an assertion. */
export function mismatch(actual: unknown, assertion: unknown, path = ""): Mismatch | undefined {
  if (Array.isArray(assertion)) return listMismatch(actual, assertion, path);
  if (!isObject(assertion))
    return Object.is(actual, assertion)
      ? undefined
      : { path, expected: short(assertion), actual: short(actual) };
  for (const [key, wanted] of Object.entries(assertion)) {
    const found = isOperator(key, wanted)
      ? operatorMismatch(key, actual, wanted, path)
      : memberMismatch(key, actual, wanted, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function operatorMismatch(
  key: string,
  actual: unknown,
  wanted: unknown,
  path: string,
): Mismatch | undefined {
  if (operators[key]?.(actual, wanted, path) === true) return undefined;
  return { path, expected: `${key}: ${short(wanted)}`, actual: short(actual) };
}

function memberMismatch(
  key: string,
  actual: unknown,
  wanted: unknown,
  path: string,
): Mismatch | undefined {
  const value = isObject(actual) && Object.hasOwn(actual, key) ? actual[key] : undefined;
  return mismatch(value, wanted, path === "" ? key : `${path}.${key}`);
}

function listMismatch(
  actual: unknown,
  wanted: readonly unknown[],
  path: string,
): Mismatch | undefined {
  if (!Array.isArray(actual)) return { path, expected: short(wanted), actual: short(actual) };
  for (const [index, assertion] of wanted.entries()) {
    const found = mismatch(actual[index], assertion, `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns whether a key is an operator. In `type: { type: string }`, the outer key is a member that
 * has the name of an operator.
 */
function isOperator(key: string, wanted: unknown): boolean {
  if (!Object.hasOwn(operators, key)) return false;
  return ["not", "items"].includes(key) || !isObject(wanted);
}

function itemsMatch(actual: unknown, wanted: unknown, path: string): boolean {
  if (!Array.isArray(actual)) return false;
  // A list describes elements that the value must contain. An object describes every element.
  if (Array.isArray(wanted))
    return wanted.every((expected) =>
      actual.some((item) => mismatch(item, expected, path) === undefined),
    );
  return actual.every((item) => mismatch(item, wanted, path) === undefined);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function compare(
  actual: unknown,
  wanted: unknown,
  holds: (a: number, b: number) => boolean,
): boolean {
  return holds(Number(actual), Number(wanted));
}

function matchesAny(actual: unknown, wanted: unknown, path: string): boolean {
  return listOf(wanted).some((assertion) => mismatch(actual, assertion, path) === undefined);
}

function matchesPattern(actual: unknown, wanted: unknown): boolean {
  if (!isText(wanted)) return false;
  // Published suites also match other values, such as lists, which must then be present.
  const json = actual === undefined ? "" : JSON.stringify(actual);
  const text = isText(actual) ? actual : json;
  return new RegExp(wanted).test(text.slice(0, maxMatched));
}

/**
 * Returns the values at a path such as `task.artifacts[*].parts[0]`. A star stands for every index.
 */
export function valuesAt(value: unknown, path: string): unknown[] {
  const keys = path
    .replaceAll(/\[(\d+|\*)\]/g, ".$1")
    .split(".")
    .filter((key) => key !== "");
  return keys.reduce<unknown[]>(
    (values, key) => values.flatMap((found) => valuesIn(found, key)),
    [value],
  );
}

function valuesIn(value: unknown, key: string): unknown[] {
  if (Array.isArray(value)) {
    if (key === "*") return value as unknown[];
    const found: unknown = value[Number(key)];
    return found === undefined ? [] : [found];
  }
  return isObject(value) && Object.hasOwn(value, key) ? [value[key]] : [];
}
