import type { Account } from "./account.js";
import { type AccountParts, OwnerAccount } from "./owner-account.js";
import type { Scope } from "../store.js";

/** Dependencies of {@link Accounts}. */
export interface AccountsParts extends Omit<AccountParts, "clock"> {
  /** Monotonic clock in milliseconds; `performance.now` by default. */
  readonly clock?: () => number;
}

/** Number of owners in memory above which owners without work in this process are dropped. */
const maxOwners = 20_000;

/** Maximum number of owners that one call examines to find owners to drop. */
const dropSteps = 100;

/**
 * Counts the resource usage of each owner of tasks, and rejects additions that would exceed the
 * limits.
 */
export class Accounts {
  readonly #parts: AccountParts;
  readonly #owners = new Map<string, OwnerAccount>();
  /**
   * The last requested account. It is cached because each message requests its account several
   * times.
   */
  #last: Account | undefined;

  constructor({ clock = () => performance.now(), ...parts }: AccountsParts) {
    this.#parts = { ...parts, clock };
  }

  /**
   * Returns the account of an owner in a tenant. All accounts of an owner count together, because
   * callers choose their tenants.
   */
  of(scope: Scope): Account {
    if (this.#last?.isOf(scope) !== true) this.#last = this.#ownerOf(scope.owner).in(scope);
    return this.#last;
  }

  #ownerOf(name: string): OwnerAccount {
    let owner = this.#owners.get(name);
    if (owner !== undefined) return owner;
    if (this.#owners.size >= maxOwners) this.#drop();
    this.#owners.set(name, (owner = new OwnerAccount(this.#parts)));
    return owner;
  }

  /**
   * Drops owners that have no work in this process. Their usage can be read from the store again.
   */
  #drop(): void {
    let steps = 0;
    for (const [name, owner] of this.#owners) {
      if ((steps += 1) > dropSteps || this.#owners.size < maxOwners) return;
      this.#owners.delete(name);
      if (owner.isInUse) this.#owners.set(name, owner);
    }
  }
}
