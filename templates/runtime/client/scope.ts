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
export function openScope(parent: AbortSignal | undefined, timeoutMs: number = Infinity): CallScope {
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
  const leave = parent && followed(parent, follow);
  return {
    signal,
    race: (result) => raceWith(signal, result),
    end(early) {
      clearTimeout(timer);
      leave?.();
      if (early) stop("AbortError", "The caller left");
    },
  };
}

/** The calls that end with a signal, and the one listener that ends them. */
type Followers = Set<() => void> & { handleEvent(): void };

const followers = /* @__PURE__ */ new WeakMap<AbortSignal, Followers>();

/**
 * Calls `follow` when a signal fires, or at once where it has. One listener serves all calls of a signal: Node warns of
 * more than ten. Returns a function that takes it back.
 */
function followed(signal: AbortSignal, follow: () => void): () => void {
  const all = followers.get(signal) ?? listened(signal);
  all.add(follow);
  if (signal.aborted) follow();
  return () => {
    // Taken back once more, it must not remove the listener of later calls.
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

/** `Promise.race` would keep every event of a stream in memory until the signal fires. */
function raceWith<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = followed(signal, () => {
      reject(signal.reason as Error);
    });
    result.then(resolve, reject).finally(leave);
  });
}

/**
 * Returns the elements of a stream that lives within a scope. Both begin at the first element that is asked for.
 * Leaving the loop ends them at once, also where an element is still awaited; whoever awaits it then learns that there
 * is none.
 */
export function streamWithin<T>(
  begin: () => CallScope,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncIterableIterator<T> {
  let scope: CallScope | undefined;
  let left = false;
  async function* elements(): AsyncGenerator<T, void, undefined> {
    let iterator: AsyncIterator<T> | undefined;
    // What was given last; nothing while the next is awaited.
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
        // What has not responded may never do so: it is not awaited, and its error has no one left to go to.
        if (!last) iterator?.return?.().catch(() => undefined);
        else if (!last.done) await iterator?.return?.();
      }
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
