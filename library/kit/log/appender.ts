import { extended } from "../copy.js";
import type { Environment } from "../engine/environment.js";
import {
  type Appended,
  type AppendOptions,
  type Entry,
  type InboxItem,
  type Lease,
  LeaseLostError,
} from "../store.js";
import type { LeaseClock } from "./lease-clock.js";

/**
 * Delay in milliseconds before a failed write is retried: the initial delay, which doubles with
 * each retry, and the maximum delay.
 */
const firstDelayMs = 50;
const maxDelayMs = 1_000;

/** Changes that are appended in one call. */
interface Changes {
  readonly entries: readonly Entry[];
  /** Ids of the inbox items that are taken. */
  readonly taken: readonly string[];
  readonly options: AppendOptions;
}

/**
 * Appends to the log of one task, and keeps the part of its inbox that the store does not repeat.
 */
export class Appender {
  readonly #environment: Environment;
  readonly #clock: LeaseClock;
  readonly #isBroken: () => boolean;
  /** Inbox items that were not taken, up to the position that the store returned. */
  #inbox: readonly InboxItem[] = [];
  #seen: number | undefined;

  /** `isBroken` returns whether no further writes are possible. */
  constructor(environment: Environment, clock: LeaseClock, isBroken: () => boolean) {
    this.#environment = environment;
    this.#clock = clock;
    this.#isBroken = isBroken;
  }

  /**
   * Appends the changes of one write. Retries a failed call until the lease may have expired, or
   * until no further writes are possible.
   */
  async append(lease: Lease, { entries, taken, options }: Changes): Promise<Appended> {
    const { store, claim } = this.#environment;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const since = performance.now();
      try {
        const given = extended(options, { taken, ttlMs: claim.ttlMs, seen: this.#seen });
        const found = await store.append(lease, entries, given);
        // The store may leave a lease unchanged while at least two thirds of its time are left.
        if (!this.#isBroken()) this.#clock.hold(since, (claim.ttlMs * 2) / 3);
        return this.#withKnown(found, taken);
      } catch (error) {
        // This call can be repeated, because the store ignores entries that this lease has already
        // appended.
        if (error instanceof LeaseLostError || this.#clock.isOver || this.#isBroken()) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        if (this.#isBroken()) throw error;
      }
    }
  }

  /**
   * Returns the result of an append, with the items that the store has returned earlier and does
   * not repeat.
   */
  #withKnown(found: Appended, taken: readonly string[]): Appended {
    const { inbox, seen } = found;
    const continues = this.#seen !== undefined && seen !== undefined;
    this.#seen = seen;
    if (!continues || this.#inbox.length === 0) {
      this.#inbox = inbox;
      return found;
    }
    const known =
      taken.length === 0 ? this.#inbox : this.#inbox.filter(({ id }) => !taken.includes(id));
    this.#inbox = inbox.length === 0 ? known : [...known, ...inbox];
    return { ...found, inbox: this.#inbox };
  }
}
