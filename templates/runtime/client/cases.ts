import { isObject } from "../base/json.js";

/** How deep objects and lists are looked through; what is deeper is refused anyway. */
const maxDepth = 100;

/**
 * Returns a JSON value with the members of its oneofs in their place: `{ "flow": { "$case": "code", "value": … } }`
 * becomes `{ "code": … }`. The first is how a widespread protobuf library keeps them in memory, and how agents show
 * them that do not turn their objects into ProtoJSON. Returns the value itself where there is nothing to change.
 */
export function withoutCases(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withoutCases(item, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    if (!isObject(item) || typeof item["$case"] !== "string") return [key, withoutCases(item, depth + 1)] as const;
    return [item["$case"], withoutCases(item["value"], depth + 1)] as const;
  });
  return entries.every(([key, item]) => value[key] === item) ? value : Object.fromEntries(entries);
}
