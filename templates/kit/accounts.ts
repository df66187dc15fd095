import type { A2AError } from "../errors.js";
import type { OwnerLimits } from "./limits.js";
import { Pace } from "./pace.js";
import { exhausted } from "./refusals.js";
import type { Scope, TaskStore, Usage } from "./store.js";

/** Dependencies of {@link Accounts}. */
export interface AccountsParts {
  readonly store: Partial<Pick<TaskStore, "usage">>;
  readonly limits: OwnerLimits;
  readonly report: (error: unknown) => void;
  /** Returns milliseconds that never go back; `performance.now` by default. */
  readonly clock?: () => number;
}

/** Number of accounts above which those of owners without work in this process are dropped. */
const maxAccounts = 20_000;

/** Accounts that one call looks at to find some that can be dropped. */
const dropSteps = 100;

/** Least time between two looks into the store, and the least ratio of it to the time that the last look took. */
const lookEveryMs = 5_000;
const lookRatio = 100;

/** Share of the room of an account that it may use up before the store is looked at again. */
const share = 1 / 16;

/** Counts what each owner of tasks has, and refuses what is more than the limits allow. */
export class Accounts {
  readonly #parts: Required<AccountsParts>;
  readonly #all = new Map<string, Account>();
  /** The account that was last asked for: a message asks several times. */
  #last: Account | undefined;

  constructor({ clock = () => performance.now(), ...parts }: AccountsParts) {
    this.#parts = { ...parts, clock };
  }

  /** Returns the account of an owner. */
  of(scope: Scope): Account {
    if (this.#last?.isOf(scope) !== true) this.#last = this.#find(scope);
    return this.#last;
  }

  #find(scope: Scope): Account {
    // Neither text has NUL.
    const key = `${scope.tenant}\0${scope.owner}`;
    let account = this.#all.get(key);
    if (account !== undefined) return account;
    if (this.#all.size >= maxAccounts) this.#drop();
    this.#all.set(key, (account = new Account(this.#parts, scope)));
    return account;
  }

  /** Drops accounts of owners that have no work in this process. The store knows what they have. */
  #drop(): void {
    let steps = 0;
    for (const [key, account] of this.#all) {
      if ((steps += 1) > dropSteps || this.#all.size < maxAccounts) return;
      this.#all.delete(key);
      if (account.isInUse) this.#all.set(key, account);
    }
  }
}

/**
 * What one owner has. The store counts for all processes, and is looked at rarely: in between, what this process adds and
 * ends is counted here. As long as that is little, there is no look at all, so owners with few tasks cost no round trip.
 */
export class Account {
  /** Limits how much calls of the owner read and write in a time. */
  readonly pace: Pace;
  readonly #parts: Required<AccountsParts>;
  readonly #scope: Scope;
  readonly #isCounted: boolean;
  /** What there is, as far as it is known here, and what there was after the last look. */
  #tasks = 0;
  #bytes = 0;
  #stored = 0;
  #webhooks = 0;
  #seen: Required<Usage> = { openTasks: 0, openBytes: 0, storedBytes: 0, webhooks: 0 };
  #hasLooked = false;
  #looking: Promise<void> | undefined;
  #nextLookAt = -Infinity;
  #streams = 0;
  #holds = 0;

  constructor(parts: Required<AccountsParts>, scope: Scope) {
    this.#parts = parts;
    this.#scope = scope;
    this.pace = new Pace(parts.limits.bytesPerSecond);
    // A store that cannot tell what an owner has cannot correct what is counted here.
    this.#isCounted = parts.store.usage !== undefined;
  }

  /** Whether it is the account of an owner. */
  isOf({ tenant, owner }: Scope): boolean {
    return this.#scope.owner === owner && this.#scope.tenant === tenant;
  }

  /** Whether something of this process counts with the account. */
  get isInUse(): boolean {
    return this.#streams > 0 || this.#holds > 0;
  }

  /**
   * Makes room for a message of a size, and for the task that it begins; returns a promise if the store has to be asked
   * before. Throws or rejects with the error for the caller if there is no room.
   */
  admit(bytes: number, tasks: 0 | 1): Promise<void> | undefined {
    return this.#admit({ openTasks: tasks, openBytes: bytes, storedBytes: bytes, webhooks: 0 });
  }

  /** Makes room for a webhook, as `admit` does. */
  admitWebhook(): Promise<void> | undefined {
    return this.#admit({ openTasks: 0, openBytes: 0, storedBytes: 0, webhooks: 1 });
  }

  /** Counts what a task has gained; less than 0 for what it has lost. */
  grow(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes + bytes);
    this.#stored = Math.max(0, this.#stored + bytes);
  }

