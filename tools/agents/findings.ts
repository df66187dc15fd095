import { pointerOf } from "../../support/json-pointer.js";
import { isRecord as isObject } from "../../support/values.js";

export { isObject };

/**
 * Importance of a finding: `error` if no client can use the card or a part of it, `warning` if some
 * clients cannot, and `note` for a remark.
 */
export type Severity = "error" | "warning" | "note";

/** A mistake, or a likely mistake, in an agent card. */
export interface Finding {
  /** The location as a JSON Pointer (RFC 6901); empty for the whole card. */
  readonly path: string;
  readonly problem: string;
  /** The necessary change; empty if the problem already describes it. */
  readonly hint: string;
  readonly severity: Severity;
}

/** Returns a function that creates findings of one severity. */
function findingOf(
  severity: Severity,
): (path: readonly (string | number)[], problem: string, hint?: string) => Finding {
  return (path, problem, hint = "") => ({ path: pointerOf(path), problem, hint, severity });
}

export const error = findingOf("error");
export const warning = findingOf("warning");
export const note = findingOf("note");

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * Returns an own member of an object; `undefined` for an inherited member and for any other value.
 */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Returns the string value of a member, or `undefined` if it is not a string. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === "string" ? found : undefined;
}

/** Returns the list in a member; an empty list if the member is not a list. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key);
  return Array.isArray(found) ? found : [];
}

/** Returns the entries of a member that is an object. */
export function entriesAt(value: unknown, key: string): readonly (readonly [string, unknown])[] {
  const found = member(value, key);
  return isObject(found) ? Object.entries(found) : [];
}

/** Returns a string for a message, in quotes and shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}
