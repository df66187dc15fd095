import type { StreamResponse, Task } from "../model.js";
import { isInterrupted, isTerminal } from "../states.js";
import type { FollowedTask, TaskView } from "./view.js";

/** Returns whether an event states that a task has ended or paused. */
export function isPause({ statusUpdate }: StreamResponse): boolean {
  const state = statusUpdate?.status.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}

/**
 * Returns the changes up to an event that states that a task has ended or paused, computed from the task itself. If the
 * task has a different state than the event, the task is an outdated copy, and the result is empty.
 */
export function confirmed(view: TaskView, task: Task, event: StreamResponse): FollowedTask[] {
  if (task.status.state !== event.statusUpdate?.status.state) return [];
  // The event may have more details about the status than the task.
  return view.read(task).map((change) => (change.event.statusUpdate === undefined ? change : { ...change, event }));
}
