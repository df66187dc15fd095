import { TaskState, type Task } from "../../models.js";

/** Returns whether a task has ended. */
export function isEnded({ status: { state } }: Task): boolean {
  return (
    state === TaskState.Completed ||
    state === TaskState.Failed ||
    state === TaskState.Canceled ||
    state === TaskState.Rejected
  );
}

/** Returns whether a task waits for its caller. */
export function isInterrupted({ status: { state } }: Task): boolean {
  return state === TaskState.InputRequired || state === TaskState.AuthRequired;
}
