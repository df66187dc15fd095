import { type Message, Role } from "../model.js";
import type { Accepted } from "../engine/task-creation.js";
import { isAtRest } from "../states.js";
import { type Scope, type Stored, TaskExistsError, type TaskStore } from "../store.js";
import type { Reply } from "../turns/turn.js";

/** Deduplicates messages: a repeated message gets the result of the first message. */
export class Repeats {
  readonly #store: TaskStore;
  readonly #underWay = new Map<string, Promise<Reply | Accepted>>();

  constructor(store: TaskStore) {
    this.#store = store;
  }

  /**
   * Accepts a message with `take`, or returns the result of the message if its task already
   * contains it. `take` receives the id for a new task, which is always the same for the same
   * message in a scope.
   */
  async accept(
    scope: Scope,
    { taskId, messageId }: Message,
    take: (newTaskId: string | undefined) => Promise<Reply | Accepted>,
  ): Promise<Reply | Accepted> {
    const newId = taskId === undefined || taskId === "" ? await idFor(scope, messageId) : undefined;
    const id = newId ?? taskId ?? "";
    const key = JSON.stringify([scope, id, messageId]);
    // Wait until no call with the same message is in progress, because such a call may create the
    // task that is looked up next.
    for (let other = this.#underWay.get(key); other !== undefined; other = this.#underWay.get(key))
      await other.catch(() => undefined);
    const taking = this.#find(scope, id, messageId).then((found) => found ?? take(newId));
    this.#underWay.set(key, taking);
    try {
      return await taking;
    } catch (error) {
      // Another process has received the message at the same time.
      const found =
        error instanceof TaskExistsError ? await this.#find(scope, id, messageId) : undefined;
      if (found !== undefined) return found;
      throw error;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** Returns the result of a message; `undefined` if its task does not contain the message. */
  async #find(scope: Scope, id: string, messageId: string): Promise<Accepted | undefined> {
    const stored = await this.#store.read(scope, id);
    if (stored === undefined || !containsMessage(stored, messageId)) return undefined;
    const { task, generation, inbox } = stored;
    const item = inbox.find(({ message }) => message?.messageId === messageId)?.id;
    // If a turn has taken the message and the task has ended or paused, no further events follow.
    const isOver = item === undefined && isAtRest(task.status.state);
    return {
      scope,
      first: stored,
      entries: [],
      watch: isOver ? undefined : this.#store.watch(scope, id, generation),
      item,
    };
  }
}

/**
 * Returns the task id for a message: always the same for a repeated message in the scope, and
 * different for any other message.
 */
async function idFor({ tenant, owner }: Scope, messageId: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([tenant, owner, messageId]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function containsMessage({ task: { history = [] } }: Stored, messageId: string): boolean {
  return history.some((message) => message.messageId === messageId && message.role === Role.User);
}
