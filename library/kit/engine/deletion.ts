import { checkExact } from "../exact.js";
import type { ErasureTarget, TaskStore } from "../store.js";

/**
 * Tasks to delete: a single task of an owner, all tasks of an owner, or all tasks of a tenant. The
 * owner is the value that the option `owner` returns, or the `id` of a user. For anonymous callers,
 * it is the empty string. For calls without a tenant, the tenant is the empty string.
 */
export type DeletionTarget =
  | { readonly tenant?: string; readonly owner: string; readonly taskId?: string }
  | { readonly tenant: string; readonly everyOwner: true };

/**
 * Maximum number of tasks to delete in one call to the store, so that other calls are not delayed.
 */
const step = 100;

/**
 * Deletes tasks and returns their number. Throws a `TypeError` if the store cannot delete tasks on
 * request.
 */
export async function deleteTasks(store: TaskStore, target: ErasureTarget): Promise<number> {
  // Stores without types, or for an earlier version of this library, may not have `erase`.
  if (typeof Reflect.get(store, "erase") !== "function")
    throw new TypeError("The store must have a method `erase` for deleteTasks");
  let count = 0;
  for (;;) {
    const deleted = await store.erase(target, step);
    if (deleted === 0) return count;
    count += deleted;
  }
}

/**
 * Converts a target to the form that stores accept. Throws a `TypeError` if the target is invalid
 * or ambiguous.
 */
export function erasureOf(target: DeletionTarget): ErasureTarget {
  const { tenant = "", owner, taskId, everyOwner }: Partial<Record<string, unknown>> = target;
  if (typeof tenant !== "string") throw new TypeError("`tenant` of deleteTasks must be a string");
  checkExact("deleteTasks", { tenant });
  // Require `everyOwner`, so that a program that omits `owner` by mistake does not delete the tasks
  // of all owners.
  if (everyOwner === true && owner === undefined && taskId === undefined) return { tenant };
  if (typeof owner !== "string" || everyOwner !== undefined)
    throw new TypeError(
      "deleteTasks requires either a string `owner`, or `everyOwner: true` for a whole tenant",
    );
  checkExact("deleteTasks", { owner });
  if (taskId === undefined) return { tenant, owner };
  if (typeof taskId !== "string" || taskId === "")
    throw new TypeError("`taskId` of deleteTasks must be a string that is not empty");
  return { tenant, owner, taskId };
}
