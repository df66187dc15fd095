import { withoutHold } from "../../kit/timer.js";
import type { NotificationHandlers } from "./notifications.js";

/** Number of polls after which a request for notifications ends. Polls renew it before. */
export const watchedPolls = 4;

/** Interval in milliseconds for polls that replace notifications. */
export const quickPollMs = 200;

/** The state of tasks and webhooks that polls compare. */
export interface StoreState {
  readonly tasks: readonly {
    readonly id: string;
    /** End of the log: a generation, and the number of messages that were taken after it. */
    readonly end: string;
    /** A number that increases with each item that is posted to the task. */
    readonly posts: number;
  }[];
  /** Whether a webhook is due. */
  readonly isDue: boolean;
}

export interface PollHandlers extends Omit<NotificationHandlers, "onAnything" | "onHearing"> {
  /** Returns the ids of the tasks to poll. */
  readonly ids: () => readonly string[];
  /** Returns the ids of those tasks of whose changes other processes must notify this process. */
  readonly watched: () => readonly string[];
  /** Called with the polled ids, and with the ids of the tasks that exist. */
  readonly onPolled: (ids: readonly string[], found: ReadonlySet<string>) => void;
}

/** Source of a {@link Poll}. */
export interface PollSource {
  readonly readState: (ids: readonly string[], watched: readonly string[]) => Promise<StoreState>;
  /**
   * Returns a number that changes with each write by another process. While the number is the same,
   * polls are skipped.
   */
  readonly version?: (() => number | undefined) | undefined;
  /** Interval of the polls; `Infinity` if no other process writes. */
  readonly intervalMs: number;
}

/** Polls tasks and webhooks to find changes for which no notification has arrived. */
export class Poll {
  readonly #source: PollSource;
  readonly #handlers: PollHandlers;
  #timer: ReturnType<typeof setInterval> | undefined;
  #intervalMs: number;
  #isPolling = false;
  #version: number | undefined;
  /** Ends of the logs at the last poll, by task. */
  #ends = new Map<string, string>();

  constructor(source: PollSource, handlers: PollHandlers) {
    this.#source = source;
    this.#intervalMs = source.intervalMs;
    this.#handlers = handlers;
  }

  /** Starts or stops polling. */
  want(isWanted: boolean): void {
    if (isWanted === (this.#timer !== undefined) || this.#intervalMs === Infinity) return;
    clearInterval(this.#timer);
    this.#timer = isWanted
      ? withoutHold(setInterval(() => void this.#tick(), this.#intervalMs))
      : undefined;
  }

  /** Polls at another interval from now on. */
  pace(intervalMs: number): void {
    if (intervalMs === this.#intervalMs) return;
    this.#intervalMs = intervalMs;
    if (this.#timer === undefined) return;
    this.want(false);
    this.want(true);
  }

  async #tick(): Promise<void> {
    const { version } = this.#source;
    const current = version?.();
    if (version !== undefined && (current === undefined || current === this.#version)) return;
    // Read this number before the poll, and only store it if the poll succeeds. Otherwise, a change
    // could be missed.
    if (await this.pollNow()) this.#version = current;
  }

  /**
   * Asks for notifications of changes of some tasks, and reports the changes until then. If this
   * fails, the next poll repeats it.
   */
  async ask(ids: readonly string[]): Promise<void> {
    try {
      const { tasks } = await this.#source.readState(ids, ids);
      for (const task of tasks) this.#report(task);
    } catch {
      // Ignore the error, like a poll.
    }
  }

  /**
   * Polls immediately, unless a poll is already running. Returns whether the poll has succeeded.
   */
  async pollNow(): Promise<boolean> {
    if (this.#isPolling) return false;
    this.#isPolling = true;
    try {
      await this.#compare();
      return true;
    } catch {
      // Ignore the error of an unavailable database, because calls to the store report it to their
      // callers.
      return false;
    } finally {
      this.#isPolling = false;
    }
  }

  async #compare(): Promise<void> {
    const { onDue, onPolled } = this.#handlers;
    const ids = this.#handlers.ids();
    const { tasks, isDue } = await this.#source.readState(ids, this.#handlers.watched());
    const before = this.#ends;
    this.#ends = new Map(tasks.map(({ id, end }) => [id, end]));
    for (const task of tasks) this.#report(task, before.get(task.id));
    if (isDue) onDue();
    onPolled(ids, new Set(this.#ends.keys()));
  }

  /** Reports the changes of a task since the end of its log at the last poll. */
  #report({ id, end, posts }: StoreState["tasks"][number], before?: string): void {
    const { onEntries, onPost } = this.#handlers;
    // Stores separate the numbers by a space or a hyphen.
    const [generation = 0, nth = 0] = end.split(/[ -]/).map(Number);
    if (before !== end) onEntries(id, { generation, nth });
    if (posts > 0) onPost(id, posts);
  }
}
