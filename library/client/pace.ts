import { sleep } from "../runtime/base/pace.js";

/** Options for retries and polling. */
export interface PaceOptions {
  /**
   * Maximum number of consecutive failed attempts before the error is thrown. Default: 10;
   * `remoteAgent` repeats a message without a response 3 times.
   */
  readonly retries?: number | undefined;
  /**
   * Returns the milliseconds until the next attempt, given the number of previous attempts without
   * a change. Default: exponential back-off from half a second to half a minute, multiplied by a
   * random factor between 0.5 and 1.
   */
  readonly delayMs?: ((attempt: number) => number) | undefined;
}

/** Schedules attempts with back-off: the delay grows while the task does not change. */
export class Pace {
  readonly #options: PaceOptions;
  /**
   * Start of the delay before the next attempt; `undefined` if the attempt may begin immediately.
   */
  #delayFrom: number | undefined;
  /** Minimum delay that the agent has requested before the next attempt, in milliseconds. */
  #requestedMs = 0;
  #failures = 0;
  #attemptsWithoutChange = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /**
   * Waits until the next attempt may begin. The duration of the last attempt counts towards the
   * delay, unless the attempt failed or its stream ended.
   */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#delayFrom !== undefined) {
      const { delayMs = backoff } = this.#options;
      const delay = Math.max(delayMs(this.#attemptsWithoutChange), this.#requestedMs);
      await sleep(delay - (performance.now() - this.#delayFrom), signal);
      this.#requestedMs = 0;
      this.#attemptsWithoutChange += 1;
    }
    this.#delayFrom = performance.now();
  }

  /** Allows the next attempt to begin immediately. */
  skip(): void {
    this.#delayFrom = undefined;
  }

  /** Records a response. If the response contains a change, the back-off starts again. */
  heard(hasNews: boolean): void {
    this.#failures = 0;
    if (hasNews) this.#attemptsWithoutChange = 0;
  }

  /** Whether the last attempt failed. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Records that a stream has ended, so that the next delay begins now. */
  cutOff(): void {
    this.#delayFrom = performance.now();
  }

  /**
   * Records a failed attempt, and the delay in seconds that the agent requested. Returns whether to
   * retry.
   */
  failed(retryAfterSeconds = 0): boolean {
    const { retries = 10 } = this.#options;
    this.#requestedMs = Math.min(retryAfterSeconds * 1_000, maxRequestedMs);
    this.cutOff();
    this.#failures += 1;
    return this.#failures <= retries;
  }
}

function backoff(attempt: number): number {
  return Math.min(500 * 2 ** attempt, 30_000) * (0.5 + Math.random() / 2);
}

/** Longest delay that an agent can request, in milliseconds. */
const maxRequestedMs = 120_000;
