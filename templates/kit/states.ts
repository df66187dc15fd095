import { TaskState } from "../models.js";

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
