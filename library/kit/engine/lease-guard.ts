import type { BusyMap } from "./busy-map.js";
import type { Environment } from "./environment.js";
import { leaseExpired } from "../log/lease-clock.js";
import { waitUntil } from "../../runtime/base/pace.js";
import { type Lease, type Leased, LeaseLostError } from "../store.js";
import { errorOf } from "../thrown.js";
import { withoutHold } from "../timer.js";
import { taskKey } from "./task-key.js";
import type { Worker } from "./worker.js";

/** Maximum number of tasks to claim in one call to the store. */
const claimsPerCall = 100;

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

/**
 * Renews the leases of this process, and claims the tasks of processes that have ended. If an alarm
 * starts the process, the timer only runs while the process works on tasks.
 */
export class LeaseGuard {
  readonly #environment: Environment;
  readonly #workers: BusyMap<Worker>;
  readonly #takeOver: (leased: Leased, since: number) => void;
  /** Number of checks between two renewals. */
  readonly #checksPerRenewal: number;
  readonly #pauseMs: number;
  /** Whether an alarm starts this process when the store has work. */
  readonly #hasAlarm: boolean;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Timer for the next expiry of a lease that was not renewed in time. */
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /**
   * Number of checks since the pending check began, including the pending check; 0 if no check is
   * pending.
   */
  #pendingChecks = 0;
  #sinceRenewal = 0;
  /** Workers whose leases are unknown since their last renewal. */
  readonly #unrenewed = new Set<Worker>();
  /** Time of the next search for expired leases, by the clock of `performance`. */
  #searchAt = -Infinity;
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
    this.#checksPerRenewal = Math.ceil(environment.claim.ttlMs / renewals / maxPauseMs);
    this.#pauseMs = environment.claim.ttlMs / renewals / this.#checksPerRenewal;
    this.#hasAlarm = environment.store.resetAlarm !== undefined;
  }

  /**
   * Starts the timer, unless it has already started. The constructor does not start the timer,
   * because edge platforms do not allow timers before the first request.
   */
  start(): void {
    if (this.#isClosed) return;
    this.#timer ??= withoutHold(setInterval(() => void this.#check(), this.#pauseMs));
  }

  /** Starts the timer again for a new worker, if it has stopped because there were none. */
  onWorker(): void {
    if (this.#hasAlarm) this.start();
  }

  /** Claims the tasks that are due now. Reports errors, and never rejects. */
  async claimDue(): Promise<void> {
    const errors: unknown[] = [];
    try {
      await this.#takeOverAll(errors, undefined);
    } catch (error) {
      errors.push(error);
    }
    for (const error of distinct(errors)) this.#environment.report(error);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimers();
  }

  #stopTimers(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#alarm);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    const checksPerLease = renewals * this.#checksPerRenewal;
    for (const worker of this.#workers.values())
      if (this.#countWaits(worker) >= checksPerLease) void worker.abandon(silence());
    this.#stopExpired();
    this.#pendingChecks += 1;
    this.#sinceRenewal += 1;
    // While a check waits for the store, later checks only increase a counter. If no response has
    // arrived after the lifetime of a lease, this is reported and a new check begins.
    if (this.#pendingChecks > 1 && this.#pendingChecks % checksPerLease !== 1) return;
    if (this.#pendingChecks > 1) this.#environment.report(silence());
    const errors: unknown[] = [];
    try {
      await this.#renewDue(errors);
    } catch (error) {
      errors.push(error);
    }
    try {
      // Tasks of ended processes must be claimed even if renewals fail.
      await this.#takeOverAll(errors, this.#pauseMs);
    } catch (error) {
      errors.push(error);
    }
    this.#note(errors, checksPerLease);
    this.#pendingChecks = 0;
    if (this.#hasAlarm && this.#workers.isEmpty) this.#stopTimers();
  }

  /** Reports the errors of a check. */
  #note(errors: readonly unknown[], checksPerLease: number): void {
    if (errors.length === 0) {
      this.#failures = 0;
      return;
    }
    // If the store stays unavailable, report the errors once per lifetime of a lease. A database
    // that is down fails both calls with the same error, which is reported once.
    if (this.#failures % checksPerLease === 0)
      for (const error of distinct(errors)) this.#environment.report(error);
    this.#failures += 1;
  }

  /**
   * Stops workers whose lease has expired, because another process may then claim the task. If
   * renewals fail or do not get a response, a timer stops the worker exactly when the lease
   * expires, not at the next check.
   */
  readonly #stopExpired = (): void => {
    const now = performance.now();
    // If the store has responded to all calls, the cause is a delay in this process.
    const isSilent = this.#failures > 0 || this.#pendingChecks > 1;
    let next = now + this.#pauseMs;
    for (const worker of this.#workers.values()) {
      if (worker.clock.until > now) next = Math.min(next, worker.clock.until);
      else void worker.abandon(isSilent ? silence() : leaseExpired(worker.id));
    }
    clearTimeout(this.#alarm);
    if (this.#isClosed || next >= now + this.#pauseMs) return;
    this.#alarm = withoutHold(setTimeout(this.#stopExpired, Math.ceil(next - now)));
  };

  /**
   * Counts this check, and returns the number of consecutive earlier checks at which a worker was
   * waiting for the same store call.
   */
  #countWaits(worker: Worker): number {
    const { waitsFor } = worker;
    const before = this.#waits.get(worker);
    const isSameCall = waitsFor !== undefined && waitsFor === before?.waitsFor;
    const count = isSameCall ? before.count + 1 : 0;
    this.#waits.set(worker, { waitsFor, count });
    return count;
  }

  /**
   * Claims all tasks that are due. Adds the errors of parts of the store to `errors`.
   * @param intervalMs Interval of this search; absent if the search is not periodic.
   */
  async #takeOverAll(errors: unknown[], intervalMs: number | undefined): Promise<void> {
    const { store, claim, limits, report } = this.#environment;
    if (performance.now() < this.#searchAt) return;
    // The turns of claimed tasks begin immediately. Pause between the claims, so that other calls
    // can reach the store between the writes of these turns.
    const pauseMs = (this.#pauseMs / 2) * Math.min(1, claimsPerCall / limits.maxClaims);
    let bytes = 0;
    let since = -Infinity;
    let isLast = false;
    let everyMs = intervalMs;
    for (let remaining = limits.maxClaims; remaining > 0 && !isLast && !this.#isClosed;) {
      await waitUntil(since + pauseMs);
      since = performance.now();
      const limit = Math.min(claimsPerCall, remaining);
      const found = await store.claimExpired(claim, limit, everyMs);
      // The store has responded, even if all claims together take longer than a lease.
      this.#pendingChecks = Math.min(this.#pendingChecks, 1);
      const { rows, unreadable, hasMore, againInMs } = found;
      for (const error of found.errors ?? []) errors.push(error);
      if (againInMs !== undefined) this.#searchAt = since + againInMs;
      // Further calls continue the search.
      everyMs = undefined;
      for (const error of unreadable) report(error);
      for (const leased of rows) {
        this.#takeOver(leased, leased.since ?? since);
        bytes += leased.stored.bytes;
      }
      remaining -= rows.length + unreadable.length;
      isLast = !hasMore || bytes >= takeoverBytes;
      // Many claims, and the first writes of their turns, may take longer than a lease.
      if (this.#sinceRenewal >= this.#checksPerRenewal) await this.#renewDue(errors);
    }
  }

  /**
   * Renews all leases if it is time, or the leases whose last renewal failed. Adds the errors of
   * parts of the store to `errors`.
   */
  async #renewDue(errors: unknown[]): Promise<void> {
    const isTime = this.#sinceRenewal >= this.#checksPerRenewal;
    const workers = isTime ? this.#workers.values() : [...this.#unrenewed];
    this.#unrenewed.clear();
    await this.#renew(workers, errors);
    if (isTime) this.#sinceRenewal = 0;
  }

  async #renew(workers: readonly Worker[], errors: unknown[]): Promise<void> {
    const { store, claim } = this.#environment;
    const held: { readonly lease: Lease; readonly worker: Worker }[] = [];
    for (const worker of workers)
      if (worker.lease !== undefined) held.push({ lease: worker.lease, worker });
    for (let at = 0; at < held.length; at += leasesPerCall) {
      const part = held.slice(at, at + leasesPerCall);
      const leases = part.map(({ lease }) => lease);
      const since = performance.now();
      const found = await store.renew(leases, claim);
      for (const error of found.errors ?? []) errors.push(error);
      const renewed = new Map(found.held.map((lease) => [keyOf(lease), lease.since ?? since]));
      const unknown = new Set((found.unknown ?? []).map(keyOf));
      for (const { lease, worker } of part) {
        const { id, epoch } = lease;
        // A lease that was released during the call is not lost.
        if (worker.lease?.epoch !== epoch) continue;
        const key = keyOf(lease);
        const heldSince = renewed.get(key);
        if (heldSince !== undefined) worker.clock.hold(heldSince, claim.ttlMs);
        // The clock of the worker stops it when its lease expires.
        if (unknown.has(key)) this.#unrenewed.add(worker);
        if (heldSince !== undefined || unknown.has(key)) continue;
        // A write that is under way may just have released the lease. If the lease is lost, the
        // write is rejected.
        if (worker.waitsFor !== undefined) continue;
        void worker.abandon(
          new LeaseLostError(`The lease of task ${id} is lost: another process may work on it`),
        );
      }
    }
  }
}

/** Returns a key that is different for each lease. */
function keyOf({ scope, id, epoch }: Lease): string {
  return `${String(epoch)} ${taskKey(scope, id)}`;
}

/** Returns the errors without repetitions. An error is repeated if its message is the same. */
function distinct(errors: readonly unknown[]): unknown[] {
  const messages = new Set<string>();
  return errors.filter((error) => {
    const { message } = errorOf(error);
    const isNew = !messages.has(message);
    messages.add(message);
    return isNew;
  });
}
