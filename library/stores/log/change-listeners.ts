import type { Claim, Lease, Watch } from "../../kit/store.js";
import { LeaseHolders } from "./lease-holders.js";
import { Listeners } from "./listeners.js";
import { type Listen, Notifications } from "./notifications.js";
import { Poll, type StoreState } from "./poll.js";
import type { Position } from "./rows.js";
import { type Batch, type ReadBatch, WatchHub } from "./watch-hub.js";

/** Notifies other processes of changes, if the database does not do so itself. */
export interface ChangeNotifier {
  /** Notifies other processes that the log of a task has grown to a new end. */
  grown(id: string, end: Position): void;
  /**
   * Notifies other processes that an item was posted to a task. `count` is the number of items
   * posted so far.
   */
  posted(id: string, count: number): void;
  /** Notifies other processes that a webhook is due. */
  due(): void;
}

/** Options for {@link ChangeListeners}. They define how changes by other processes are found. */
export interface ChangeListenersOptions {
  readonly read: ReadBatch;
  readonly readState: (ids: readonly string[]) => Promise<StoreState>;
  /**
   * Returns a number that changes with each write by another process. While the number is the same,
   * polls are skipped.
   */
  readonly version?: () => number | undefined;
  readonly pollMs: number;
  /**
   * Subscribes to notifications from the database. Without this function, changes are only found by
   * polling.
   */
  readonly listen?: Listen | undefined;
  readonly notifier?: ChangeNotifier;
}

/**
 * The subscribers in this process to changes in a store: watches, lease holders and webhook
 * senders.
 */
export class ChangeListeners {
  readonly #hub: WatchHub;
  readonly #leaseHolders = new LeaseHolders();
  readonly #listeners = new Listeners();
  readonly #poll: Poll;
  readonly #notifications: Notifications | undefined;
  readonly #notifier: ChangeNotifier | undefined;

  constructor({ read, readState, version, pollMs, listen, notifier }: ChangeListenersOptions) {
    this.#notifier = notifier;
    this.#hub = new WatchHub(read, () => {
      this.#update();
    });
    const handlers = {
      onEntries: (id: string, end: Position): void => {
        this.#hub.wake(id, end);
      },
      onPost: (id: string, count: number): void => {
        this.#leaseHolders.posted(id, count);
      },
      onDue: (): void => {
        this.#listeners.announce();
      },
    };
    const ids = (): readonly string[] => [...this.#hub.ids, ...this.#leaseHolders.ids];
    const onPolled = (polled: readonly string[], found: ReadonlySet<string>): void => {
      this.#hub.endDeleted(polled, found);
    };
    this.#poll = new Poll(
      { readState, version, intervalMs: pollMs },
      { ids, ...handlers, onPolled },
    );
    const onAnything = (): void => {
      this.#hub.wake();
      void this.#poll.pollNow();
    };
    if (listen !== undefined)
      this.#notifications = new Notifications(listen, { ...handlers, onAnything });
  }

  watch(id: string, after: number): Watch {
    return this.#hub.watch(id, after);
  }

  /**
   * Delivers entries that this process has appended, and notifies other processes. If an append is
   * repeated, its entries are not delivered again, but other processes are notified again, because
   * the notification of the first call may have been lost.
   */
  appended(id: string, before: Position, batch: Batch): void {
    this.#hub.appended(id, before, batch);
    this.#notifier?.grown(id, batch.end);
  }

  /** Notifies the lease holder of a task that an item was posted. */
  posted(id: string, count: number): void {
    this.#leaseHolders.posted(id, count);
    this.#notifier?.posted(id, count);
  }

  /**
   * Polls immediately if watches are open, because this process has deleted tasks and the watches
   * of these tasks must end.
   */
  erased(): void {
    if (this.#hub.isUsed) void this.#poll.pollNow();
  }

  /**
   * Notifies webhook senders that a webhook is due. If the database sends notifications, this
   * process also receives them.
   */
  due(): void {
    if (this.#notifications === undefined) this.#listeners.announce();
    this.#notifier?.due();
  }

  onDue(listener: () => void): () => void {
    const stop = this.#listeners.add(listener);
    this.#update();
    return () => {
      stop();
      this.#update();
    };
  }

  /** Adds a lease that was acquired or renewed. */
  hold(lease: Lease, claim: Claim): void {
    this.#leaseHolders.add(lease, claim);
    this.#update();
  }

  /** Removes a lease that was released or lost. */
  release(lease: Lease): void {
    this.#leaseHolders.remove(lease);
    this.#update();
  }

  /** Ends all watches, and stops polling and listening. */
  close(): void {
    this.#hub.close();
    this.#setWanted(false);
  }

  /** Only polls and listens while this process has a watch, a lease holder or a webhook sender. */
  #update(): void {
    this.#setWanted(this.#hub.isUsed || this.#leaseHolders.isUsed || this.#listeners.isUsed);
  }

  #setWanted(isWanted: boolean): void {
    this.#notifications?.want(isWanted);
    this.#poll.want(isWanted);
  }
}
