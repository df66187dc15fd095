import { isObject } from "../base/json.js";
import { strictFirst } from "./attempt.js";
import { ValidationContext, type Issue, type Type } from "./schema.js";

/** A value that matches a type. */
interface Read {
  readonly value: unknown;
  readonly deviations: readonly Issue[];
}

/** Result of a check against one of several types. */
interface Attempt {
  readonly type: Type<unknown>;
  /** Absent if the value does not match the type. */
  readonly result?: Read;
  readonly issues: readonly Issue[];
}

/** Type without values, for members that must be absent. */
export const never: Type<never> = {
  name: "nothing",
  check: (value, context) => {
    context.report("nothing", value);
    return undefined;
  },
};

/** Joins words for a message: `a`, `a or b`, `a, b or c`. */
export function either(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const last = distinct.at(-1) ?? "nothing";
  return distinct.length < 2 ? last : `${distinct.slice(0, -1).join(", ")} or ${last}`;
}

/**
 * Returns the type of values that match at least one of several types. If a value matches several
 * types, a lenient check merges the members that each type keeps. If the merged value does not
 * match any of the types, the check returns the result that keeps the most members.
 */
export function anyOf(...members: readonly Type<unknown>[]): Type<unknown> {
  return choice(members, (value, context) => {
    const attempts = members.map((type) => attempt(type, value, context));
    const best = mostKept(attempts, value);
    if (best === undefined) {
      reportBest(attempts, value, context);
      return undefined;
    }
    context.accept(best.deviations);
    const results = attempts.flatMap(({ result }) => (result === undefined ? [] : [result.value]));
    if (!context.lenient || results.length === 1 || !isObject(value)) return best.value;
    const whole = merge(value, results);
    // The merged value may not match any type, for example if each of two types forbids a member of
    // the other type.
    return members.some((type) => fits(attempt(type, whole, context, "strict")))
      ? whole
      : best.value;
  });
}

/** Returns the type of values that match exactly one of several types. */
export function oneOf(...members: readonly Type<unknown>[]): Type<unknown> {
  const expected = `exactly one of ${members.map(({ name }) => name).join(", ")}`;
  const fitting = (value: unknown, context: ValidationContext): Attempt[] =>
    members.map((type) => attempt(type, value, context, "strict")).filter(fits);
  return choice(members, (value, context) => {
    const exact = fitting(value, context);
    if (exact.length > 1) {
      context.report(expected, value);
      return undefined;
    }
    const match = exact.at(0);
    if (match !== undefined && !context.lenient) return value;
    const candidates = match === undefined ? members : [match.type];
    const attempts = candidates.map((type) => attempt(type, value, context));
    const best = mostKept(attempts, value);
    if (best === undefined) {
      reportBest(attempts, value, context);
      return undefined;
    }
    context.accept(best.deviations);
    // The canonical form may match several types although the original value does not match any.
    if (fitting(best.value, context).length === 1) return best.value;
    context.report(expected, value);
    return undefined;
  });
}

function choice(members: readonly Type<unknown>[], check: Type<unknown>["check"]): Type<unknown> {
  const type: Type<unknown> = {
    name: either(members.map(({ name }) => name)),
    check: (value, context) => strictFirst(context, () => check(value, context)),
    field: (key) => firstOf(members, (member) => member.field?.(key)),
  };
  return withNullable(type, () => members.some(isNullable));
}

/**
 * Adds a getter for `nullable` to a type. It is computed on access, because types may refer to
 * themselves.
 */
export function withNullable<T extends Type<unknown>>(type: T, isNullable: () => boolean): T {
  return Object.defineProperty(type, "nullable", { get: () => isNullable() || undefined });
}

