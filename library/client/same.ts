import { isObject, type JsonObject } from "../runtime/base/json.js";
import type { TaskStatus } from "../kit/model.js";

/** Returns whether two JSON values are equal, regardless of the order of members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(one[name], other[name]));
}

/**
 * Returns whether two statuses have the same state and message, and no contradicting timestamps.
 */
export function isSameStatus(one: TaskStatus, other: TaskStatus): boolean {
  if (one.state !== other.state || !isSame(one.message, other.message)) return false;
  // Agents may omit timestamps in events, and may format the same time differently.
  if (one.timestamp === undefined || other.timestamp === undefined) return true;
  return (
    one.timestamp === other.timestamp || Date.parse(one.timestamp) === Date.parse(other.timestamp)
  );
}

/** Returns whether an object has all members of another object, with equal values. */
export function hasAll(members: JsonObject | undefined, others: JsonObject | undefined): boolean {
  return Object.entries(others ?? {}).every(([name, value]) => isSame(members?.[name], value));
}
