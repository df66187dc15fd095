import { type Count, countOf } from "./count.js";
import type { Pace } from "./pace.js";
import type { Scope } from "../store.js";

/** An owner of accounts, with the sum of its accounts. */
export interface AccountOwner {
  readonly pace: Pace;
  readonly count: Count;
  /** Returns the account of the owner in a tenant. */
  in(scope: Scope): Account;
  /** Reserves room for an addition to an account, like {@link Account.admit}. */
  admit(account: Account, change: Count): Promise<void> | undefined;
  deleted(): void;
  hold(count: 1 | -1): void;
  openStream(): void;
  closeStream(): void;
}

/** Resource usage of an owner in one tenant. */
export class Account {
  readonly scope: Scope;
  readonly #owner: AccountOwner;
  readonly #count: Count = countOf();
  #holds = 0;
  #isDropped = false;

  constructor(scope: Scope, owner: AccountOwner) {
    this.scope = scope;
    this.#owner = owner;
  }

  /** Rate limit for all calls of the owner. */
  get pace(): Pace {
    return this.#owner.pace;
  }

  /** Usage as far as this process knows it. */
  get count(): Count {
    return this.#count;
  }

  /** Whether the account has any usage that a read of the store could correct. */
  get hasUsage(): boolean {
    const { openTasks, openBytes, webhooks } = this.#count;
    return openTasks > 0 || openBytes > 0 || webhooks > 0;
  }

  /** Returns whether the usage is zero and no worker in this process has a task of the account. */
  isIdle(withStored: boolean): boolean {
    const { openTasks, webhooks, storedBytes } = this.#count;
    return (
      this.#holds === 0 && openTasks === 0 && webhooks === 0 && !(withStored && storedBytes > 0)
    );
  }

  /** Returns whether this is the account of a scope. */
  isOf({ tenant, owner }: Scope): boolean {
    return this.scope.owner === owner && this.scope.tenant === tenant && !this.#isDropped;
  }

  /**
   * Reserves room for a message of a given size, and for the task that the message begins. Returns
   * a promise if the usage must be read from the store first. If the limits do not leave enough
   * room, throws the error for the caller, or rejects with this error.
   */
  admit(bytes: number, tasks: 0 | 1): Promise<void> | undefined {
    return this.#owner.admit(this, {
      openTasks: tasks,
      openBytes: bytes,
      storedBytes: bytes,
      webhooks: 0,
    });
  }

  /** Reserves room for a webhook, in the same way as `admit`. */
  admitWebhook(): Promise<void> | undefined {
    return this.#owner.admit(this, { openTasks: 0, openBytes: 0, storedBytes: 0, webhooks: 1 });
  }

  /** Releases the room for a webhook that was not created. */
  cancelWebhook(): void {
    this.add({ openTasks: 0, openBytes: 0, storedBytes: 0, webhooks: -1 });
  }

  /** Records that data of the owner was deleted. */
  deleted(): void {
    this.#owner.deleted();
  }

  /**
   * Adds the number of bytes by which a task has grown. The number is negative if the task has
   * become smaller.
   */
  grow(bytes: number): void {
    this.#current.#grow(bytes, bytes);
  }

  /**
   * Releases the room for a message that was not accepted, and for the task that it would have
   * begun.
   */
  cancel(bytes: number, tasks: 0 | 1): void {
    this.add({ openTasks: -tasks, openBytes: -bytes, storedBytes: -bytes, webhooks: 0 });
  }

  /**
   * Records that a task has ended. `bytes` is the number of bytes that this account has counted for
   * the task.
   */
  end(bytes: number): void {
    this.add({ openTasks: -1, openBytes: -bytes, storedBytes: 0, webhooks: 0 });
  }

  /** Keeps the account in memory while a worker in this process has one of its tasks. */
  hold(): void {
    this.#holds += 1;
    this.#owner.hold(1);
  }

  /** Ends a `hold`. */
  release(): void {
    this.#holds -= 1;
    this.#owner.hold(-1);
  }

  /** Counts a new stream. Throws the error for the caller if the owner has too many streams. */
  openStream(): void {
    this.#owner.openStream();
  }

  /** Removes an ended stream from the count. */
  closeStream(): void {
    this.#owner.closeStream();
  }

  /** Adds to the usage of the account and its owner. The usage never becomes negative. */
  add({ openTasks, openBytes, storedBytes, webhooks }: Count): void {
    const account = this.#current;
    account.#grow(openBytes, storedBytes);
    if (openTasks !== 0) account.#add("openTasks", openTasks);
    if (webhooks !== 0) account.#add("webhooks", webhooks);
  }

  /**
   * Replaces the usage at an earlier time with the usage that the store reported, and keeps the
   * changes since that time.
   */
  correct(before: Count, usage: Count): void {
    for (const name of names) this.#add(name, usage[name] - before[name]);
  }

  /**
   * Subtracts the account's usage from its owner. If an account is required again, the owner
   * creates a new account.
   */
  drop(): void {
    for (const name of names) this.#add(name, -this.#count[name]);
    this.#isDropped = true;
  }

  /**
   * Returns the owner's current account, because this account may have been dropped while a call
   * was waiting.
   */
  get #current(): Account {
    return this.#isDropped ? this.#owner.in(this.scope) : this;
  }

  /**
   * Adds bytes. This function runs for each update of each turn, so it accesses the members
   * directly, not by name.
   */
  #grow(openBytes: number, storedBytes: number): void {
    const count = this.#count;
    const all = this.#owner.count;
    const open = Math.max(0, count.openBytes + openBytes);
    const stored = Math.max(0, count.storedBytes + storedBytes);
    all.openBytes += open - count.openBytes;
    all.storedBytes += stored - count.storedBytes;
    count.openBytes = open;
    count.storedBytes = stored;
  }

  #add(name: keyof Count, change: number): void {
    const before = this.#count[name];
    const after = Math.max(0, before + change);
    this.#count[name] = after;
    this.#owner.count[name] += after - before;
  }
}

const names: readonly (keyof Count)[] = ["openTasks", "openBytes", "storedBytes", "webhooks"];
