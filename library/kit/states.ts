import { parseTimestamp } from "../runtime/base/time.js";
import { TaskState, type TaskStatus } from "./model.js";

/** Returns whether a task in this state has ended. */
export function isTerminal(state: string): boolean {
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

/** States of tasks that have not ended. */
export const openStates: readonly TaskState[] = Object.values(TaskState).filter(
  (state) => !isTerminal(state),
);

/** Returns whether a task in this state waits for its caller. */
export function isInterrupted(state: string): boolean {
  return state === TaskState.InputRequired || state === TaskState.AuthRequired;
}

/** Returns whether a task in this state has ended or waits for its caller. */
export function isAtRest(state: string): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/**
 * Returns the time of a status in milliseconds since 1970, or 0 if its timestamp is absent or
 * invalid.
 */
export function timeOf({ timestamp }: TaskStatus): number {
  if (timestamp === undefined) return 0;
  if (read.timestamp !== timestamp) read = { timestamp, time: millisecondsOf(timestamp) };
  return read.time;
}

/**
 * The timestamp that was parsed last. It is cached because many statuses have the same timestamp.
 */
let read = { timestamp: "", time: 0 };

function millisecondsOf(timestamp: string): number {
  const instant = parseTimestamp(timestamp);
  return instant === undefined ? 0 : instant.seconds * 1_000 + instant.nanos / 1_000_000;
}
