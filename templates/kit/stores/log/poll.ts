import { withoutHold } from "../../timer.js";
import type { Position } from "./rows.js";

/** What can change for those who look at a store. */
export interface Sight {
  readonly tasks: readonly {
    readonly id: string;
    /** Where its log ends: a generation, and how many messages were taken since. */
    readonly end: string;
    /** How many items were posted to whoever worked on it. */
    readonly posts: number;
  }[];
  /** Whether a webhook is due. */
  readonly isDue: boolean;
}

export interface PollHandlers {
  /** The tasks that somebody wants to know of. */
  readonly ids: () => readonly string[];
  readonly onEntries: (id: string, end: Position) => void;
  readonly onPost: (id: string, count: number) => void;
  readonly onDue: () => void;
  /** Is called with a task that was deleted. */
  readonly onGone: (id: string) => void;
}

/** Looks at the tasks that somebody wants to know of, for what no notification has told. */
export class Poll {
  readonly #see: (ids: readonly string[]) => Promise<Sight>;
  readonly #intervalMs: number;
  readonly #handlers: PollHandlers;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLooking = false;
  #ends = new Map<string, string>();

  constructor(see: (ids: readonly string[]) => Promise<Sight>, intervalMs: number, handlers: PollHandlers) {
    this.#see = see;
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
    const { ids, onEntries, onPost, onDue, onGone } = this.#handlers;
    const wanted = ids();
    const { tasks, isDue } = await this.#see(wanted);
    const before = this.#ends;
    this.#ends = new Map(tasks.map(({ id, end }) => [id, end]));
    for (const { id, end, posts } of tasks) {
      const [generation = 0, nth = 0] = end.split(/[ -]/).map(Number);
      if (before.get(id) !== end) onEntries(id, { generation, nth });
      if (posts > 0) onPost(id, posts);
    }
    if (isDue) onDue();
    // A task may be watched before it is stored, so one that was never seen is not gone.
    for (const id of wanted) if (before.has(id) && !this.#ends.has(id)) onGone(id);
  }
}
