import { isObject } from "../../runtime/base/json.js";
import { TaskState } from "../model.js";
import { isInterrupted, isTerminal } from "../states.js";
import type { Reply, TurnGenerator } from "./turn.js";
import { canceled, type End, type Update } from "./updates.js";

/** Returns how a task ends that was canceled: as the turn says it, if it says so. */
export function canceledAs(end: unknown): unknown {
  return safely(() => isEnd(end) && end.state === TaskState.Canceled) ? end : canceled();
}

/** Whether something that a turn has returned is an end. */
export function isEnd(value: unknown): value is End {
  if (!isObject(value) || value["ends"] !== true) return false;
  const state = value["state"] as TaskState;
  return isTerminal(state) || isInterrupted(state);
}

/** Returns what `run` has returned. Throws a `TypeError` where that is no generator. */
export function generatorOf(returned: TurnGenerator): TurnGenerator {
  const found: unknown = returned;
  if (isObject(found) && typeof found["next"] === "function") return returned;
  throw new TypeError(`\`run\` returned ${shown(found)}, and no generator: write it as \`async *run(…) { … }\``);
}

/** Returns what `reply` has returned. Throws a `TypeError` where that is no reply. */
export function replyOf(returned: unknown): Reply {
  if (isReply(returned)) return returned;
  throw new TypeError(`\`reply\` returned ${shown(returned)}: return reply(content), or undefined for a task`);
}

/** Whether something has content; what is in it is checked later. */
function isReply(value: unknown): value is Reply {
  return isObject(value) && (typeof value["content"] === "string" || Array.isArray(value["content"]));
}

/** Whether something that a turn has yielded is an update; what is in it is checked later. */
export function isUpdate(value: unknown): value is Update {
  if (!isObject(value)) return false;
  const { artifact, goesOn, state } = value;
  return isObject(artifact) || (goesOn === true && (state === TaskState.Working || state === TaskState.AuthRequired));
}

/** Whether an update says that the turn is at work, and nothing else. */
export function isBare(update: Update): boolean {
  return (
    "state" in update &&
    update.state === TaskState.Working &&
    Object.keys(update).length === 3 &&
    update.content === undefined
  );
}

/** Whether something holds for a value of which even the look at it may throw. */
function safely(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
  }
}

/** Returns a value for a message: what it is, not what it says. */
export function shown(value: unknown): string {
  if (isObject(value) && typeof value["state"] === "string") return `the state ${value["state"]}`;
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

/** Whether something thrown is how work ends that heeds its signal. */
export function isAbort(thrown: unknown): boolean {
  return safely(() => isObject(thrown) && thrown["name"] === "AbortError");
}
