/** What {@link ServiceEvents} needs from its owner. */
export interface ServiceEventsHooks {
  /** Asks the service for its events. */
  readonly open: () => Promise<AsyncIterator<unknown, unknown>>;
  /** Returns the event as it may be sent; throws where it may not. */
  readonly check: (event: unknown) => unknown;
  /** Reports an error that nobody waits for. */
  readonly report: (error: unknown) => void;
}

type Result = IteratorResult<unknown, undefined>;

const end: Result = { done: true, value: undefined };

/**
 * The checked events of a service, as interceptors get them. The service is asked when the first one is. Written by
 * hand because the `return` of a generator waits behind a pending `next`: an event that never comes would keep the
 * service from hearing that nobody waits for it.
 */
export class ServiceEvents implements AsyncIterableIterator<unknown> {
  readonly #hooks: ServiceEventsHooks;
  readonly #signal: AbortSignal;
  #source: Promise<AsyncIterator<unknown, unknown>> | undefined;
  #done = false;
  #leave: ((result: Result) => void) | undefined;

  constructor(signal: AbortSignal, hooks: ServiceEventsHooks) {
    this.#signal = signal;
    this.#hooks = hooks;
    signal.addEventListener("abort", this.#stop, { once: true });
  }

  next(): Promise<Result> {
    if (this.#done) return Promise.resolve(end);
    return new Promise((resolve, reject) => {
      this.#leave = resolve;
      this.#pull().then(resolve, reject);
    });
  }

  async return(): Promise<Result> {
    if (this.#done) return end;
    this.#finish();
    try {
      await (await this.#source)?.return?.();
    } catch (thrown) {
      this.#hooks.report(thrown);
    }
    return end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #stop = (): void => {
    this.#leave?.(end);
    void this.return();
  };

  async #pull(): Promise<Result> {
    let result: IteratorResult<unknown, unknown>;
    try {
      this.#source ??= this.#hooks.open();
      result = await (await this.#source).next();
    } catch (thrown) {
      this.#finish();
      throw thrown;
    }
    if (result.done === true || this.#done) {
      this.#finish();
      return end;
    }
    try {
      return { done: false, value: this.#hooks.check(result.value) };
    } catch (thrown) {
      void this.return();
      throw thrown;
    }
  }

  #finish(): void {
    this.#done = true;
    this.#signal.removeEventListener("abort", this.#stop);
  }
}
