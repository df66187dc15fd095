import type { Environment } from "./environment.js";
import { type Lease, type Leased, LeaseLostError } from "./store.js";
import { withoutHold } from "./timer.js";
import type { Worker } from "./worker.js";

/** Tasks that are taken over in one step at most. */
const step = 20;

/** Keeps the leases of this process alive, and takes over the tasks of processes that have ended. */
export class LeaseGuard {
  readonly #environment: Environment;
  readonly #workers: ReadonlyMap<string, Worker>;
  readonly #takeOver: (leased: Leased) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isBusy = false;

  constructor(environment: Environment, workers: ReadonlyMap<string, Worker>, takeOver: (leased: Leased) => void) {
    this.#environment = environment;
    this.#workers = workers;
    this.#takeOver = takeOver;
  }

  /** Begins, where that has not happened: platforms at the edge allow no timers before the first request. */
  start(): void {
    this.#timer ??= withoutHold(setInterval(() => void this.#look(), this.#environment.claim.ttlMs / 3));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#renew();
      for (const leased of await this.#environment.store.expired(this.#environment.claim, step)) this.#takeOver(leased);
    } catch (error) {
      this.#environment.report(error);
    } finally {
      this.#isBusy = false;
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
