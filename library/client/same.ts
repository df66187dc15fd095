import { isObject, type JsonObject } from "../runtime/base/json.js";
import type { TaskStatus } from "../kit/model.js";

/** Returns whether two JSON values are equal, regardless of the order of members. */
export function isSame(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (Array.isArray(first) && Array.isArray(second)) {
    return first.length === second.length && first.every((item, at) => isSame(item, second[at]));
  }
  if (!isObject(first) || !isObject(second)) return false;
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].every((name) => isSame(first[name], second[name]));
}

/**
 * Returns whether two statuses have the same state and message, and no contradicting timestamps.
 */
export function isSameStatus(first: TaskStatus, second: TaskStatus): boolean {
  if (first.state !== second.state || !isSame(first.message, second.message)) return false;
  // Agents may omit timestamps in events, and may format the same time differently.
  if (first.timestamp === undefined || second.timestamp === undefined) return true;
  return (
    first.timestamp === second.timestamp ||
    Date.parse(first.timestamp) === Date.parse(second.timestamp)
  );
}

/** Returns whether an object has all members of another object, with equal values. */
export function hasAll(members: JsonObject | undefined, others: JsonObject | undefined): boolean {
  return Object.entries(others ?? {}).every(([name, value]) => isSame(members?.[name], value));
}
