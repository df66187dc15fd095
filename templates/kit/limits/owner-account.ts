import type { A2AError } from "../../errors.js";
import type { OwnerLimits } from "./limits.js";
import { Pace } from "./pace.js";
import { Account, type AccountOwner } from "./account.js";
import { type Count, countOf } from "./count.js";
import { exhausted } from "../calls/refusals.js";
import type { Scope, TaskStore } from "../store.js";

/** What accounts need besides their owner. */
export interface AccountParts {
  readonly store: Partial<Pick<TaskStore, "usage">>;
  readonly limits: OwnerLimits;
  readonly report: (error: unknown) => void;
  /** Returns milliseconds that never go back. */
  readonly clock: () => number;
}

/** Time between two looks into the store at least and at most, and the least ratio of it to the time that the last took. */
const lookEveryMs = 5_000;
const maxLookEveryMs = 60_000;
const lookRatio = 100;

/** The same after something was deleted, which may have made room. */
const lookAfterDeletionMs = 1_000;
const deletionRatio = 10;

/** Tenants that one look asks the store about; the next look asks about the next ones. */
const tenantsPerLook = 20;

/** Tenants of an owner above which those without tasks are dropped, and how many of them one call looks at for that. */
const maxTenants = 100;
const dropSteps = 10;

/** Share of the room of an owner that may be used up before the store is looked at again. */
const share = 1 / 16;

/**
 * What one owner has in all tenants: a caller names its tenant, so limits for each tenant would be no limits. The store
 * counts for all processes, and is looked at rarely: in between, what this process adds and ends is counted here. As long
 * as that is little, there is no look at all, so owners with few tasks cost no round trip.
 */
export class OwnerAccount implements AccountOwner {
  /** Limits how much calls of the owner read and write in a time. */
  readonly pace: Pace;
  readonly #parts: AccountParts;
  /** The tenants in which the owner was seen, in the order in which the store is asked about them. */
  readonly #tenants = new Map<string, Account>();
  /** What there is, as far as it is known here, and what there was after the last look. */
  readonly #count: Count = countOf();
  #seen: Count = countOf();
  #hasLooked = false;
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;
  #tookMs = 0;
  #nextLookAt = -Infinity;
  #streams = 0;
  #holds = 0;

  constructor(parts: AccountParts) {
    this.#parts = parts;
    this.pace = new Pace(parts.limits.bytesPerSecond);
  }

  /** Whether something of this process counts with the account. */
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

  /** What the owner has, as far as it is known here: its accounts add to it. */
  get count(): Count {
    return this.#count;
  }

  /** Counts work of this process: 1 as it begins, -1 as it ends. */
  hold(count: 1 | -1): void {
    this.#holds += count;
  }

