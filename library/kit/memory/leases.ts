import type { Claim, Lease } from "../store.js";
import type { Hold, TaskRecord } from "./task-record.js";

/** Leases of the tasks in memory. */
export class Leases {
  readonly #held = new Set<TaskRecord>();
  /** No lease expires before this time. Most checks can therefore skip all leases. */
  #earliest = Infinity;

  /** Grants the lease of a task. */
  take(record: TaskRecord, claim: Claim, now: number): Lease {
    record.epoch += 1;
    this.#hold(record, claim, now);
    const { id, scope, epoch } = record;
    return { id, scope, holder: claim.holder, epoch };
  }

  /** Extends a lease if it is still held. Returns whether it was extended. */
  renew(record: TaskRecord, lease: Lease, claim: Claim, now: number): boolean {
    if (!this.isHeld(record, lease, now)) return false;
    this.#hold(record, claim, now);
    return true;
  }

  /** Extends a lease that is still held, so that it does not expire before a time. */
  extend(record: TaskRecord, expires: number): void {
    if (record.hold !== undefined && record.hold.expires < expires)
      record.hold = { ...record.hold, expires };
  }

  isHeld({ epoch, hold }: TaskRecord, lease: Lease, now: number): boolean {
    return (
      hold !== undefined &&
      epoch === lease.epoch &&
      hold.holder === lease.holder &&
      now < hold.expires
    );
  }

  /** Returns whether a task has no lease, or an expired lease. */
  isFree({ hold }: TaskRecord, now: number): boolean {
    return hold?.holder === undefined || now >= hold.expires;
  }

  release(record: TaskRecord): void {
    if (record.hold === undefined) return;
    record.hold = undefined;
    this.#held.delete(record);
  }

  /** Lets a task without a lease wake at a time. */
  sleep(record: TaskRecord, until: number): void {
    this.#set(record, { holder: undefined, expires: until });
  }

  /** Returns at most `limit` tasks whose leases have expired. */
  expired(now: number, limit: number): TaskRecord[] {
    if (now < this.#earliest) return [];
    const found: TaskRecord[] = [];
    let earliest = Infinity;
    for (const record of this.#held) {
      const expires = record.hold?.expires ?? Infinity;
      if (now >= expires && found.length < limit) found.push(record);
      // Include the returned tasks, because a claim may leave some of these tasks for the next
      // claim.
      earliest = Math.min(earliest, expires);
    }
    this.#earliest = earliest;
    return found;
  }

  #hold(record: TaskRecord, { holder, ttlMs, onPost }: Claim, now: number): void {
    this.#set(record, { holder, expires: now + ttlMs, onPost });
  }

  #set(record: TaskRecord, hold: Hold): void {
    record.hold = hold;
    this.#held.add(record);
    this.#earliest = Math.min(this.#earliest, hold.expires);
  }
}
