/** The lifetime of a call, until the call ends, is aborted, or times out. */
export interface CallScope {
  /** Aborted when the call must stop, with the reason for the caller. */
  readonly signal: AbortSignal;
  /**
   * Settles like `result`, but rejects as soon as the signal is aborted, even if `result` never
   * settles.
   */
  race<T>(result: Promise<T>): Promise<T>;
  /** Removes the listener and the timer. If `stop` is true, also aborts the signal. */
  end(stop?: boolean): void;
}

/** Maximum delay of a timer on all platforms. A longer time-out never expires. */
const maxDelay = 2 ** 31 - 1;

/** Opens a scope for the signal of the caller and the time-out of the call. Both are optional. */
export function openScope(
  parent: AbortSignal | undefined,
  timeoutMs: number = Infinity,
): CallScope {
  const controller = new AbortController();
  const { signal } = controller;
  const follow = (): void => {
    controller.abort(parent?.reason);
  };
  const stop = (name: string, message: string): void => {
    controller.abort(new DOMException(message, name));
  };
  const expire = (): void => {
    stop("TimeoutError", `The call took longer than ${String(timeoutMs)} ms`);
  };
  const timer = timeoutMs <= maxDelay ? setTimeout(expire, timeoutMs) : undefined;
  const leave = parent && onAbort(parent, follow);
  return {
    signal,
    race: (result) => raceWith(signal, result),
    end(early) {
      clearTimeout(timer);
      leave?.();
      if (early) stop("AbortError", "The caller has left");
    },
  };
}

/** Callbacks for the abort of a signal, and the listener that calls all of them. */
type Followers = Set<() => void> & { handleEvent(): void };

const followers = /* @__PURE__ */ new WeakMap<AbortSignal, Followers>();

/**
 * Calls `follow` when a signal is aborted, or immediately if the signal is already aborted. All
 * calls with the same signal share one listener, because Node prints a warning for more than ten
 * listeners. Returns a function that removes `follow`.
 */
function onAbort(signal: AbortSignal, follow: () => void): () => void {
  const all = followers.get(signal) ?? listened(signal);
  all.add(follow);
  if (signal.aborted) follow();
  return () => {
    // If the returned function is called twice, the second call must not remove the listener of
    // later calls.
    if (!all.delete(follow) || all.size > 0) return;
    signal.removeEventListener("abort", all);
    followers.delete(signal);
  };
}

function listened(signal: AbortSignal): Followers {
  const all: Followers = Object.assign(new Set<() => void>(), {
    handleEvent() {
      for (const follow of all) follow();
    },
  });
  signal.addEventListener("abort", all);
  followers.set(signal, all);
  return all;
}

/**
 * Works like `Promise.race`, but without keeping every event of a stream in memory until the signal
 * is aborted.
 */
function raceWith<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => {
      reject(signal.reason as Error);
    });
    result.then(resolve, reject).finally(unsubscribe);
  });
}

/**
 * Returns the elements of a stream with its own scope. The stream and the scope start when the
 * first element is requested. Leaving the loop ends both immediately, even while an element is
 * awaited. A pending `next` then resolves as the end of the stream.
 */
export function streamWithin<T>(
  begin: () => CallScope,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncIterableIterator<T> {
  let scope: CallScope | undefined;
  let hasLeft = false;
  async function* elements(): AsyncGenerator<T, void, undefined> {
    let iterator: AsyncIterator<T> | undefined;
    // The last result; `undefined` while the next result is awaited.
    let last: IteratorResult<T> | undefined;
    scope = begin();
    try {
      try {
        scope.signal.throwIfAborted();
        iterator = open(scope.signal)[Symbol.asyncIterator]();
        for (;;) {
          last = undefined;
          last = await scope.race(iterator.next());
          if (last.done) return;
          yield last.value;
        }
      } finally {
        scope.end(!last?.done);
        // While a `next` is pending, `return` of the source may never settle, so it is not awaited,
        // and its error is ignored.
        if (!last) iterator?.return?.().catch(() => undefined);
        else if (!last.done) await iterator?.return?.();
      }
    } catch (error) {
      // After the caller has left, the error is only that the scope was aborted.
      if (!hasLeft) throw error;
    }
  }
  const iterator = elements();
  return {
    next: () => iterator.next(),
    return() {
      hasLeft = true;
      scope?.end(true);
      return iterator.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
