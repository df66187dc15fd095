import { type Count, countOf } from "./count.js";
import type { OwnerAccount } from "./owner-account.js";
import type { Pace } from "./pace.js";
import type { Scope } from "../store.js";

/** What an owner has in one tenant. */
export class Account {
  readonly scope: Scope;
  readonly #owner: OwnerAccount;
  readonly #count: Count = countOf();
  #holds = 0;
  #isDropped = false;

  constructor(scope: Scope, owner: OwnerAccount) {
    this.scope = scope;
    this.#owner = owner;
  }

  /** The pace of all calls of the owner. */
  get pace(): Pace {
    return this.#owner.pace;
  }

  /** What there is, as far as it is known here. */
  get count(): Count {
    return this.#count;
  }

  /** Whether there is something that the store may know better. */
  get isAny(): boolean {
    const { openTasks, openBytes, webhooks } = this.#count;
    return openTasks > 0 || openBytes > 0 || webhooks > 0;
  }

  /** Returns whether the account counts nothing, and no task of it is at work. */
  isIdle(withStored: boolean): boolean {
    const { openTasks, webhooks, storedBytes } = this.#count;
    return this.#holds === 0 && openTasks === 0 && webhooks === 0 && !(withStored && storedBytes > 0);
  }

  /** Whether it is the account of a scope. */
  isOf({ tenant, owner }: Scope): boolean {
    return this.scope.owner === owner && this.scope.tenant === tenant && !this.#isDropped;
  }

  /**
   * Makes room for a message of a size, and for the task that it begins; returns a promise if the store has to be asked
   * before. Throws or rejects with the error for the caller if there is no room.
   */
  admit(bytes: number, tasks: 0 | 1): Promise<void> | undefined {
    return this.#owner.admit(this, { openTasks: tasks, openBytes: bytes, storedBytes: bytes, webhooks: 0 });
  }

  /** Makes room for a webhook, as `admit` does. */
  admitWebhook(): Promise<void> | undefined {
    return this.#owner.admit(this, { openTasks: 0, openBytes: 0, storedBytes: 0, webhooks: 1 });
  }

  /** Takes back a webhook that was admitted and not made. */
  cancelWebhook(): void {
    this.add({ openTasks: 0, openBytes: 0, storedBytes: 0, webhooks: -1 });
  }

  /** Notes that something of the owner was deleted. */
  deleted(): void {
    this.#owner.deleted();
  }

  /** Counts what a task has gained; less than 0 for what it has lost. */
  grow(bytes: number): void {
    this.#current.#grow(bytes, bytes);
  }

  /** Takes back a message that was admitted and not accepted, with the task that it would have begun. */
  cancel(bytes: number, tasks: 0 | 1): void {
    this.add({ openTasks: -tasks, openBytes: -bytes, storedBytes: -bytes, webhooks: 0 });
  }

  /** Counts a task that has ended, with the bytes of it that were counted here. */
  end(bytes: number): void {
    this.add({ openTasks: -1, openBytes: -bytes, storedBytes: 0, webhooks: 0 });
  }

  /** Keeps the account while a task of it is at work in this process. */
  hold(): void {
    this.#holds += 1;
    this.#owner.hold(1);
  }

  /** Ends a `hold`. */
  release(): void {
    this.#holds -= 1;
    this.#owner.hold(-1);
  }

  /** Counts a stream that begins. Throws the error for the caller if there are too many. */
  openStream(): void {
    this.#owner.openStream();
  }

  /** Counts a stream that has ended. */
  closeStream(): void {
    this.#owner.closeStream();
  }

  /** Adds to the count, also to that of the owner; never below 0. */
  add({ openTasks, openBytes, storedBytes, webhooks }: Count): void {
    const account = this.#current;
    account.#grow(openBytes, storedBytes);
    if (openTasks !== 0) account.#add("openTasks", openTasks);
    if (webhooks !== 0) account.#add("webhooks", webhooks);
  }

  /** Replaces what was counted at a time by what the store says, and keeps what has come since. */
  correct(before: Count, usage: Count): void {
    for (const name of names) this.#add(name, usage[name] - before[name]);
  }

  /** Removes what it counts from the owner, which makes another account when there is something again. */
  drop(): void {
    for (const name of names) this.#add(name, -this.#count[name]);
    this.#isDropped = true;
  }

  /** The account that counts: a call may have waited while this one was dropped. */
  get #current(): Account {
    return this.#isDropped ? this.#owner.in(this.scope) : this;
  }

  /** Adds bytes. Each update of each turn comes here, which is why no names are looked up. */
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

  #add(name: keyof Count, more: number): void {
    const before = this.#count[name];
    const after = Math.max(0, before + more);
    this.#count[name] = after;
    this.#owner.count[name] += after - before;
  }
}

const names: readonly (keyof Count)[] = ["openTasks", "openBytes", "storedBytes", "webhooks"];
