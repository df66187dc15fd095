/** Callbacks of {@link ServiceEvents}. */
export interface ServiceEventsHooks {
  /** Calls the service and returns its events. */
  readonly open: () => Promise<AsyncIterator<unknown, unknown>>;
  /** Returns the event in the form that may be sent. Throws if the event is invalid. */
  readonly check: (event: unknown) => unknown;
  /** Called with an error if no caller waits for it. */
  readonly report: (error: unknown) => void;
}

type Result = IteratorResult<unknown, undefined>;

const end: Result = { done: true, value: undefined };

/**
 * The checked events of a service, for interceptors. The service is called when the first event is
 * requested. This class is not a generator, because `return` of a generator waits for a pending
 * `next`. Without a further event, the service would never be notified that the caller has
 * disconnected.
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
      // Open the events only once, because a second `next` may be called before the service has
      // returned its events.
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
      // Throw the error immediately, so that a service that ends slowly does not delay it.
      void this.return();
      throw thrown;
    }
  }

  #finish(): void {
    this.#done = true;
    this.#signal.removeEventListener("abort", this.#stop);
  }
}
