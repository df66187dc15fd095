import { notify } from "../../runtime/base/async.js";
import type { TaskState } from "../model.js";

/**
 * The end of a task. Reported after the end is stored, by the process whose turn ended the task.
 */
export interface TaskEnd {
  /** Id of the task. */
  readonly taskId: string;
  /** Id of its context. */
  readonly contextId: string;
  /** Tenant of the task. */
  readonly tenant: string;
  /** Owner of the task. */
  readonly owner: string;
  /** The state in which the task ended: completed, failed, canceled or rejected. */
  readonly state: TaskState;
  /**
   * Milliseconds since the task was created, including the time in which it waited for its caller.
   * Absent if another version of this library created the task.
   */
  readonly durationMs: number | undefined;
  /** The error that the turn threw, if the task has failed because of it. */
  readonly error: unknown;
}

/**
 * Returns a function that passes events to `onTaskEnd` and never throws; `undefined` if `onTaskEnd`
 * is absent.
 */
export function taskEndsOf(
  onTaskEnd: ((event: TaskEnd) => unknown) | undefined,
  report: (error: unknown, subject: { readonly taskId: string }) => void,
): ((event: TaskEnd) => void) | undefined {
  if (onTaskEnd === undefined) return undefined;
  return (event) => {
    notify(
      () => onTaskEnd(event),
      (error) => {
        report(error, { taskId: event.taskId });
      },
    );
  };
}
