import { type Message, Role } from "../model.js";
import type { Accepted } from "../engine/beginning.js";
import { isAtRest } from "../states.js";
import { type Scope, type Stored, TaskExistsError, type TaskStore } from "../store.js";
import type { Reply } from "../turns/turn.js";

/** Has messages count once: one that comes again gets what came of it. */
export class Repeats {
  readonly #store: TaskStore;
  readonly #underWay = new Map<string, Promise<Reply | Accepted>>();

  constructor(store: TaskStore) {
    this.#store = store;
  }

  /**
   * Takes a message unless its task has it already. `take` is called with the id of the task that it begins, if it
   * begins one: always the same for the same message of a scope.
   */
  async accept(
    scope: Scope,
    { taskId, messageId }: Message,
    take: (newTaskId: string | undefined) => Promise<Reply | Accepted>,
  ): Promise<Reply | Accepted> {
    const newId = taskId === undefined || taskId === "" ? await idFor(scope, messageId) : undefined;
    const id = newId ?? taskId ?? "";
    const key = JSON.stringify([scope, id, messageId]);
    for (let other = this.#underWay.get(key); other !== undefined; other = this.#underWay.get(key))
      await other.catch(() => undefined);
    const taking = this.#find(scope, id, messageId).then((found) => found ?? take(newId));
    this.#underWay.set(key, taking);
    try {
      return await taking;
    } catch (error) {
      // It has come to another process at the same time.
      const found = error instanceof TaskExistsError ? await this.#find(scope, id, messageId) : undefined;
      if (found !== undefined) return found;
      throw error;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** Returns what has come of a message; `undefined` where its task has it not. */
  async #find(scope: Scope, id: string, messageId: string): Promise<Accepted | undefined> {
    const stored = await this.#store.read(scope, id);
    if (stored === undefined || !has(stored, messageId)) return undefined;
    const { task, generation, inbox } = stored;
    const item = inbox.find(({ message }) => message?.messageId === messageId)?.id;
    // Nothing more comes of it where the task has taken it, and rests.
    const isOver = item === undefined && isAtRest(task.status.state);
    return { scope, first: stored, entries: [], watch: isOver ? undefined : this.#store.watch(id, generation), item };
  }
}

/** Returns an id that a message has in its scope, and no other message anywhere. */
async function idFor({ tenant, owner }: Scope, messageId: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([tenant, owner, messageId]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function has({ task: { history = [] } }: Stored, messageId: string): boolean {
  return history.some((message) => message.messageId === messageId && message.role === Role.User);
}
