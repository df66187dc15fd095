import { check as checkType, type Type } from "a2a-codegen-runtime/internal/schema";
import { isObject } from "../../agents/findings.js";
import { isError, isInvalid } from "../errors.js";
import { outline, short, type Reply } from "../reply.js";
import type { Outcome } from "../rule.js";

/** Returns the outcome of a condition. The reason is only computed if the condition is false. */
export function problemUnless(condition: boolean, reason: () => string): Outcome {
  return condition ? undefined : reason();
}

/** Expects a protocol error. */
export function problemUnlessError(reply: Reply, ...names: readonly string[]): Outcome {
  return problemUnless(
    names.some((name) => isError(reply, name)),
    () => `expected ${names.join(" or ")}, got ${outline(reply)}`,
  );
}

/** Expects that the agent refuses the parameters. */
export function problemUnlessInvalidParams(reply: Reply): Outcome {
  return problemUnless(
    isInvalid(reply),
    () => `expected InvalidParamsError, got ${outline(reply)}`,
  );
}

/** Expects any error. */
export function problemUnlessFailed(reply: Reply): Outcome {
  return problemUnless(reply.error !== undefined, () => `expected an error, got ${outline(reply)}`);
}

/** Expects a result. */
export function problemUnlessSuccess(reply: Reply): Outcome {
  return problemUnless(
    reply.error === undefined && reply.failure === undefined,
    () => `expected a result, got ${outline(reply)}`,
  );
}

/** Expects equal values. */
export function problemUnlessEqual(actual: unknown, expected: unknown): Outcome {
  return problemUnless(
    isEqual(actual, expected),
    () => `expected ${short(expected)}, got ${short(actual)}`,
  );
}

/**
 * Returns a value of a type without the freedoms of ProtoJSON: an absent member and a member with
 * its default value are the same, as are several forms of times and bytes. Invalid values are
 * returned unchanged.
 */
export function normalized(type: Type<unknown>, value: unknown): unknown {
  return checkType(type, value, "json").value ?? value;
}

/** Returns whether two JSON values are the same value of a type in ProtoJSON. */
export function isSame(type: Type<unknown>, found: unknown, expected: unknown): boolean {
  return isEqual(normalized(type, found), normalized(type, expected));
}

/** Expects a value of a type. */
export function problemUnlessType(type: Type<unknown>, value: unknown, name = ""): Outcome {
  const [issue] = checkType(type, value, "json").issues ?? [];
  if (issue === undefined) return undefined;
  const path = [name, ...issue.path].filter((key) => key !== "").join(".");
  const prefix = path === "" ? "" : `${path}: `;
  return `${prefix}expected ${issue.expected}, got ${issue.found}`;
}

/** Returns whether two JSON values are equal. The order of members does not matter. */
export function isEqual(found: unknown, expected: unknown): boolean {
  return canonical(found) === canonical(expected);
}

/** Returns a value as JSON with sorted members. */
export function canonical(value: unknown): string {
  const withSortedMembers = (_key: string, item: unknown): unknown =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item;
  return value === undefined ? "undefined" : JSON.stringify(value, withSortedMembers);
}

/** Expects a non-empty string. */
export function problemUnlessText(value: unknown, name: string): Outcome {
  return problemUnless(
    typeof value === "string" && value.trim() !== "",
    () => `${name} must be a string, got ${short(value)}`,
  );
}

/** Returns the first failure of a list of outcomes. */
export function firstProblem(outcomes: Iterable<Outcome>): Outcome {
  for (const outcome of outcomes) if (outcome !== undefined) return outcome;
  return undefined;
}

/** Checks each value of a list, and returns the first failure with its index. */
export function firstProblemIn(
  values: readonly unknown[],
  name: string,
  check: (value: unknown, name: string, index: number) => Outcome,
): Outcome {
  return firstProblem(values.map((value, index) => check(value, `${name}[${index}]`, index)));
}

/** Returns the version in the envelope of a JSON-RPC response. */
export function envelopeVersion(body: unknown): unknown {
  const { jsonrpc } = isObject(body) ? body : {};
  return jsonrpc;
}
