import type { TaskState } from "../model.js";
import { extended } from "../copy.js";
import type { Environment } from "../engine/environment.js";
import { isMessage, type MessageItem } from "../engine/inbox.js";
import { isInterrupted } from "../states.js";
import type { Stored } from "../store.js";

/** Whether a turn of a task is at work, or was when its process ended. */
export function isAtWork({ task, turn }: Pick<Stored, "task" | "turn">): boolean {
  return turn.goesOn === true || !isInterrupted(task.status.state);
}

/** Returns what has begun a turn that has to be resumed, with how often it was; `undefined` where it may not be. */
export function resumedItem({ turn, task, generation }: Stored, environment: Environment): MessageItem | undefined {
  const { resumes, limits, report } = environment;
  if (!resumes || !isMessage(turn)) return undefined;
  const count = turn.resumed?.generation === generation ? turn.resumed.count : 0;
  if (count < limits.maxResumes) return extended(turn, { resumed: { generation, count: count + 1 } });
  report(new Error(`A turn of the task ${task.id} was resumed ${String(count)} times in vain`));
  return undefined;
}

/** Returns what has begun a turn as it has to be kept with a status; the same where nothing has to be noted. */
export function itemWith(item: MessageItem, state: TaskState, goesOn: boolean): MessageItem {
  if (!isInterrupted(state) || goesOn === (item.goesOn === true)) return item;
  return extended(item, { goesOn });
}
