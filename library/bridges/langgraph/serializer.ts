import { MemorySaver } from "@langchain/langgraph";

type Serializer = MemorySaver["serde"];

/** Keys that LangGraph does not restore as data, and their escaped forms. */
const reserved = /^~*(?:lc|__proto__)$/;

/**
 * Stores data as data. LangGraph's serializer marks objects of classes with the key `lc`, and also
 * constructs objects from data with this key, which a caller, a model or a tool may have chosen.
 * Here, the key is escaped everywhere except in objects of classes.
 */
export class DataSerializer implements Serializer {
  readonly #inner = new MemorySaver().serde;

  dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    return this.#inner.dumpsTyped(escaped(value, new Set()));
  }

  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    const value: unknown = await this.#inner.loadsTyped(type, data);
    unescape(value, new Set());
    return value;
  }
}

/** Returns a copy of a value with escaped keys; `above` are the objects that contain the value. */
function escaped(value: unknown, above: Set<object>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error || value instanceof RegExp || ArrayBuffer.isView(value)) return value;
  // LangGraph stores this for a cycle.
  if (above.has(value)) return "[Circular]";
  above.add(value);
  const copy = copyOf(value, (member) => escaped(member, above));
  above.delete(value);
  return copy;
}

function copyOf(value: object, copied: (member: unknown) => unknown): unknown {
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const json = Reflect.apply(value.toJSON, value, []) as { kwargs?: unknown };
    // JSON from a caller contains no functions, so this is an object of a class of LangChain.
    return "lc_serializable" in value ? { ...json, kwargs: copied(json.kwargs) } : copied(json);
  }
  if (Array.isArray(value)) return value.map(copied);
  if (value instanceof Set) return new Set(Array.from(value, copied));
  if (value instanceof Map)
    return new Map(Array.from(value, ([key, item]) => [copied(key), copied(item)]));
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as object;
  for (const [key, member] of Object.entries(value))
    define(copy, reserved.test(key) ? `~${key}` : key, copied(member));
  return copy;
}

/** Restores the keys in a value; `seen` are the objects whose keys are restored. */
function unescape(value: unknown, seen: Set<object>): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (seen.has(value)) return;
  seen.add(value);
  if (value instanceof Set || value instanceof Map) for (const item of value) unescape(item, seen);
  const entries = Object.entries<unknown>({ ...value });
  for (const [, member] of entries) unescape(member, seen);
  if (!entries.some(([key]) => isEscaped(key))) return;
  // Define all members again, because their order is data too.
  for (const [key] of entries) Reflect.deleteProperty(value, key);
  for (const [key, member] of entries) define(value, isEscaped(key) ? key.slice(1) : key, member);
}

function isEscaped(key: string): boolean {
  return key.startsWith("~") && reserved.test(key);
}

/** Defines a member. An assignment to `__proto__` would set the prototype. */
function define(object: object, key: string, value: unknown): void {
  const attributes = { configurable: true, enumerable: true, writable: true };
  Object.defineProperty(object, key, { value, ...attributes });
}