  /** Takes back a message that was admitted and not accepted, with the task that it would have begun. */
  cancel(bytes: number, tasks: 0 | 1): void {
    this.#tasks = Math.max(0, this.#tasks - tasks);
    this.grow(-bytes);
  }

  /** Counts a task that has ended, with its size. */
  end(bytes: number): void {
    this.#tasks = Math.max(0, this.#tasks - 1);
    this.#bytes = Math.max(0, this.#bytes - bytes);
  }

  /** Keeps the account while a task of it is at work in this process. */
  hold(): void {
    this.#holds += 1;
  }

  /** Ends a `hold`. */
  release(): void {
    this.#holds -= 1;
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

  #admit(more: Required<Usage>): Promise<void> | undefined {
    if (!this.#isCounted) return undefined;
    const refusal = this.#refusalOf(more);
    const isUnsure = this.#isUnsure(more);
    // What is known may be old, and more may have ended in other processes than has begun.
    if (refusal !== undefined || (isUnsure && !this.#hasLooked)) return this.#admitAfterLook(more);
    if (isUnsure) void this.#look();
    this.#add(more);
    return undefined;
  }

  async #admitAfterLook(more: Required<Usage>): Promise<void> {
    await this.#look();
    const refusal = this.#refusalOf(more);
    if (refusal !== undefined) throw refusal;
    this.#add(more);
  }

  #add({ openTasks, openBytes, webhooks }: Usage): void {
    this.#tasks += openTasks;
    this.#webhooks += webhooks;
    this.grow(openBytes);
  }

  #refusalOf({ openTasks, openBytes, webhooks, storedBytes }: Required<Usage>): A2AError | undefined {
    const { maxOpenTasks, maxOpenBytes, maxStoredBytes, maxWebhooks } = this.#parts.limits;
    if (openTasks > 0 && this.#tasks + openTasks > maxOpenTasks) return exhausted("maxOpenTasks", maxOpenTasks);
    if (openBytes > 0 && this.#bytes + openBytes > maxOpenBytes) return exhausted("maxOpenBytes", maxOpenBytes);
    if (storedBytes > 0 && this.#stored + storedBytes > maxStoredBytes)
      return exhausted("maxStoredBytes", maxStoredBytes);
    if (webhooks > 0 && this.#webhooks + webhooks > maxWebhooks) return exhausted("maxWebhooks", maxWebhooks);
    return undefined;
  }

  /** Whether so much has been added since the last look that other processes may have used up the rest. */
  #isUnsure({ openTasks, openBytes, webhooks, storedBytes }: Required<Usage>): boolean {
    const { maxOpenTasks, maxOpenBytes, maxStoredBytes, maxWebhooks } = this.#parts.limits;
    const seen = this.#seen;
    return (
      this.#tasks + openTasks - seen.openTasks > (maxOpenTasks - seen.openTasks) * share ||
      this.#bytes + openBytes - seen.openBytes > (maxOpenBytes - seen.openBytes) * share ||
      this.#stored + storedBytes - seen.storedBytes > (maxStoredBytes - seen.storedBytes) * share ||
      this.#webhooks + webhooks - seen.webhooks > (maxWebhooks - seen.webhooks) * share
    );
  }

  /** Asks the store, unless it was asked a short time ago. Never rejects. */
  #look(): Promise<void> {
    if (this.#looking === undefined && this.#parts.clock() >= this.#nextLookAt)
      this.#looking = this.#ask().finally(() => {
        this.#looking = undefined;
      });
    return this.#looking ?? Promise.resolve();
  }

  async #ask(): Promise<void> {
    const { store, limits, clock, report } = this.#parts;
    const begunAt = clock();
    const before = { tasks: this.#tasks, bytes: this.#bytes, stored: this.#stored, webhooks: this.#webhooks };
    try {
      const usage = await store.usage?.(this.#scope, limits.maxStoredBytes < Infinity);
      if (usage === undefined) return;
      const { openTasks, openBytes, webhooks, storedBytes = 0 } = usage;
      this.#seen = { openTasks, openBytes, webhooks, storedBytes };
      this.#hasLooked = true;
      // What has come and gone meanwhile may be counted in the answer or not; the next look tells.
      this.#tasks = Math.max(0, openTasks + this.#tasks - before.tasks);
      this.#bytes = Math.max(0, openBytes + this.#bytes - before.bytes);
      this.#stored = Math.max(0, storedBytes + this.#stored - before.stored);
      this.#webhooks = Math.max(0, webhooks + this.#webhooks - before.webhooks);
    } catch (error) {
      // An owner is not refused because the store cannot count.
      report(error);
    } finally {
      const tookMs = clock() - begunAt;
      this.#nextLookAt = clock() + Math.max(lookEveryMs, lookRatio * tookMs);
    }
  }
}
