import type { Claim, Lease, Watch } from "../../kit/store.js";
import { withoutHold } from "../../kit/timer.js";
import { LeaseHolders } from "./lease-holders.js";
import { Listeners } from "./listeners.js";
import { type Listen, Notifications } from "./notifications.js";
import { Poll, quickPollMs, type StoreState } from "./poll.js";
import type { Position } from "./rows.js";
import { type Batch, type ReadBatch, WatchHub } from "./watch-hub.js";

/** Notifies other processes of changes that the database does not notify them of itself. */
export interface ChangeNotifier {
  /**
   * Notifies other processes that the log of a task has grown to a new end.
   * @param watchers Names of the processes to notify; all processes if it is absent.
   */
  grown?(id: string, end: Position, watchers?: readonly string[]): void;
  /**
   * Notifies other processes that an item was posted to a task. `count` is the number of items
   * posted so far.
   */
  posted?(id: string, count: number): void;
  /** Notifies other processes that a webhook is due, and that this process will not claim it. */
  due(): void;
  /**
   * Notifies this process. Rejects if the database is unavailable. Absent if notifications always
   * arrive.
   */
  echo?(token: string): Promise<void>;
}

/**
 * Milliseconds between the opening of a watch and the request for notifications, which several
 * watches share. Most watches are opened by the lease holder, or end within this time.
 */
const askDelayMs = 5;

/** Options for {@link ChangeListeners}. They define how changes by other processes are found. */
export interface ChangeListenersOptions {
  readonly read: ReadBatch;
  /**
   * Reads the state of some tasks. Before it reads `watched`, which are some of these tasks, it
   * asks other processes to notify this process of their changes, for at least two polls.
   */
  readonly readState: (ids: readonly string[], watched: readonly string[]) => Promise<StoreState>;
  /**
   * Returns a number that changes with each write by another process. While the number is the same,
   * polls are skipped.
   */
  readonly version?: () => number | undefined;
  /** Interval of the polls in milliseconds; `Infinity` if no other process writes. */
  readonly pollMs: number;
  /**
   * Subscribes to notifications from the database. Without this function, changes are only found by
   * polling.
   */
  readonly listen?: Listen | undefined;
  readonly notifier?: ChangeNotifier;
  /** Called once if notifications do not arrive, so that this process polls instead. */
  readonly onDeaf?: () => void;
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
  /** Watched tasks for which this process will soon ask for notifications. */
  readonly #unasked = new Set<string>();
  #askTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ChangeListenersOptions) {
    const { read, readState, version, pollMs, listen, notifier } = options;
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
      { ids, watched: () => this.#hub.ids.filter(this.#isForeign), ...handlers, onPolled },
    );
    const onAnything = (): void => {
      this.#hub.wake();
      void this.#poll.pollNow();
    };
    if (listen === undefined) return;
    let { onDeaf } = options;
    const onHearing = (isHearing: boolean): void => {
      this.#poll.pace(isHearing ? pollMs : Math.min(pollMs, quickPollMs));
      if (isHearing) return;
      onDeaf?.();
      onDeaf = undefined;
    };
    const echo = notifier?.echo?.bind(notifier);
    this.#notifications = new Notifications(listen, { ...handlers, onAnything, onHearing }, echo);
  }

  watch(id: string, after: number): Watch {
    const watch = this.#hub.watch(id, after);
    this.#ask(id);
    return watch;
  }

  /** Whether this process watches a task to which only other processes may append. */
  readonly #isForeign = (id: string): boolean =>
    this.#hub.isWatched(id) && !this.#leaseHolders.has(id);

  /**
   * Asks other processes to notify this process of changes of a watched task. The lease holder does
   * not ask, because no other process appends.
   */
  #ask(id: string): void {
    if (this.#notifications === undefined || !this.#isForeign(id)) return;
    this.#unasked.add(id);
    this.#askTimer ??= withoutHold(
      setTimeout(() => {
        this.#askTimer = undefined;
        const ids = [...this.#unasked].filter(this.#isForeign);
        this.#unasked.clear();
        if (ids.length > 0) void this.#poll.ask(ids);
      }, askDelayMs),
    );
  }

  /**
   * Delivers the first entries of a task that this process has created. Other processes are not
   * notified: none of them can have asked for it, and few tasks are watched before they exist.
   */
  created(id: string, batch: Batch): void {
    this.#hub.appended(id, { generation: 1, nth: 0 }, batch);
    this.#ask(id);
  }

  /**
   * Delivers entries that this process has appended, and notifies other processes. If an append is
   * repeated, its entries are not delivered again, but other processes are notified again, because
   * the notification of the first call may have been lost.
   * @param watchers Names of the processes that may watch the task; all processes if it is absent.
   */
  appended(id: string, before: Position, batch: Batch, watchers?: readonly string[]): void {
    this.#hub.appended(id, before, batch);
    this.#notifier?.grown?.(id, batch.end, watchers);
  }

  /** Notifies the lease holder of a task that an item was posted. */
  posted(id: string, count: number): void {
    this.#leaseHolders.posted(id, count);
    this.#notifier?.posted?.(id, count);
  }

  /**
   * Polls immediately if watches are open, because this process has deleted tasks and the watches
   * of these tasks must end.
   */
  erased(): void {
    if (this.#hub.isUsed) void this.#poll.pollNow();
  }

  /**
   * Notifies webhook senders that a webhook is due: first the senders of this process, and the
   * senders of other processes only if no sender of this process claims it. Otherwise, each event would wake
   * all processes. If this process fails before it claims the webhook, other processes find it by
   * polling.
   */
  due(): void {
    if (!this.#listeners.announce()) this.#notifier?.due();
  }

  onDue(listener: () => boolean): () => void {
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
    this.#ask(lease.id);
    this.#update();
  }

  /** Ends all watches, and stops polling and listening. */
  close(): void {
    this.#hub.close();
    clearTimeout(this.#askTimer);
    this.#stop();
  }

  /**
   * Only listens while this process has a watch, a lease holder or a webhook sender. Only polls
   * while it has a watch or a lease holder, because webhook senders poll the store themselves. They
   * also depend on polls if the database sends no notifications.
   */
  #update(): void {
    const hasTasks = this.#hub.isUsed || this.#leaseHolders.isUsed;
    const hasSenders = this.#listeners.isUsed;
    this.#notifications?.want(hasTasks || hasSenders);
    this.#poll.want(hasTasks || (hasSenders && this.#notifications === undefined));
  }

  #stop(): void {
    this.#notifications?.want(false);
    this.#poll.want(false);
  }
}
