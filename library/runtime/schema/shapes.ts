import { isInteger, isMultiple, isNumber, isSized, isText, isUnique } from "./constraints.js";
import type { Type } from "./schema.js";
import { either } from "./choices.js";
import { list as plainList, numberOf } from "./types.js";

export { allOf, anyOf, never, not, oneOf, when } from "./choices.js";
export { alias, object, spelledEnumeration, union } from "./objects.js";

/**
 * Limits of a string: its length in code points, and a regular expression that must match a part of
 * the string.
 */
export interface TextLimits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
}

/** Limits of numbers. */
export interface NumberLimits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** Limits of lists. */
export interface ListLimits {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly unique?: boolean;
}

/** Type of `null`. */
export const nil: Type<null> = {
  name: "null",
  nullable: true,
  check(value, run) {
    if (value === null) return null;
    run.report("null", value);
    return undefined;
  },
};

/** Returns a type of strings within limits. */
export function text({ minLength = 0, maxLength = Infinity, pattern }: TextLimits): Type<string> {
  const limits = [
    ...limitOf(minLength, maxLength, "character"),
    ...(pattern === undefined ? [] : [`that matches ${pattern.source}`]),
  ];
  const name = ["string", ...limits].join(" ");
  return {
    name,
    check(value, run) {
      if (isText(value, minLength, maxLength, pattern)) return value;
      run.report(name, value);
      return undefined;
    },
  };
}

/** Returns a type of numbers within limits. In a path or a query, numbers are strings. */
export function number(limits: NumberLimits = {}): Type<number> {
  return numeric("number", isNumber, limits);
}

/** Returns a type of integers within limits. In a path or a query, integers are strings. */
export function integer(limits: NumberLimits = {}): Type<number> {
  return numeric("integer", isInteger, limits);
}

function numeric(
  kind: string,
  accepts: (value: unknown) => value is number,
  limits: NumberLimits,
): Type<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  const rules: [string, number | undefined, (value: number, limit: number) => boolean][] = [
    ["at least", minimum, (value, limit) => value >= limit],
    ["at most", maximum, (value, limit) => value <= limit],
    ["more than", exclusiveMinimum, (value, limit) => value > limit],
    ["less than", exclusiveMaximum, (value, limit) => value < limit],
    ["a multiple of", multipleOf, isMultiple],
  ];
  const required = rules.flatMap(([relation, limit, holds]) =>
    limit === undefined ? [] : [{ relation, limit, holds }],
  );
  const conditions = required.map(({ relation, limit }) => `${relation} ${String(limit)}`);
  const name = conditions.length === 0 ? kind : `${kind} that is ${conditions.join(" and ")}`;
  return {
    name,
    check(value, run) {
      const given = run.text ? numberOf(value) : value;
      if (accepts(given) && required.every(({ holds, limit }) => holds(given, limit))) return given;
      run.report(name, value);
      return undefined;
    },
  };
}

/** Possible value of a constant. */
export type Constant = string | number | boolean | null;

/**
 * Returns the type whose values are the given constants. In a path or a query, numbers and booleans
 * are strings.
 */
export function literal(...values: readonly Constant[]): Type<Constant> {
  const name = either(values.map((value) => JSON.stringify(value)));
  return {
    name,
    ...(values.some((value) => value === null) && { nullable: true }),
    ...(values.length === 1 && { constant: values[0] }),
    check(value, run) {
      let index = values.findIndex((constant) => constant === value);
      if (index < 0 && run.text)
        index = values.findIndex((constant) => spelled(constant) === value);
      if (index >= 0) return values[index];
      run.report(name, value);
      return undefined;
    },
  };
}

/** Returns a constant as a string, for a path or a query; `undefined` for `null`. */
function spelled(constant: Constant): string | undefined {
  return constant === null ? undefined : String(constant);
}

/** Returns a type of lists within limits, with elements of one type. */
export function limitedList<T>(
  element: Type<T>,
  { minItems = 0, maxItems = Infinity, unique }: ListLimits,
): Type<T[]> {
  const plain = plainList(element);
  const limits = limitOf(minItems, maxItems, "element");
  if (unique) limits.push("without duplicates");
  const name = [plain.name, ...limits].join(" ");
  return {
    name,
    element,
    check(value, run) {
      const before = run.issues.length;
      const items = plain.check(value, run);
      if (items === undefined || run.issues.length > before) return items;
      if (isSized(items, minItems, maxItems) && (!unique || isUnique(items))) return items;
      run.report(name, value);
      return undefined;
    },
  };
}

function limitOf(minimum: number, maximum: number, unit: string): string[] {
  const count = (limit: number): string => {
    const noun = limit === 1 ? unit : `${unit}s`;
    return `${String(limit)} ${noun}`;
  };
  if (minimum === maximum) return [`of ${count(minimum)}`];
  if (minimum > 0 && maximum < Infinity) return [`of ${String(minimum)} to ${count(maximum)}`];
  if (maximum < Infinity) return [`of at most ${count(maximum)}`];
  return minimum > 0 ? [`of at least ${count(minimum)}`] : [];
}
