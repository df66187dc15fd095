import { TaskNotFoundError } from "../../errors.js";
import type { Expected, InboxItem, Posted, Scope, Stored } from "../store.js";
import type { Environment } from "./environment.js";

/** An item to post to a task, with the size of its message. */
export interface Post {
  readonly scope: Scope;
  readonly id: string;
  readonly item: InboxItem;
  readonly expected?: Expected;
  readonly bytes?: number;
}

/**
 * Reads tasks, and posts items to them. If an owner has large tasks, its calls first wait in a
 * queue.
 */
export class PacedStore {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns a task. Throws a `TaskNotFoundError` if the scope has no task with this id. */
  async read(scope: Scope, id: string): Promise<Stored> {
    const { accounts, store } = this.#environment;
    const { pace } = accounts.of(scope);
    const entering = pace.enter();
    const endTurn = entering && (await entering);
    const since = performance.now();
    let stored: Stored | undefined;
    try {
      stored = await store.read(scope, id);
    } finally {
      pace.leave(stored?.bytes ?? 0, since, endTurn);
    }
    return stored ?? notFound(id);
  }

  /**
   * Posts an item to a task. Also returns the time at which the post began. Throws a
   * `TaskNotFoundError` if the scope has no task with this id.
   */
  async post({
    scope,
    id,
    item,
    expected,
    bytes = 0,
  }: Post): Promise<{ readonly posted: Posted; readonly since: number }> {
    const { accounts, claim, store } = this.#environment;
    const { pace } = accounts.of(scope);
    const entering = pace.enter(bytes);
    const endTurn = entering && (await entering);
    const since = performance.now();
    let posted: Posted | undefined;
    try {
      posted = await store.post(scope, id, item, claim, expected);
    } finally {
      // The message counts twice, because it is written, and then read by the process that works on
      // the task.
      const read = posted !== undefined && "stored" in posted ? posted.stored.bytes : 0;
      pace.leave(2 * bytes + read, since, endTurn);
    }
    return posted === undefined ? notFound(id) : { posted, since };
  }
}

/** Throws the error for a task that a scope does not contain. */
export function notFound(taskId: string): never {
  throw new TaskNotFoundError(undefined, { metadata: { taskId } });
}
