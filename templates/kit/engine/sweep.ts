import type { Environment } from "./environment.js";
import type { Retention } from "../store.js";
import { withoutHold } from "../timer.js";

/** How long tasks are kept that have ended, and how often to look for older ones. */
export interface RetentionOptions extends Retention {
  /** In milliseconds; a minute by default. */
  readonly everyMs?: number;
}

/** How often to look where nobody says. */
export const defaultEveryMs = 60_000;

/** How long others have their turn between two steps. */
const pauseMs = 10;

/** Has the store forget old tasks, in small steps. */
export class Sweep {
  readonly #environment: Pick<Environment, "store" | "report">;
  readonly #retention: RetentionOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isAtIt = false;
  #isClosed = false;

  constructor(environment: Pick<Environment, "store" | "report">, retention: RetentionOptions) {
    this.#environment = environment;
    this.#retention = retention;
  }

  /** Begins, where that has not happened. */
  start(): void {
    if (this.#isClosed) return;
    const { everyMs = defaultEveryMs } = this.#retention;
    this.#timer ??= withoutHold(setInterval(() => void this.#sweep(), everyMs));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    if (this.#isAtIt) return;
    this.#isAtIt = true;
    const { store, report } = this.#environment;
    try {
      while (!this.#isClosed && (await store.forget(this.#retention)) > 0)
        await new Promise((resolve) => withoutHold(setTimeout(resolve, pauseMs)));
    } catch (error) {
      report(error);
    } finally {
      this.#isAtIt = false;
    }
  }
}
