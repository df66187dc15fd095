import type { StreamResponse, Task } from "../kit/model.js";
import { isInterrupted, isTerminal } from "../kit/states.js";
import type { FollowedTask, TaskView } from "./view.js";

/** Returns whether an event states that a task has ended or paused. */
export function isPause({ statusUpdate }: StreamResponse): boolean {
  const state = statusUpdate?.status.state;
  return state !== undefined && (isTerminal(state) || isInterrupted(state));
}

/**
 * Returns the changes that lead to `task`, which was read after `event` reported that it has ended
 * or paused. Returns no changes if `task` is not in the reported state, because it is then
 * outdated.
 */
export function confirmed(view: TaskView, task: Task, event: StreamResponse): FollowedTask[] {
  if (task.status.state !== event.statusUpdate?.status.state) return [];
  // The event may contain more details about the status than the task does.
  return view
    .read(task)
    .map((change) => (change.event.statusUpdate === undefined ? change : { ...change, event }));
}
