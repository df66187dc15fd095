import { isObject } from "../base/json.js";

/** Result of `authenticate` for an unknown caller. */
export type NoUser = null | undefined | false;

/**
 * Returns whether a value does not identify a user, because it is falsy or an object with a falsy
 * `id`. Look-ups return such values for missing rows, which means that the caller has not been
 * identified. Zero is included, because ids in databases start at 1, and failed conversions return
 * 0.
 */
export function isNoUser(user: unknown): boolean {
  return !user || (isObject(user) && "id" in user && !user["id"]);
}

/**
 * Returns whether two values identify the same user. Compares their `id`, or their whole JSON if
 * they have no `id`.
 */
export function isSameUser(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  if ("id" in left || "id" in right) return left["id"] === right["id"];
  try {
    return JSON.stringify(left) === JSON.stringify(right);
  } catch {
    // Values with cycles cannot be compared. They count as different, so that the stream ends.
    return false;
  }
}