/** Returns the first result of `read` that is not `undefined`. */
export function firstOf<T>(
  members: readonly Type<unknown>[],
  read: (member: Type<unknown>) => T | undefined,
): T | undefined {
  for (const member of members) {
    const found = read(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the type of values that match all of several types. */
export function allOf(...members: readonly Type<unknown>[]): Type<unknown> {
  const type: Type<unknown> = {
    name: [...new Set(members.map(({ name }) => name))].join(" and "),
    check: (value, context) => strictFirst(context, () => checkAll(members, value, context)),
    field: (key) => firstOf(members, (member) => member.field?.(key)),
  };
  return withNullable(type, () => members.every(isNullable));
}

/** Checks a value against several types, and merges the results. */
function checkAll(
  members: readonly Type<unknown>[],
  value: unknown,
  context: ValidationContext,
): unknown {
  const attempts = members.map((type) => attempt(type, value, context));
  const issues = attempts.flatMap((attempted) => attempted.issues);
  if (issues.length > 0) {
    reportAll(issues, context);
    return undefined;
  }
  if (!context.lenient) return value;
  const kept = attempts
    .filter(({ type }) => !exclusions.has(type))
    .map(({ result }) => result?.value);
  const whole = merge(value, kept);
  for (const { result } of attempts) context.accept(result?.deviations ?? []);
  // The canonical form of one type may not match the other types, so check the merged value again.
  const remaining = members.flatMap((type) => attempt(type, whole, context, "strict").issues);
  if (remaining.length === 0) return whole;
  reportAll(remaining, context);
  return undefined;
}

/**
 * Types created by {@link not}. {@link allOf} does not merge their results, which keep members that
 * no type defines.
 */
const exclusions = /* @__PURE__ */ new WeakSet<Type<unknown>>();

/** Returns the type of values that do not match a given type. */
export function not(type: Type<unknown>): Type<unknown> {
  const name = `anything but ${type.name}`;
  const exclusion: Type<unknown> = {
    name,
    nullable: true,
    check(value, context) {
      if (!fits(attempt(type, value, context, "strict"))) return value;
      context.report(name, value);
      return undefined;
    },
  };
  exclusions.add(exclusion);
  return exclusion;
}

/**
 * Returns the type of values that match one of two types, depending on whether the values match a
 * third type.
 */
export function when(
  test: Type<unknown>,
  then: Type<unknown>,
  otherwise: Type<unknown>,
): Type<unknown> {
  const type: Type<unknown> = {
    name: either([then.name, otherwise.name]),
    check: (value, context) =>
      strictFirst(context, () => {
        const branch = fits(attempt(test, value, context)) ? then : otherwise;
        return branch.check(value, context);
      }),
    field: (key) => firstOf([then, otherwise], (member) => member.field?.(key)),
  };
  return withNullable(type, () => isNullable(then) || isNullable(otherwise));
}

function isNullable({ nullable }: Type<unknown>): boolean {
  return nullable === true;
}

function attempt(
  type: Type<unknown>,
  value: unknown,
  context: ValidationContext,
  mode?: "strict",
): Attempt {
  const trial = new ValidationContext(mode ?? context.mode, context.forgiver);
  trial.path.push(...context.path);
  const result = type.check(value, trial);
  const { issues, deviations } = trial;
  if (result === undefined || issues.length > 0) return { type, issues };
  return { type, issues, result: { value: result, deviations } };
}

function fits({ result }: Attempt): boolean {
  return result !== undefined;
}

/**
 * Returns the result that keeps the most members. Prefers an unchanged scalar, and then the first
 * result.
 */
function mostKept(attempts: readonly Attempt[], original: unknown): Read | undefined {
  const results = attempts.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const first = results.at(0);
  if (first === undefined || results.length === 1) return first;
  const isScalar = typeof original !== "object";
  const unchanged = isScalar && results.find(({ value }) => value === original);
  if (unchanged) return unchanged;
  const sizes = results.map(({ value }) => sizeOf(value));
  return results[sizes.indexOf(Math.max(...sizes))];
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  for (const item of Object.values(value) as unknown[]) size += sizeOf(item);
  return size;
}

/**
 * Merges the results of several types for one value. Each result only contains the members that its
 * type defines.
 */
function merge(original: unknown, results: readonly unknown[]): unknown {
  if (results.every((result) => result === original)) return original;
  if (Array.isArray(original) && results.every((result) => Array.isArray(result))) {
    const lists: readonly (readonly unknown[])[] = results;
    return original.map((item: unknown, index) =>
      merge(
        item,
        lists.map((list) => list[index]),
      ),
    );
  }
  if (!isObject(original) || !results.every((result) => isObject(result))) {
    const changed = results.find((result) => result !== original || isObject(result));
    return changed ?? original;
  }
  const keys = new Set(results.flatMap((result) => Object.keys(result)));
  const mergeMember = (key: string): unknown => {
    const items = results.flatMap((result) => (Object.hasOwn(result, key) ? [result[key]] : []));
    if (items.length === 1) return items[0];
    // The original value may contain the member under another spelling.
    return merge(Object.hasOwn(original, key) ? original[key] : items[0], items);
  };
  return Object.fromEntries([...keys].map((key) => [key, mergeMember(key)]));
}

function reportAll(issues: readonly Issue[], context: ValidationContext): undefined {
  for (const issue of issues) if (!context.full) context.issues.push(issue);
  return undefined;
}

/** Reports the issues of the closest type, or that the value matches none of the types. */
function reportBest(
  attempts: readonly Attempt[],
  value: unknown,
  context: ValidationContext,
): undefined {
  const depth = context.path.length;
  // The value itself has the right kind; only its members have issues.
  const close = attempts.filter(({ issues }) => issues.every(({ path }) => path.length > depth));
  if (close.length === 0) {
    context.report(either(attempts.map(({ type }) => type.name)), value);
    return undefined;
  }
  const scores = close.map(({ issues }) => scoreOf(issues, depth));
  const lowest = Math.min(...scores);
  const rivals = close.filter((_, index) => scores[index] === lowest);
  const best = rivals.at(0);
  const pathsOf = ({ issues }: Attempt): string =>
    JSON.stringify(issues.map(({ pointer }) => pointer));
  if (best === undefined || rivals.some((rival) => pathsOf(rival) !== pathsOf(best))) {
    context.report(either(rivals.map(({ type }) => type.name)), value);
    return undefined;
  }
  // The rivals have issues at the same paths: combine what they expect there.
  const issues = best.issues.map((issue, index) => {
    const expected = either(rivals.map((rival) => rival.issues[index]?.expected ?? issue.expected));
    return {
      ...issue,
      expected,
      message: `${issue.pointer || "/"} expected ${expected}, got ${issue.found}`,
    };
  });
  reportAll(issues, context);
}

/**
 * Returns the distance of a value from a type, based on its issues. Deeper issues count less, and
 * missing members count more.
 */
function scoreOf(issues: readonly Issue[], depth: number): number {
  let score = 0;
  for (const { path, found } of issues) {
    const weight = found === "nothing" ? 3 : 2;
    score += weight * 4 ** (depth - path.length);
  }
  return score;
}
