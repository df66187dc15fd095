import type { Environment } from "./environment.js";
import { leaseExpired } from "./lease-clock.js";
import { type Lease, type Leased, LeaseLostError } from "../store.js";
import { withoutHold } from "../timer.js";
import type { Worker } from "./worker.js";

/** Tasks that are taken over in one call of the store at most. */
const step = 100;

/** Bytes of tasks that are taken over before renewals come again: their leases must not expire meanwhile. */
const takeoverBytes = 64 * 2 ** 20;

/** How many leases one call of the store renews at most: one call for all would be as long as callers want. */
const leasesPerCall = 1_000;

/** How often leases are renewed while one lasts. */
const renewals = 3;

/** The longest time between two looks at what other processes have left. */
const maxPauseMs = 1_000;

function silence(): Error {
  return new Error("The store has not answered for as long as a lease lasts");
}

/** Keeps the leases of this process alive, and takes over the tasks of processes that have ended. */
export class LeaseGuard {
  readonly #environment: Environment;
  readonly #workers: ReadonlyMap<string, Worker>;
  readonly #takeOver: (leased: Leased, since: number) => void;
  /** Looks until leases have to be renewed. */
  readonly #pace: number;
  readonly #pauseMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Rings when the next lease ends, where no renewal was confirmed in time. */
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** How many times the guard has had to look since it began to. */
  #looks = 0;
  #sinceRenewal = 0;
  /** How many looks have failed in a row. */
  #failures = 0;
  /** What workers waited for at the last look, and since how many. */
  readonly #waits = new WeakMap<Worker, { readonly waitsFor: object | undefined; readonly count: number }>();

  constructor(
    environment: Environment,
    workers: ReadonlyMap<string, Worker>,
    takeOver: (leased: Leased, since: number) => void,
  ) {
    this.#environment = environment;
    this.#workers = workers;
    this.#takeOver = takeOver;
    this.#pace = Math.ceil(environment.claim.ttlMs / renewals / maxPauseMs);
    this.#pauseMs = environment.claim.ttlMs / renewals / this.#pace;
  }

  /** Begins, where that has not happened: platforms at the edge allow no timers before the first request. */
  start(): void {
    if (this.#isClosed) return;
    this.#timer ??= withoutHold(setInterval(() => void this.#look(), this.#pauseMs));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#alarm);
  }

  async #look(): Promise<void> {
    const manyLooks = renewals * this.#pace;
    for (const worker of this.#workers.values()) if (this.#waitsOf(worker) >= manyLooks) void worker.abandon(silence());
    this.#stopLate();
    this.#looks += 1;
    this.#sinceRenewal += 1;
    // A look that the store does not answer is given up when no lease can be left of it.
    if (this.#looks > 1 && this.#looks % manyLooks !== 1) return;
    if (this.#looks > 1) this.#environment.report(silence());
    try {
      try {
        if (this.#sinceRenewal >= this.#pace) await this.#renew();
      } finally {
        // Tasks of ended processes must not wait until renewals work again.
        await this.#takeOverAll();
      }
      this.#failures = 0;
    } catch (error) {
      // An engine that is away for long is reported once per lease.
      if (this.#failures % manyLooks === 0) this.#environment.report(error);
      this.#failures += 1;
    } finally {
      this.#looks = 0;
    }
  }

  /**
   * Stops work whose lease has ended: another process may begin it from then on. Where renewals fail or are not answered,
   * that is at the end of the lease and not at the next look.
   */
  readonly #stopLate = (): void => {
    const now = performance.now();
    // This process was late itself if the store has answered all that it was asked.
    const isSilent = this.#failures > 0 || this.#looks > 1;
    let next = now + this.#pauseMs;
    for (const worker of this.#workers.values()) {
      if (worker.clock.until > now) next = Math.min(next, worker.clock.until);
      else void worker.abandon(isSilent ? silence() : leaseExpired(worker.id));
    }
    clearTimeout(this.#alarm);
    if (this.#isClosed || next >= now + this.#pauseMs) return;
    this.#alarm = withoutHold(setTimeout(this.#stopLate, Math.ceil(next - now)));
  };

  /** Returns for how many looks a worker has waited for the same answer of the store. */
  #waitsOf(worker: Worker): number {
    const { waitsFor } = worker;
    const before = this.#waits.get(worker);
    const count = waitsFor !== undefined && waitsFor === before?.waitsFor ? before.count + 1 : 0;
    this.#waits.set(worker, { waitsFor, count });
    return count;
  }

  async #takeOverAll(): Promise<void> {
    const { store, claim, limits, report } = this.#environment;
    let bytes = 0;
    for (let left = limits.maxTakeovers, isLast = false; left > 0 && !isLast && !this.#isClosed;) {
      const since = performance.now();
      const { rows, unreadable, hasMore } = await store.expired(claim, Math.min(step, left));
      for (const error of unreadable) report(error);
      for (const leased of rows) {
        this.#takeOver(leased, since);
        bytes += leased.stored.bytes;
      }
      left -= rows.length + unreadable.length;
      isLast = !hasMore || bytes >= takeoverBytes;
    }
  }

  async #renew(): Promise<void> {
    const { store, claim } = this.#environment;
    const held: [Lease, Worker][] = [];
    for (const worker of this.#workers.values()) if (worker.lease !== undefined) held.push([worker.lease, worker]);
    for (let at = 0; at < held.length; at += leasesPerCall) {
      const part = held.slice(at, at + leasesPerCall);
      const leases = part.map(([lease]) => lease);
      const since = performance.now();
      const found = await store.renew(leases, claim);
      const renewed = new Set(found.map(({ id, epoch }) => `${String(epoch)} ${id}`));
      for (const [{ id, epoch }, worker] of part) {
        // A lease that was given back meanwhile is not lost.
        if (worker.lease?.epoch !== epoch) continue;
        if (renewed.has(`${String(epoch)} ${id}`)) {
          worker.clock.hold(since, claim.ttlMs);
          continue;
        }
        void worker.abandon(new LeaseLostError(`The lease of task ${id} is lost: another process may work on it`));
      }
    }
    this.#sinceRenewal = 0;
  }
}
