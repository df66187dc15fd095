import { isObject } from "../base/json.js";

/** What a check of credentials returns for a caller that it does not know. */
export type Nobody = null | undefined | false;

/**
 * Returns whether a value names no user: a falsy value, or an object whose `id` is one. Look-ups return such values for
 * rows that they do not find, so a caller with such a user has not been identified. Zero is one of them: databases count
 * from 1, and 0 is what failed conversions return.
 */
export function isNobody(user: unknown): boolean {
  return !user || (isObject(user) && "id" in user && !user["id"]);
}

/** Returns whether two values name the same user: by their `id`, or by all that they are as JSON. */
export function isSameUser(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if ("id" in one || "id" in other) return one["id"] === other["id"];
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    // Values with cycles cannot be compared, and a doubt ends the stream.
    return false;
  }
}
