import { parseTimestamp } from "../runtime/base/time.js";
import { TaskState, type TaskStatus } from "../models.js";

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

/** Whether a task in this state waits for its caller. */
export function isInterrupted(state: TaskState): boolean {
  return state === TaskState.InputRequired || state === TaskState.AuthRequired;
}

/** Returns when a status was reached, in milliseconds since 1970; 0 where it does not say so. */
export function timeOf({ timestamp }: TaskStatus): number {
  const instant = timestamp === undefined ? undefined : parseTimestamp(timestamp);
  return instant === undefined ? 0 : instant.seconds * 1_000 + instant.nanos / 1_000_000;
}
