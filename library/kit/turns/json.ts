import { type JsonObject, type JsonValue, maxDepth } from "../../runtime/base/json.js";
import { base64Of } from "../../runtime/protobuf/base64.js";

/** Type of the JSON that {@link json} returns for a value. */
export type Json<T> = unknown extends T
  ? JsonValue
  : T extends string | number | boolean | null
    ? T
    : T extends ArrayBuffer | ArrayBufferView | bigint
      ? string
      : T extends readonly unknown[] | ReadonlySet<unknown>
        ? JsonValue[]
        : T extends { toJSON(...args: never[]): infer R }
          ? Json<R>
          : T extends ((...args: never[]) => unknown) | symbol | undefined
            ? null
            : JsonObject;

/**
 * Converts any value to JSON, for data parts, metadata and states. Omits members that JSON cannot
 * represent: `undefined`, functions, and references to an object around them. Bytes become base64,
 * dates and objects with `toJSON` become their JSON, maps become objects, sets become lists, and
 * errors become objects with a name and a message.
 *
 * @example
 * return completed("Done", { metadata: json({ usage, finishReason }) });
 */
export function json<T>(value: T): Json<T> {
  // The conversion implements the type.
  return (jsonOf(value, []) ?? null) as Json<T>;
}

/**
 * Converts a value; `above` are the objects that contain it. Returns `undefined` if the value must
 * be omitted.
 */
function jsonOf(value: unknown, above: readonly object[]): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : jsonOfObject(value, above);
    default:
      return undefined;
  }
}

function jsonOfObject(value: object, above: readonly object[]): JsonValue | undefined {
  if (above.length >= maxDepth || above.includes(value)) return undefined;
  if (value instanceof ArrayBuffer) return base64Of(new Uint8Array(value));
  if (ArrayBuffer.isView(value))
    return base64Of(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  const inside = [...above, value];
  if ("toJSON" in value && typeof value.toJSON === "function")
    return jsonOf(Reflect.apply(value.toJSON, value, []), inside);
  if (Array.isArray(value) || value instanceof Set)
    return Array.from<unknown, JsonValue>(value, (item) => jsonOf(item, inside) ?? null);
  const members: [string, JsonValue][] = [];
  for (const [key, member] of membersOf(value)) {
    const own = jsonOf(member, inside);
    if (own !== undefined) members.push([String(key), own]);
  }
  return Object.fromEntries(members);
}

/** Returns the members of an object that its JSON contains. */
function membersOf(value: object): Iterable<readonly [unknown, unknown]> {
  if (value instanceof Map) return value as Map<unknown, unknown>;
  const own = Object.entries<unknown>(value as Record<string, unknown>);
  // The name and the message of an error are not enumerable.
  return value instanceof Error ? [["name", value.name], ["message", value.message], ...own] : own;
}
