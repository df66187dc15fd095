import { isObject } from "../../runtime/base/json.js";

/** Bytes of tasks that a store returns at once, unless the first task is larger by itself. */
export const pageBytes: number = 8 * 2 ** 20;

/** Bytes of the events that a webhook gets with one lease, unless the first event is larger by itself. */
export const hookBytes: number = 4 * 2 ** 20;

/** The estimated cost of a name, and of each object, list, number and the like, as JSON. */
const memberBytes = 4;

/** Estimates how many bytes a value takes as JSON, without making the JSON. */
export function jsonBytes(value: unknown): number {
  if (typeof value === "string") return 2 + value.length;
  if (typeof value !== "object" || value === null) return memberBytes;
  let bytes = 2;
  if (isObject(value)) for (const name in value) bytes += memberBytes + name.length + jsonBytes(value[name]);
  else if (Array.isArray(value)) for (const element of value) bytes += 1 + jsonBytes(element);
  return bytes;
}
