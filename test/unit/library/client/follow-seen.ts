import {
  type StreamResponse,
  type Task,
  TaskState,
} from "../../../../generated/1.1-draft/models.js";
import type { FollowOptions } from "../../../../library/client/unbound.js";
import type { Followed } from "../../../support/bound-kit.js";
import { piece, status, type Fault, type Moment } from "./follow-agent.js";

/** Follows without waiting. */
export const at = { delayMs: () => 0 } satisfies FollowOptions;
/** Events of a task that completes. */
export const log = [
  status(TaskState.Working, "1"),
  piece("a"),
  piece("b"),
  status(TaskState.Completed, "2"),
];

/** Says in a word each what was seen: states, and texts of artifacts. */
export const words = (seen: readonly Followed[]): string[] =>
  seen.map(({ event }) => wordOf(event));

function wordOf({ task, message, statusUpdate, artifactUpdate }: StreamResponse) {
  const state = task?.status.state ?? statusUpdate?.status.state;
  if (state !== undefined)
    return (task === undefined ? "" : "task ") + state.replace("TASK_STATE_", "").toLowerCase();
  const text = (message ?? artifactUpdate?.artifact)?.parts.map((part) => part.text).join(",");
  return `${message === undefined && artifactUpdate?.append === true ? "+" : ""}${text ?? ""}`;
}

/** Observed events. */
export const whole = ["task submitted", "working", "+a", "+b", "completed"];

/** An error at the first moment that a condition holds. */
export function once(fault: Fault, when: (moment: Moment) => boolean): (moment: Moment) => Fault {
  let isDone = false;
  return (moment) => {
    if (isDone || !when(moment)) return undefined;
    isDone = true;
    return fault;
  };
}

/** The first elements of a stream, which is left then. */
export async function* taken<T>(stream: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const each of stream) {
    yield each;
    if ((left -= 1) === 0) return;
  }
}

/** The text of all artifacts. */
export const textOf = (task: Task | undefined): string =>
  task?.artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)).join("") ?? "";
