import type { BusyMap } from "./busy-map.js";
import type { Environment } from "./environment.js";
import { leaseExpired } from "../log/lease-clock.js";
import { waitUntil } from "../../runtime/base/pace.js";
import { type Lease, type Leased, LeaseLostError } from "../store.js";
import { withoutHold } from "../timer.js";
import type { Worker } from "./worker.js";

/** Maximum number of tasks to claim in one call to the store. */
const step = 100;

/**
 * Maximum bytes of tasks to claim before leases are renewed again, because the leases of this
 * process must not expire during the claims.
 */
const takeoverBytes = 64 * 2 ** 20;

/**
 * Maximum number of leases to renew in one call to the store. Clients determine the number of
 * leases, so a call could become arbitrarily large without this limit.
 */
const leasesPerCall = 1_000;

/** Number of renewals during the lifetime of a lease. */
const renewals = 3;

/** Maximum time between two checks for tasks of other processes, in milliseconds. */
const maxPauseMs = 1_000;

function silence(): Error {
  return new Error("The store has not responded for the duration of a lease");
}

/** Renews the leases of this process, and claims the tasks of processes that have ended. */
export class LeaseGuard {
  readonly #environment: Environment;
  readonly #workers: BusyMap<Worker>;
  readonly #takeOver: (leased: Leased, since: number) => void;
  /** Number of checks between two renewals. */
  readonly #pace: number;
  readonly #pauseMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Timer for the next expiry of a lease that was not renewed in time. */
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /**
   * Number of checks since the pending check began, including the pending check; 0 if no check is
   * pending.
   */
  #looks = 0;
  #sinceRenewal = 0;
  /** Number of consecutive failed checks. */
  #failures = 0;
  /** The store call that each worker waited for at the last check, and for how many checks. */
  readonly #waits = new WeakMap<
    Worker,
    { readonly waitsFor: object | undefined; readonly count: number }
  >();

  constructor(
    environment: Environment,
    workers: BusyMap<Worker>,
    takeOver: (leased: Leased, since: number) => void,
  ) {
    this.#environment = environment;
    this.#workers = workers;
    this.#takeOver = takeOver;
    this.#pace = Math.ceil(environment.claim.ttlMs / renewals / maxPauseMs);
    this.#pauseMs = environment.claim.ttlMs / renewals / this.#pace;
  }

  /**
   * Starts the timer, unless it has already started. The constructor does not start the timer,
   * because edge platforms do not allow timers before the first request.
   */
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
    for (const worker of this.#workers.values())
      if (this.#waitsOf(worker) >= manyLooks) void worker.abandon(silence());
    this.#stopLate();
    this.#looks += 1;
    this.#sinceRenewal += 1;
    // While a check waits for the store, later checks only increase a counter. If no response has
    // arrived after the lifetime of a lease, this is reported and a new check begins.
    if (this.#looks > 1 && this.#looks % manyLooks !== 1) return;
    if (this.#looks > 1) this.#environment.report(silence());
    try {
      try {
        if (this.#sinceRenewal >= this.#pace) await this.#renew();
      } finally {
        // Tasks of ended processes must be claimed even if renewals fail.
        await this.#takeOverAll();
      }
      this.#failures = 0;
    } catch (error) {
      // If the store stays unavailable, report the error once per lifetime of a lease.
      if (this.#failures % manyLooks === 0) this.#environment.report(error);
      this.#failures += 1;
    } finally {
      this.#looks = 0;
    }
  }

  /**
   * Stops workers whose lease has expired, because another process may then claim the task. If
   * renewals fail or do not get a response, a timer stops the worker exactly when the lease
   * expires, not at the next check.
   */
  readonly #stopLate = (): void => {
    const now = performance.now();
    // If the store has responded to all calls, the cause is a delay in this process.
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

  /**
   * Returns the number of consecutive checks at which a worker was waiting for the same store call.
   */
  #waitsOf(worker: Worker): number {
    const { waitsFor } = worker;
    const before = this.#waits.get(worker);
    const count = waitsFor !== undefined && waitsFor === before?.waitsFor ? before.count + 1 : 0;
    this.#waits.set(worker, { waitsFor, count });
    return count;
  }

  async #takeOverAll(): Promise<void> {
    const { store, claim, limits, report } = this.#environment;
    // The turns of claimed tasks begin immediately. Pause between the claims, so that other calls
    // can reach the store between the writes of these turns.
    const pauseMs = (this.#pauseMs / 2) * Math.min(1, step / limits.maxClaims);
    let bytes = 0;
    let since = -Infinity;
    for (let left = limits.maxClaims, isLast = false; left > 0 && !isLast && !this.#isClosed;) {
      await waitUntil(since + pauseMs);
      since = performance.now();
      const { rows, unreadable, hasMore } = await store.claimExpired(claim, Math.min(step, left));
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
    for (const worker of this.#workers.values())
      if (worker.lease !== undefined) held.push([worker.lease, worker]);
    for (let at = 0; at < held.length; at += leasesPerCall) {
      const part = held.slice(at, at + leasesPerCall);
      const leases = part.map(([lease]) => lease);
      const since = performance.now();
      const found = await store.renew(leases, claim);
      const renewed = new Set(found.map(({ id, epoch }) => `${String(epoch)} ${id}`));
      for (const [{ id, epoch }, worker] of part) {
        // A lease that was released during the call is not lost.
        if (worker.lease?.epoch !== epoch) continue;
        if (renewed.has(`${String(epoch)} ${id}`)) {
          worker.clock.hold(since, claim.ttlMs);
          continue;
        }
        // A write that is under way may just have released the lease. If the lease is lost, the
        // write is rejected.
        if (worker.waitsFor !== undefined) continue;
        void worker.abandon(
          new LeaseLostError(`The lease of task ${id} is lost: another process may work on it`),
        );
      }
    }
    this.#sinceRenewal = 0;
  }
}
