import type { ErasureTarget, TaskStore } from "../store.js";

/**
 * Tasks to delete: one of an owner, all of an owner, or all of a tenant. The owner is what the option `owner` returns, or
 * the `id` of a user; the empty string is that of anonymous callers. Calls without a tenant have the empty one.
 */
export type ForgetTarget =
  | { readonly tenant?: string; readonly owner: string; readonly taskId?: string }
  | { readonly tenant: string; readonly everyOwner: true };

/** Tasks that a store deletes in one call at most, so that other calls are not kept waiting. */
const step = 100;

/**
 * Deletes tasks and returns how many there were. Throws a `TypeError` for a target that names neither an owner nor every
 * owner, and for a store that cannot delete tasks on request.
 */
export async function forgetTasks(store: TaskStore, target: ErasureTarget): Promise<number> {
  // A store that was written for an earlier version, or without types, may lack it.
  if (typeof Reflect.get(store, "erase") !== "function")
    throw new TypeError("The store cannot delete tasks on request: it has no method `erase`");
  let count = 0;
  for (;;) {
    const deleted = await store.erase(target, step);
    if (deleted === 0) return count;
    count += deleted;
  }
}

/** Returns a target as stores take it. Throws a `TypeError` for one that would delete more than its author meant. */
export function erasureOf(target: ForgetTarget): ErasureTarget {
  const { tenant = "", owner, taskId, everyOwner }: Partial<Record<string, unknown>> = target;
  if (typeof tenant !== "string") throw new TypeError("`tenant` of forget must be a string");
  // An owner that is missing by mistake must not delete the tasks of everybody.
  if (everyOwner === true && owner === undefined && taskId === undefined) return { tenant };
  if (typeof owner !== "string" || everyOwner !== undefined)
    throw new TypeError("forget needs either `owner`, a string, or `everyOwner: true` for a whole tenant");
  if (taskId === undefined) return { tenant, owner };
  if (typeof taskId !== "string" || taskId === "") throw new TypeError("`taskId` of forget must be the id of a task");
  return { tenant, owner, taskId };
}
