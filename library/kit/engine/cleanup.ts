import type { Environment } from "./environment.js";
import type { Retention } from "../store.js";
import { withoutHold } from "../timer.js";

/** Rules for how long ended tasks are kept, and the interval at which expired tasks are deleted. */
export interface RetentionOptions extends Retention {
  /** Interval of the cleanup in milliseconds; a minute by default. */
  readonly everyMs?: number;
}

/** Default interval of the cleanup. */
export const defaultEveryMs = 60_000;

/** Pause in milliseconds between two batches, during which other calls can use the store. */
const pauseMs = 10;

/** Deletes expired tasks from the store in small batches. */
export class Cleanup {
  readonly #environment: Pick<Environment, "store" | "report">;
  readonly #retention: RetentionOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isRunning = false;
  #isClosed = false;

  constructor(environment: Pick<Environment, "store" | "report">, retention: RetentionOptions) {
    this.#environment = environment;
    this.#retention = retention;
  }

  /**
   * Starts the cleanup, unless it is running or closed. If an alarm starts this process when tasks
   * have expired, only deletes the tasks that have expired until now.
   */
  start(): void {
    if (this.#isClosed) return;
    if (this.#environment.store.resetAlarm !== undefined) {
      void this.cleanUp();
      return;
    }
    const { everyMs = defaultEveryMs } = this.#retention;
    this.#timer ??= withoutHold(setInterval(() => void this.cleanUp(), everyMs));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** Deletes expired tasks, unless a cleanup is running. Reports errors, and never rejects. */
  async cleanUp(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { store, report } = this.#environment;
    try {
      while (!this.#isClosed && (await store.deleteExpired(this.#retention)) > 0)
        await new Promise((resolve) => withoutHold(setTimeout(resolve, pauseMs)));
    } catch (error) {
      report(error);
    } finally {
      this.#isRunning = false;
    }
  }
}
