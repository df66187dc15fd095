import type { A2AError } from "../../errors.js";
import type { OwnerLimits } from "./limits.js";
import { Pace } from "./pace.js";
import { Account, type AccountOwner } from "./account.js";
import { type Count, countOf } from "./count.js";
import { exhausted } from "../refusals.js";
import type { Scope, TaskStore } from "../store.js";

/** Dependencies of accounts, except for their owner. */
export interface AccountParts {
  readonly store: Partial<Pick<TaskStore, "usage">>;
  readonly limits: OwnerLimits;
  readonly report: (error: unknown) => void;
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number;
}

/**
 * Minimum and maximum time between two reads of the store, and the minimum ratio between this time
 * and the duration of the last read.
 */
const readEveryMs = 5_000;
const maxReadEveryMs = 60_000;
const readRatio = 100;

/**
 * Minimum time and minimum ratio after a deletion. They are smaller, because the deletion may have
 * freed room.
 */
const readAfterDeletionMs = 1_000;
const deletionRatio = 10;

/**
 * Maximum number of tenants whose usage one check reads from the store. The next check continues
 * with other tenants.
 */
const tenantsPerRead = 20;

/**
 * Number of tenants per owner above which tenants without usage are dropped, and maximum number of
 * tenants that one call examines for this purpose.
 */
const maxTenants = 100;
const dropSteps = 10;

/** Share of an owner's remaining room that may be used before the store is read again. */
const unreadShare = 1 / 16;

/**
 * Resource usage of one owner in all tenants. Callers choose their tenant, so separate limits for
 * each tenant would be ineffective. The store counts the usage across all processes, but reading it
 * is expensive. Between two reads, this class therefore counts the changes by this process. While
 * the changes are small, the store is not read at all, so owners with few tasks cause no round
 * trips.
 */
export class OwnerAccount implements AccountOwner {
  /** Rate limit for the bytes that calls of the owner read and write. */
  readonly pace: Pace;
  readonly #parts: AccountParts;
  /** Accounts by tenant, in the order in which their usage is read from the store. */
  readonly #tenants = new Map<string, Account>();
  /** Usage as far as this process knows it, and the usage after the last read of the store. */
  readonly #count: Count = countOf();
  #countAtRead: Count = countOf();
  #hasRead = false;
  #reading: Promise<void> | undefined;
  #readAt = -Infinity;
  #readMs = 0;
  #nextReadAt = -Infinity;
  #streams = 0;
  #holds = 0;

  constructor(parts: AccountParts) {
    this.#parts = parts;
    this.pace = new Pace(parts.limits.bytesPerSecond);
  }

  /** Whether this process has open streams or workers of the owner. */
  get isInUse(): boolean {
    return this.#streams > 0 || this.#holds > 0;
  }

