import { isObject } from "../../runtime/base/json.js";
import { TaskState } from "../model.js";
import { isInterrupted, isTerminal } from "../states.js";
import type { Reply, TurnGenerator } from "./turn.js";
import { type Asleep, canceled, type End, type Update } from "./updates.js";

/**
 * Returns the end of a canceled task: the turn's own end if it is `canceled()`, otherwise a
 * default.
 */
export function canceledAs(end: unknown): unknown {
  return safely(() => isEnd(end) && end.state === TaskState.Canceled) ? end : canceled();
}

/** Returns whether a value that a turn returned is an end. */
export function isEnd(value: unknown): value is End {
  if (!isObject(value) || value["ends"] !== true) return false;
  if (isAsleep(value)) return true;
  const state = value["state"] as TaskState;
  return isTerminal(state) || isInterrupted(state);
}

/** Returns whether the end of a turn puts its task to sleep. */
export function isAsleep(end: object): end is Asleep {
  return "sleeps" in end && end.sleeps === true;
}

/** Checks the return value of `run`. Throws a `TypeError` if it is not a generator. */
export function generatorOf(returned: TurnGenerator): TurnGenerator {
  const found: unknown = returned;
  if (isObject(found) && typeof found["next"] === "function") return returned;
  throw new TypeError(
    `\`run\` must return a generator, got ${shown(found)}: write it as \`async *run(…) { … }\``,
  );
}

/** Checks the return value of `reply`. Throws a `TypeError` if it is not a reply. */
export function replyOf(returned: unknown): Reply {
  if (isReply(returned)) return returned;
  throw new TypeError(
    `\`reply\` must return message(content), or undefined for a task, got ${shown(returned)}`,
  );
}

/** Returns whether a value is a reply; its content is validated later. */
function isReply(value: unknown): value is Reply {
  return (
    isObject(value) && (typeof value["content"] === "string" || Array.isArray(value["content"]))
  );
}

/** Returns whether a value that a turn yielded is an update; its content is validated later. */
export function isUpdate(value: unknown): value is Update {
  if (!isObject(value)) return false;
  const { artifact, keepsRunning, state } = value;
  return (
    isObject(artifact) ||
    (keepsRunning === true && (state === TaskState.Working || state === TaskState.AuthRequired))
  );
}

/** Returns whether an update only sets the state to working. */
export function isBare(update: Update): boolean {
  return (
    "state" in update &&
    update.state === TaskState.Working &&
    // No member other than the state, the content and `keepsRunning`.
    Object.keys(update).length === 3 &&
    update.content === undefined
  );
}

/**
 * Evaluates a condition. Returns `false` if it throws, because properties of a user's value may
 * throw.
 */
function safely(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
  }
}

/** Returns a description of a value for an error message: its type, without its content. */
export function shown(value: unknown): string {
  if (isObject(value) && typeof value["state"] === "string") return `the state ${value["state"]}`;
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

/** Returns whether a thrown value is an `AbortError`. */
export function isAbort(thrown: unknown): boolean {
  return safely(() => isObject(thrown) && thrown["name"] === "AbortError");
}
