import type { Account } from "./account.js";
import { type AccountParts, OwnerAccount } from "./owner-account.js";
import type { Scope } from "../store.js";

/** Dependencies of {@link Accounts}. */
export interface AccountsParts extends Omit<AccountParts, "clock"> {
  /** Returns milliseconds that never go back; `performance.now` by default. */
  readonly clock?: () => number;
}

/** Number of owners above which those without work in this process are dropped. */
const maxOwners = 20_000;

/** Owners that one call looks at to find some that can be dropped. */
const dropSteps = 100;

/** Counts what each owner of tasks has, and refuses what is more than the limits allow. */
export class Accounts {
  readonly #parts: AccountParts;
  readonly #owners = new Map<string, OwnerAccount>();
  /** The account that was last asked for: a message asks several times. */
  #last: Account | undefined;

  constructor({ clock = () => performance.now(), ...parts }: AccountsParts) {
    this.#parts = { ...parts, clock };
  }

  /** Returns the account of an owner in a tenant. It counts with those of the owner in all tenants: callers name these. */
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

  /** Drops owners that have no work in this process. The store knows what they have. */
  #drop(): void {
    let steps = 0;
    for (const [name, owner] of this.#owners) {
      if ((steps += 1) > dropSteps || this.#owners.size < maxOwners) return;
      this.#owners.delete(name);
      if (owner.isInUse) this.#owners.set(name, owner);
    }
  }
}
