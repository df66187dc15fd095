import type { JsonValue } from "../../runtime/base/json.js";
import type { ServiceFacts } from "../kit-facts.js";
import type { Limits } from "../limits/limits.js";
import { sizeOfItem } from "../limits/size.js";
import { refused } from "../refusals.js";
import { checkExact } from "../exact.js";
import { notFound } from "./paced-store.js";
import type { Expected, InboxItem, Posted, Refused, Scope, TaskStore } from "../store.js";

/**
 * A task to wake. A turn has these values as `turn.task.id`, `turn.owner` and `turn.tenant`; the
 * owner of an anonymous caller is the empty string.
 */
export interface WakeTarget {
  readonly taskId: string;
  readonly owner: string;
  readonly tenant?: string | undefined;
}

/** Options for waking a task. */
export interface WakeOptions {
  /**
   * Id of the event that wakes the task. If the call is repeated with the same id within ten
   * minutes, the task is woken once. By default, each call wakes the task.
   */
  readonly id?: string;
}

/** A request to wake a task, as it is posted to the task's inbox. */
export interface WakeRequest {
  readonly scope: Scope;
  readonly id: string;
  readonly item: InboxItem;
  readonly bytes: number;
}

/**
 * Returns the request for a target.
 * @throws A `TypeError` if the target or the id is invalid, or if JSON cannot represent the payload.
 */
export function wakeRequestOf(
  target: WakeTarget,
  payload: JsonValue | undefined,
  { id = crypto.randomUUID() }: { readonly [Name in keyof WakeOptions]: unknown },
): WakeRequest {
  const { taskId, owner, tenant = "" }: Partial<Record<keyof WakeTarget, unknown>> = target;
  if (typeof taskId !== "string" || typeof owner !== "string" || typeof tenant !== "string")
    throw new TypeError(
      "wake requires a string `taskId` and a string `owner`, and `tenant`, if any, must be a string",
    );
  if (typeof id !== "string")
    throw new TypeError(`\`id\` of wake must be a string, got ${typeof id}`);
  checkExact("wake", { taskId, owner, tenant, id });
  // The prefix keeps ids of the program apart from the ids of messages and cancel requests.
  const item: InboxItem = { id: `wake ${id}`, wake: payload === undefined ? {} : { payload } };
  let text: string;
  try {
    text = JSON.stringify(item);
  } catch (cause) {
    throw new TypeError("The payload of wake must be JSON, without cycles and bigints", { cause });
  }
  // A copy, because the program may change the payload later. It has the form that was serialized.
  const copy = JSON.parse(text) as InboxItem;
  return { scope: { tenant, owner }, id: taskId, item: copy, bytes: sizeOfItem(copy) };
}

/** Returns the conditions under which a task takes another item. */
export function roomOf(limits: Limits): Expected {
  return {
    maxInbox: limits.maxPending,
    maxInboxBytes: limits.maxInboxBytes,
    maxBytes: limits.maxTaskBytes,
  };
}

/**
 * Returns whether a store has accepted a request to wake a task; `false` if the task has ended.
 * @throws An `UnsupportedOperationError` if the task's inbox is full.
 */
export function isAccepted(
  posted: Posted,
  taskId: string,
  expected: Expected,
  facts: Pick<ServiceFacts, "mismatch">,
): posted is Exclude<Posted, Refused> {
  if (posted.outcome === "ended") return false;
  if (posted.outcome === "leased" || posted.outcome === "posted") return true;
  throw refused(posted, taskId, expected, facts);
}

/**
 * Wakes a task from a process without an agent, and returns whether it wakes. The process takes no
 * lease that lasts, so a process with an agent finds the task at its next search.
 * @throws A `TaskNotFoundError` if the scope has no such task, or an `UnsupportedOperationError` if
 *   its inbox is full.
 */
export async function wakeFromOutside(
  store: TaskStore,
  { scope, id, item }: WakeRequest,
  limits: Limits,
  facts: Pick<ServiceFacts, "mismatch">,
): Promise<boolean> {
  const expected = roomOf(limits);
  const claim = { holder: crypto.randomUUID(), ttlMs: 0 };
  const posted = (await store.post(scope, id, item, claim, expected)) ?? notFound(id);
  return isAccepted(posted, id, expected, facts);
}