  /** Returns the account of the owner in a tenant. */
  in(scope: Scope): Account {
    let account = this.#tenants.get(scope.tenant);
    if (account !== undefined) return account;
    if (this.#tenants.size >= maxTenants) this.#drop();
    this.#tenants.set(scope.tenant, (account = new Account(scope, this)));
    return account;
  }

  /** Usage of the owner as far as this process knows it: the sum of its accounts. */
  get count(): Count {
    return this.#count;
  }

  /** Counts workers of this process: 1 when a worker starts, -1 when it ends. */
  hold(count: 1 | -1): void {
    this.#holds += count;
  }

  /** Counts a new stream. Throws the error for the caller if the owner has too many streams. */
  openStream(): void {
    const { maxStreams } = this.#parts.limits;
    if (this.#streams >= maxStreams) throw exhausted("maxStreams", maxStreams);
    this.#streams += 1;
  }

  /** Removes an ended stream from the count. */
  closeStream(): void {
    this.#streams -= 1;
  }

  /**
   * Schedules the next read of the store earlier, because data was deleted and only the store knows
   * how much.
   */
  deleted(): void {
    const soonest = this.#readAt + Math.max(readAfterDeletionMs, deletionRatio * this.#readMs);
    this.#nextReadAt = Math.min(this.#nextReadAt, soonest);
  }

  /** Reserves room for an addition to an account, like {@link Account.admit}. */
  admit(account: Account, addition: Count): Promise<void> | undefined {
    // If the store has no `usage`, the local numbers cannot be corrected, so no limit is applied.
    if (this.#parts.store.usage === undefined) return undefined;
    const refusal = this.#refusalOf(addition);
    const isUnsure = this.#isUnsure(addition);
    // Read the store before rejecting a caller, because the local numbers may be too high if tasks
    // have ended in other processes.
    if (refusal !== undefined || (isUnsure && !this.#hasRead))
      return this.#admitAfterRead(account, addition);
    if (isUnsure) void this.#readOnce(account);
    account.add(addition);
    return undefined;
  }

  async #admitAfterRead(account: Account, addition: Count): Promise<void> {
    await this.#readOnce(account);
    const refusal = this.#refusalOf(addition);
    if (refusal !== undefined) throw refusal;
    account.add(addition);
  }

  #refusalOf({ openTasks, openBytes, webhooks, storedBytes }: Count): A2AError | undefined {
    const { maxOpenTasks, maxOpenBytes, maxStoredBytes, maxWebhooks } = this.#parts.limits;
    const count = this.#count;
    if (openTasks > 0 && count.openTasks + openTasks > maxOpenTasks)
      return exhausted("maxOpenTasks", maxOpenTasks);
    if (openBytes > 0 && count.openBytes + openBytes > maxOpenBytes)
      return exhausted("maxOpenBytes", maxOpenBytes);
    if (storedBytes > 0 && count.storedBytes + storedBytes > maxStoredBytes)
      return exhausted("maxStoredBytes", maxStoredBytes);
    if (webhooks > 0 && count.webhooks + webhooks > maxWebhooks)
      return exhausted("maxWebhooks", maxWebhooks);
    return undefined;
  }

  /**
   * Returns whether so much was added since the last read that other processes may have used up the
   * remaining room.
   */
  #isUnsure({ openTasks, openBytes, webhooks, storedBytes }: Count): boolean {
    const { maxOpenTasks, maxOpenBytes, maxStoredBytes, maxWebhooks } = this.#parts.limits;
    const [count, atRead] = [this.#count, this.#countAtRead];
    return (
      count.openTasks + openTasks - atRead.openTasks >
        (maxOpenTasks - atRead.openTasks) * unreadShare ||
      count.openBytes + openBytes - atRead.openBytes >
        (maxOpenBytes - atRead.openBytes) * unreadShare ||
      count.storedBytes + storedBytes - atRead.storedBytes >
        (maxStoredBytes - atRead.storedBytes) * unreadShare ||
      count.webhooks + webhooks - atRead.webhooks > (maxWebhooks - atRead.webhooks) * unreadShare
    );
  }

  /** Reads the usage from the store, unless it was read recently. Never rejects. */
  #readOnce(account: Account): Promise<void> {
    if (this.#reading === undefined && this.#parts.clock() >= this.#nextReadAt)
      this.#reading = this.#readUsage(account).finally(() => {
        this.#reading = undefined;
      });
    return this.#reading ?? Promise.resolve();
  }

  async #readUsage(first: Account): Promise<void> {
    const { store, limits, clock, report } = this.#parts;
    const begunAt = clock();
    const withStored = limits.maxStoredBytes < Infinity;
    const others = [...this.#tenants.values()].filter(
      (account) => account !== first && account.hasUsage,
    );
    try {
      for (const account of [first, ...others.slice(0, tenantsPerRead - 1)]) {
        const before = countOf(account.count);
        const usage = await store.usage?.(account.scope, withStored);
        if (usage === undefined) return;
        // The result may or may not include changes that were made during the read. The next read
        // corrects the difference.
        account.correct(before, countOf(usage));
        this.#moveToEnd(account);
      }
      this.#countAtRead = countOf(this.#count);
      this.#hasRead = true;
    } catch (error) {
      // Do not reject an owner because the store has failed to count its usage.
      report(error);
    } finally {
      this.#readAt = clock();
      this.#readMs = this.#readAt - begunAt;
      const pauseMs = Math.min(Math.max(readEveryMs, readRatio * this.#readMs), maxReadEveryMs);
      this.#nextReadAt = this.#readAt + pauseMs;
    }
  }

  /** Moves a tenant to the end of the list, so that its usage is read from the store last. */
  #moveToEnd(account: Account): void {
    const { tenant } = account.scope;
    if (this.#tenants.get(tenant) === account && this.#tenants.delete(tenant))
      this.#tenants.set(tenant, account);
  }

  /**
   * Drops the accounts of tenants in which the owner has no usage. Such accounts exist because
   * calls that only read also create accounts.
   */
  #drop(): void {
    const withStored = this.#parts.limits.maxStoredBytes < Infinity;
    let steps = 0;
    for (const [tenant, account] of this.#tenants) {
      if ((steps += 1) > dropSteps) return;
      this.#tenants.delete(tenant);
      if (account.isIdle(withStored)) account.drop();
      else this.#tenants.set(tenant, account);
    }
  }
}
