import { isObject } from "../../runtime/base/json.js";

/**
 * Throws if a value for a graph contains data that LangGraph does not treat as data: an instruction
 * to replace the value of a channel, or an object that the serializer of a checkpointer constructs.
 * `isConstructed` says whether the checkpointer does so.
 */
export function checkData(value: unknown, isConstructed: boolean, seen = new Set()): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (seen.has(value)) return;
  seen.add(value);
  if (value instanceof Map || value instanceof Set)
    for (const item of value) checkData(item, isConstructed, seen);
  const members = Object.entries<unknown>({ ...value });
  for (const [, member] of members) checkData(member, isConstructed, seen);
  if (!isPlain(value)) return;
  const { lc, type } = value;
  if (overwrite in value || type === overwrite)
    throw new Error(
      `The input of the graph contains "${overwrite}", by which a caller would replace the value of a channel: use the class Overwrite if this is intended`,
    );
  if (!isConstructed) return;
  if (Object.hasOwn(value, "__proto__") || ((lc === 1 || lc === 2) && typeof type === "string"))
    throw new Error(
      'The input of the graph contains data with "lc" or "__proto__", from which the checkpointer would construct an object: remove the data, or compile the graph with kitSaver()',
    );
}

const overwrite = "__overwrite__";

function isPlain(value: object): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
