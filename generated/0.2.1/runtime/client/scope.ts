// Part of a2a-codegen 0.1.0. Do not edit.

/** The lifetime of one call: until it is over, its caller gives up, or its time is up. */
export interface CallScope {
  /** Fires when the call has to stop, with the reason that its caller is to see. */
  readonly signal: AbortSignal;
  /** Settles as `result` does, or rejects as soon as the signal fires, whether or not `result` ever settles. */
  race<T>(result: Promise<T>): Promise<T>;
  /** Lets go of caller and timer. With `stop`, what still runs has to stop. */
  end(stop?: boolean): void;
}

/** The longest time that timers of the platforms can wait; anything longer waits forever. */
const maxDelay = 2 ** 31 - 1;

/** Opens a scope with the signal of the caller and the milliseconds that the call may take; both may be missing. */
export function openScope(parent: AbortSignal | undefined, timeoutMs = Infinity): CallScope {
  const controller = new AbortController();
  const { signal } = controller;
  const follow = (): void => controller.abort(parent?.reason);
  const stop = (name: string, message: string): void => controller.abort(new DOMException(message, name));
  const expire = (): void => stop("TimeoutError", `The call took longer than ${timeoutMs} ms`);
  const timer = timeoutMs <= maxDelay ? setTimeout(expire, timeoutMs) : undefined;
  parent?.addEventListener("abort", follow);
  if (parent?.aborted) follow();
  return {
    signal,
    race: (result) => raceWith(signal, result),
    end(early) {
      clearTimeout(timer);
      parent?.removeEventListener("abort", follow);
      if (early) stop("AbortError", "The call was left before its end");
    },
  };
}

/** `Promise.race` would keep every event of a stream in memory until the signal fires. */
function raceWith<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/**
 * Gives the elements of a stream that lives within a scope. Both begin at the first element that is asked for. Leaving
 * the loop ends them at once, also where an element is still awaited; whoever awaits it then learns that there is none.
 */
export function streamWithin<T>(
  begin: () => CallScope,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncIterableIterator<T> {
  let scope: CallScope | undefined;
  let left = false;
  async function* elements(): AsyncGenerator<T, void, undefined> {
    scope = begin();
    try {
      yield* iterate(scope, open);
    } catch (error) {
      if (!left) throw error;
    }
  }
  const iterator = elements();
  return {
    next: () => iterator.next(),
    return() {
      left = true;
      scope?.end(true);
      return iterator.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* iterate<T>(
  scope: CallScope,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  let state: "waiting" | "idle" | "done" = "waiting";
  let iterator: AsyncIterator<T> | undefined;
  try {
    scope.signal.throwIfAborted();
    iterator = open(scope.signal)[Symbol.asyncIterator]();
    for (;;) {
      state = "waiting";
      const next = await scope.race(iterator.next());
      state = next.done ? "done" : "idle";
      if (next.done) return;
      yield next.value;
    }
  } finally {
    scope.end(state !== "done");
    if (state === "idle") await iterator?.return?.();
    // Not awaited: what has not answered the last time may never answer. Its error has no one left to go to.
    if (state === "waiting") iterator?.return?.().catch(() => undefined);
  }
}
