import { isObject } from "../base/json.js";

/** Maximum depth that is searched. Deeper values are rejected later. */
const maxDepth = 100;

/**
 * Returns a JSON value in which `{ "code": … }` replaces
 * `{ "flow": { "$case": "code", "value": … } }`. A popular protobuf library uses the latter form
 * for oneofs in memory, and agents send this form if they do not convert their objects to
 * ProtoJSON. If nothing changes, returns the same value. Never replaces another member, because the
 * replaced member may be covered by a signature.
 */
export function withoutCases(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withoutCases(item, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const name = isObject(item) ? item["$case"] : undefined;
    if (!isObject(item) || typeof name !== "string")
      return [key, withoutCases(item, depth + 1)] as const;
    const wouldReplace = name !== key && Object.hasOwn(value, name);
    if (wouldReplace) return [key, withoutCases(item, depth + 1)] as const;
    return [name, withoutCases(item["value"], depth + 1)] as const;
  });
  return entries.every(([key, item]) => value[key] === item) ? value : Object.fromEntries(entries);
}
