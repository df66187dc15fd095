import type { Environment } from "./environment.js";
import { type Lease, type Leased, LeaseLostError } from "./store.js";
import { withoutHold } from "./timer.js";
import type { Worker } from "./worker.js";

/** Tasks that are taken over in one step at most. */
const step = 20;

/** Looks within the length of a lease. */
const manyLooks = 3;

function silence(): Error {
  return new Error("The store has not answered for as long as a lease lasts");
}

/** Keeps the leases of this process alive, and takes over the tasks of processes that have ended. */
export class LeaseGuard {
  readonly #environment: Environment;
  readonly #workers: ReadonlyMap<string, Worker>;
  readonly #takeOver: (leased: Leased) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;
  /** How many times the guard has had to look since it began to. */
  #looks = 0;

  constructor(environment: Environment, workers: ReadonlyMap<string, Worker>, takeOver: (leased: Leased) => void) {
    this.#environment = environment;
    this.#workers = workers;
    this.#takeOver = takeOver;
  }

  /** Begins, where that has not happened: platforms at the edge allow no timers before the first request. */
  start(): void {
    if (this.#isClosed) return;
    this.#timer ??= withoutHold(setInterval(() => void this.#look(), this.#environment.claim.ttlMs / manyLooks));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    for (const worker of this.#workers.values()) if (worker.isStuck()) worker.abandon(silence());
    this.#looks += 1;
    // A look that the store does not answer is given up when no lease can be left of it.
    if (this.#looks > 1 && this.#looks % manyLooks !== 1) return;
    if (this.#looks > 1) this.#environment.report(silence());
    try {
      await this.#renew();
      for (const leased of await this.#environment.store.expired(this.#environment.claim, step)) this.#takeOver(leased);
    } catch (error) {
      this.#environment.report(error);
    } finally {
      this.#looks = 0;
    }
  }

  async #renew(): Promise<void> {
    const { store, claim } = this.#environment;
    const held = new Map<Lease, Worker>();
    for (const worker of this.#workers.values()) if (worker.lease !== undefined) held.set(worker.lease, worker);
    if (held.size === 0) return;
    const renewed = new Set(
      (await store.renew([...held.keys()], claim)).map(({ id, epoch }) => `${String(epoch)} ${id}`),
    );
    for (const [{ id, epoch }, worker] of held) {
      // What has been given back meanwhile is no loss.
      if (renewed.has(`${String(epoch)} ${id}`) || worker.lease?.epoch !== epoch) continue;
      worker.abandon(new LeaseLostError(`The lease of task ${id} is lost: another process may work on it`));
    }
  }
}
