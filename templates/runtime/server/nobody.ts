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
