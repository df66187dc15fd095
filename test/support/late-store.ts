import type { Claim, Entry, Reset, TaskStore, Watch } from "../../library/kit/store.js";
import { Random } from "./random/random.js";

/**
 * Returns a store that does what another one does, but later, and responds later still: each call
 * waits for some microtasks or turns of the event loop, so that calls overtake each other. Faults
 * of ordering show that a store hides which does everything at once. A seed decides how long, or a
 * function, what is waited for.
 */
export function lateStore(store: TaskStore, lateness: number | (() => Promise<void>)): TaskStore {
  const pause = typeof lateness === "number" ? pauses(new Random(lateness)) : lateness;
  const late = async <T>(call: () => Promise<T>) => {
    await pause();
    try {
      return await call();
    } finally {
      await pause();
    }
  };
  const lateClaim = (claim: Claim): Claim => {
    const { onPost } = claim;
    return onPost === undefined
      ? claim
      : { ...claim, onPost: (...given) => void pause().then(() => callSafely(onPost, ...given)) };
  };
  return {
    create: (task, options) =>
      late(() =>
        store.create(
          task,
          options.claim === undefined ? options : { ...options, claim: lateClaim(options.claim) },
        ),
      ),
    read: (...given) => late(() => store.read(...given)),
    post: (scope, id, item, claim, expected) =>
      late(() => store.post(scope, id, item, lateClaim(claim), expected)),
    append: (...given) => late(() => store.append(...given)),
    watch: (scope, id, after) => new LateWatch(() => store.watch(scope, id, after), pause),
    list: (...given) => late(() => store.list(...given)),
    renew: (leases, claim) => late(() => store.renew(leases, lateClaim(claim))),
    claimExpired: (claim, limit) => late(() => store.claimExpired(lateClaim(claim), limit)),
    putWebhook: (...given) => late(() => store.putWebhook(...given)),
    webhooks: (...given) => late(() => store.webhooks(...given)),
    deleteWebhook: (...given) => late(() => store.deleteWebhook(...given)),
    claimWebhooks: (...given) => late(() => store.claimWebhooks(...given)),
    delivered: (...given) => late(() => store.delivered(...given)),
    deleteExpired: (...given) => late(() => store.deleteExpired(...given)),
    usage: (...given) => late(() => store.usage(...given)),
    mark: (...given) => late(async () => store.mark?.(...given)),
    erase: (...given) => late(() => store.erase(...given)),
    onDue: (listener) => lateListener(store, listener, pause),
  };
}

/** Calls a listener late, but not after it was removed. */
function lateListener(store: TaskStore, listener: () => boolean, pause: () => Promise<void>) {
  let hasStopped = false;
  const call = () => {
    if (!hasStopped) callSafely(listener);
  };
  const stop = store.onDue?.(() => {
    void pause().then(call);
    return true;
  });
  return () => {
    hasStopped = true;
    stop?.();
  };
}

type Found = readonly Entry[] | Reset | undefined;

/** A watch that is opened late, and returns late what it finds. Only `close` does not wait. */
class LateWatch implements Watch {
  readonly #pause: () => Promise<void>;
  readonly #opened: Promise<Watch | undefined>;
  #end: () => void = () => undefined;
  readonly #closed: Promise<undefined>;
  #isClosed = false;

  constructor(open: () => Watch, pause: () => Promise<void>) {
    this.#pause = pause;
    this.#closed = new Promise((resolve) => {
      this.#end = () => {
        resolve(undefined);
      };
    });
    this.#opened = pause().then(() => (this.#isClosed ? undefined : open()));
  }

  next(): Promise<Found> {
    return Promise.race([this.#closed, this.#next()]);
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
    void this.#opened.then((watch) => watch?.close());
  }

  async #next(): Promise<Found> {
    await this.#pause();
    const found = await (await this.#opened)?.next();
    await this.#pause();
    return found;
  }
}

/** Returns a function that waits, each time in another way. */
function pauses(random: Random) {
  return async () => {
    const way = random.below(8);
    for (let turn = random.below(6); turn > 0; turn -= 1) await Promise.resolve();
    if (way === 0) await new Promise((resolve) => setTimeout(resolve, random.below(3)));
    else if (way < 4) await new Promise((resolve) => setImmediate(resolve));
  };
}

function callSafely<Given extends unknown[]>(call: (...given: Given) => void, ...given: Given) {
  try {
    call(...given);
  } catch {
    // A store catches what the functions throw that it is given.
  }
}