  /** Counts a stream that begins. Throws the error for the caller if there are too many. */
  openStream(): void {
    const { maxStreams } = this.#parts.limits;
    if (this.#streams >= maxStreams) throw exhausted("maxStreams", maxStreams);
    this.#streams += 1;
  }

  /** Counts a stream that has ended. */
  closeStream(): void {
    this.#streams -= 1;
  }

  /** Lets the next look come sooner, as something was deleted. How much that was only the store knows. */
  deleted(): void {
    const soonest = this.#lookedAt + Math.max(lookAfterDeletionMs, deletionRatio * this.#tookMs);
    this.#nextLookAt = Math.min(this.#nextLookAt, soonest);
  }

  /** Makes room for what an account of the owner gets, as `admit` of the account does. */
  admit(account: Account, more: Count): Promise<void> | undefined {
    // A store that cannot tell what an owner has cannot correct what is counted here.
    if (this.#parts.store.usage === undefined) return undefined;
    const refusal = this.#refusalOf(more);
    const isUnsure = this.#isUnsure(more);
    // What is known may be old, and more may have ended in other processes than has begun.
    if (refusal !== undefined || (isUnsure && !this.#hasLooked)) return this.#admitAfterLook(account, more);
    if (isUnsure) void this.#look(account);
    account.add(more);
    return undefined;
  }

  async #admitAfterLook(account: Account, more: Count): Promise<void> {
    await this.#look(account);
    const refusal = this.#refusalOf(more);
    if (refusal !== undefined) throw refusal;
    account.add(more);
  }

  #refusalOf({ openTasks, openBytes, webhooks, storedBytes }: Count): A2AError | undefined {
    const { maxOpenTasks, maxOpenBytes, maxStoredBytes, maxWebhooks } = this.#parts.limits;
    const count = this.#count;
    if (openTasks > 0 && count.openTasks + openTasks > maxOpenTasks) return exhausted("maxOpenTasks", maxOpenTasks);
    if (openBytes > 0 && count.openBytes + openBytes > maxOpenBytes) return exhausted("maxOpenBytes", maxOpenBytes);
    if (storedBytes > 0 && count.storedBytes + storedBytes > maxStoredBytes)
      return exhausted("maxStoredBytes", maxStoredBytes);
    if (webhooks > 0 && count.webhooks + webhooks > maxWebhooks) return exhausted("maxWebhooks", maxWebhooks);
    return undefined;
  }

  /** Whether so much has been added since the last look that other processes may have used up the rest. */
  #isUnsure({ openTasks, openBytes, webhooks, storedBytes }: Count): boolean {
    const { maxOpenTasks, maxOpenBytes, maxStoredBytes, maxWebhooks } = this.#parts.limits;
    const [count, seen] = [this.#count, this.#seen];
    return (
      count.openTasks + openTasks - seen.openTasks > (maxOpenTasks - seen.openTasks) * share ||
      count.openBytes + openBytes - seen.openBytes > (maxOpenBytes - seen.openBytes) * share ||
      count.storedBytes + storedBytes - seen.storedBytes > (maxStoredBytes - seen.storedBytes) * share ||
      count.webhooks + webhooks - seen.webhooks > (maxWebhooks - seen.webhooks) * share
    );
  }

  /** Asks the store, unless it was asked a short time ago. Never rejects. */
  #look(account: Account): Promise<void> {
    if (this.#looking === undefined && this.#parts.clock() >= this.#nextLookAt)
      this.#looking = this.#ask(account).finally(() => {
        this.#looking = undefined;
      });
    return this.#looking ?? Promise.resolve();
  }

  async #ask(first: Account): Promise<void> {
    const { store, limits, clock, report } = this.#parts;
    const begunAt = clock();
    const withStored = limits.maxStoredBytes < Infinity;
    const others = [...this.#tenants.values()].filter((account) => account !== first && account.isAny);
    try {
      for (const account of [first, ...others.slice(0, tenantsPerLook - 1)]) {
        const before = countOf(account.count);
        const usage = await store.usage?.(account.scope, withStored);
        if (usage === undefined) return;
        // What has come and gone meanwhile may be counted in the answer or not; the next look tells.
        account.correct(before, countOf(usage));
        this.#toEnd(account);
      }
      this.#seen = countOf(this.#count);
      this.#hasLooked = true;
    } catch (error) {
      // An owner is not refused because the store cannot count.
      report(error);
    } finally {
      this.#lookedAt = clock();
      this.#tookMs = this.#lookedAt - begunAt;
      const pauseMs = Math.min(Math.max(lookEveryMs, lookRatio * this.#tookMs), maxLookEveryMs);
      this.#nextLookAt = this.#lookedAt + pauseMs;
    }
  }

  /** Moves a tenant behind those that the store was not asked about. */
  #toEnd(account: Account): void {
    const { tenant } = account.scope;
    if (this.#tenants.get(tenant) === account && this.#tenants.delete(tenant)) this.#tenants.set(tenant, account);
  }

  /** Drops tenants in which the owner has nothing: reads make accounts, too. */
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
