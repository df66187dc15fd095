import type { StreamResponse, Task } from "../model.js";
import { isInterrupted, isTerminal } from "../states.js";
import type { FollowedTask, TaskView } from "./view.js";

/** Returns whether an event says that a task has ended or waits. */
export function isPause({ statusUpdate }: StreamResponse): boolean {
  const state = statusUpdate?.status.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}

/**
 * Returns the changes up to an event that says that a task has ended or waits, by the task itself. A task in another
 * state is a copy that lags behind, and changes nothing.
 */
export function confirmed(view: TaskView, task: Task, event: StreamResponse): FollowedTask[] {
  if (task.status.state !== event.statusUpdate?.status.state) return [];
  // The event of the agent may say more about the status than the task does.
  return view.read(task).map((change) => (change.event.statusUpdate === undefined ? change : { ...change, event }));
}
