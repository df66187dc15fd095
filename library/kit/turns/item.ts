import type { TaskState } from "../model.js";
import { extended } from "../copy.js";
import type { Environment } from "../engine/environment.js";
import { isMessage, type MessageItem } from "./inbox.js";
import { isInterrupted } from "../states.js";
import { inHistory, type Stored, type Waking } from "../store.js";

/**
 * Returns whether a turn of a task is running, or was running when the process of the turn ended.
 */
export function isAtWork({ task, turn }: Pick<Stored, "task" | "turn">): boolean {
  if (turn.asleep === true) return false;
  return turn.keepsRunning === true || !isInterrupted(task.status.state);
}

/**
 * Returns the item of a turn to resume, with an increased number of resumptions; `undefined` if the
 * turn must not be resumed.
 */
export function resumedItem(
  { turn, task, generation }: Stored,
  environment: Environment,
): MessageItem | undefined {
  const { resumes, limits, report } = environment;
  if (!resumes || !isMessage(turn)) return undefined;
  const count = turn.resumed?.generation === generation ? turn.resumed.count : 0;
  if (count < limits.maxResumes)
    return extended(turn, { resumed: { generation, count: count + 1 } });
  report(
    new Error(
      `A turn of the task ${task.id} is not resumed again, because it stopped after ` +
        `${String(count)} resumptions`,
    ),
  );
  return undefined;
}

/**
 * Returns the item of a turn to store with a status. If the status interrupts the task, the item
 * records whether the turn keeps running. Returns the same item if nothing changes.
 */
export function itemWith(item: MessageItem, state: TaskState, keepsRunning: boolean): MessageItem {
  if (!isInterrupted(state) || keepsRunning === (item.keepsRunning === true)) return item;
  return extended(item, { keepsRunning });
}

/** Returns the item of a turn that begins without a message: it keeps the last turn's message. */
export function wokenItem(turn: MessageItem, woken: Waking): MessageItem {
  const { id, message, call, beganAt } = turn;
  const item = { id, message, ...(call !== undefined && { call }), woken };
  return {
    ...item,
    ...(beganAt !== undefined && { beganAt }),
    ...(turn[inHistory] === true && { [inHistory]: true as const }),
  };
}
