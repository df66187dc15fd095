/** How fast a follower asks again, and how often. */
export interface PaceOptions {
  /** Attempts in a row that may fail before the error is thrown. Default: 10. */
  readonly retries?: number | undefined;
  /**
   * Returns the milliseconds between one attempt and the next, where so many before it have brought nothing new.
   * Default: half a second at first, twice as long each time, up to half a minute; of that at random a half to all.
   */
  readonly delayMs?: ((attempt: number) => number) | undefined;
}

/** Keeps attempts apart: the longer the less there is to hear. */
export class Pace {
  readonly #options: PaceOptions;
  /** When the wait for the next attempt began; `undefined` where there is none. */
  #begun: number | undefined;
  #failures = 0;
  #quiet = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Waits until the next attempt may begin. The time that the last one took counts, unless it failed or was cut off. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#begun !== undefined) {
      const { delayMs = backoff } = this.#options;
      await sleep(delayMs(this.#quiet) - (performance.now() - this.#begun), signal);
      this.#quiet += 1;
    }
    this.#begun = performance.now();
  }

  /** Lets the next attempt begin at once. */
  skip(): void {
    this.#begun = undefined;
  }

  /** Notes a response; with news, another one may follow soon. */
  heard(hasNews: boolean): void {
    this.#failures = 0;
    if (hasNews) this.#quiet = 0;
  }

  /** Whether the last attempt failed. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Notes that a stream was cut off. */
  cutOff(): void {
    this.#begun = performance.now();
  }

  /** Notes that an attempt failed. Returns whether there may be another one. */
  failed(): boolean {
    const { retries = 10 } = this.#options;
    this.cutOff();
    this.#failures += 1;
    return this.#failures <= retries;
  }
}

function backoff(attempt: number): number {
  return Math.min(500 * 2 ** attempt, 30_000) * (0.5 + Math.random() / 2);
}

/** Waits; rejects with the reason of the signal when that fires. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
