import { parseTimestamp } from "../runtime/base/time.js";
import { TaskState, type TaskStatus } from "./model.js";

/** Whether a task in this state has ended for good. */
export function isTerminal(state: TaskState): boolean {
  switch (state) {
    case TaskState.Completed:
    case TaskState.Failed:
    case TaskState.Canceled:
    case TaskState.Rejected:
      return true;
    default:
      return false;
  }
}

/** The states of tasks that have not ended. */
export const openStates: readonly TaskState[] = Object.values(TaskState).filter((state) => !isTerminal(state));

/** Whether a task in this state waits for its caller. */
export function isInterrupted(state: TaskState): boolean {
  return state === TaskState.InputRequired || state === TaskState.AuthRequired;
}

/** Whether a task in this state has ended or waits for its caller. */
export function isAtRest(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/** Returns when a status was reached, in milliseconds since 1970; 0 where it does not say so. */
export function timeOf({ timestamp }: TaskStatus): number {
  if (timestamp === undefined) return 0;
  if (read.timestamp !== timestamp) read = { timestamp, time: millisecondsOf(timestamp) };
  return read.time;
}

/** The last time that was read. Many statuses come within a millisecond, and share its text. */
let read = { timestamp: "", time: 0 };

function millisecondsOf(timestamp: string): number {
  const instant = parseTimestamp(timestamp);
  return instant === undefined ? 0 : instant.seconds * 1_000 + instant.nanos / 1_000_000;
}
