import { withoutHold } from "../../timer.js";
import type { Database } from "./database.js";

/** What can change in a task for those who watch it. */
interface Seen {
  readonly id: string;
  /** Where its log ends. */
  readonly end: string;
  /** How many items were posted to whoever worked on it. */
  readonly posts: number;
}

export interface PollHandlers {
  /** The tasks that somebody wants to know of. */
  readonly ids: () => readonly string[];
  readonly onEntries: (id: string) => void;
  readonly onPost: (id: string, count: number) => void;
  readonly onDue: () => void;
}

/** Looks at the tasks that somebody wants to know of, for what no notification has told. */
export class Poll {
  readonly #database: Database;
  readonly #intervalMs: number;
  readonly #handlers: PollHandlers;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLooking = false;
  #ends = new Map<string, string>();

  constructor(database: Database, intervalMs: number, handlers: PollHandlers) {
    this.#database = database;
    this.#intervalMs = intervalMs;
    this.#handlers = handlers;
  }

  /** Begins to look, or stops. */
  want(isWanted: boolean): void {
    if (isWanted === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = isWanted ? withoutHold(setInterval(() => void this.look(), this.#intervalMs)) : undefined;
  }

  /** Looks now. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#compare();
    } catch {
      // A database that does not answer tells so to whoever calls the store.
    } finally {
      this.#isLooking = false;
    }
  }

  async #compare(): Promise<void> {
    const { ids, onEntries, onPost, onDue } = this.#handlers;
    const { schema } = this.#database;
    const result = await this.#database.query(
      `SELECT json_build_object(
         'tasks', (SELECT json_agg(json_build_object('id', id, 'end', generation || ' ' || nth, 'posts', posts))
           FROM ${schema}.tasks WHERE id = ANY ($1)),
         'isDue', EXISTS (SELECT FROM ${schema}.webhooks WHERE due_at <= ${schema}.clock())
       )::text AS result`,
      ids(),
    );
    // The query says what it returns.
    const { tasks, isDue } = result as { readonly tasks: readonly Seen[] | null; readonly isDue: boolean };
    const before = this.#ends;
    this.#ends = new Map((tasks ?? []).map(({ id, end }) => [id, end]));
    for (const { id, end, posts } of tasks ?? []) {
      if (before.get(id) !== end) onEntries(id);
      if (posts > 0) onPost(id, posts);
    }
    if (isDue) onDue();
  }
}
