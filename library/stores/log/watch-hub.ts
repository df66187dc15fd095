import type { Entry, Reset, Stored, Watch } from "../../kit/store.js";
import type { Position } from "./rows.js";

/** Consecutive entries of a log, and the position of the last entry. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly end: Position;
  /** The current task, which replaces the entries if they were removed from the log. */
  readonly reset?: Stored | undefined;
}

/** Reads entries of a task after a position. The batch may end before the end of the log. */
export type ReadBatch = (id: string, after: Position) => Promise<Batch>;

interface Waiting {
  readonly resolve: (found: readonly Entry[] | Reset | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The watches of a store in this process. Notifications only determine when a watch reads the log.
 * Additional or late notifications do not change which entries a watch returns.
 */
export class WatchHub {
  readonly #read: ReadBatch;
  readonly #onUse: () => void;
  readonly #watches = new Map<string, Set<LogWatch>>();
  readonly #reads = new Map<string, Promise<Batch>>();
  /**
   * Watched tasks that were found in the store. If such a task is missing later, it was deleted.
   */
  readonly #known = new Set<string>();

  /**
   * Creates a hub without watches.
   * @param onUse Called whenever a watch is opened or closed.
   */
  constructor(read: ReadBatch, onUse: () => void) {
    this.#read = read;
    this.#onUse = onUse;
  }

  /** Ids of the watched tasks. */
  get ids(): readonly string[] {
    return [...this.#watches.keys()];
  }

  get isUsed(): boolean {
    return this.#watches.size > 0;
  }

  isWatched(id: string): boolean {
    return this.#watches.has(id);
  }

  watch(id: string, after: number): Watch {
    const watches = this.#watches.get(id) ?? new Set<LogWatch>();
    const watch = new LogWatch(
      { generation: after, nth: 0 },
      (position) => this.#readOnce(id, position),
      () => {
        watches.delete(watch);
        if (watches.size === 0 && this.#watches.get(id) === watches) {
          this.#watches.delete(id);
          this.#known.delete(id);
        }
        this.#onUse();
      },
    );
    this.#watches.set(id, watches.add(watch));
    if (after > 0) this.#known.add(id);
    this.#onUse();
    return watch;
  }

  /**
   * Offers entries that this process has appended to the watches of the task. A watch at exactly
   * this position does not read the entries from the store.
   */
  appended(id: string, before: Position, batch: Batch): void {
    if (batch.entries.length === 0) return;
    for (const watch of this.#watches.get(id) ?? []) watch.offer(before, batch);
  }

  /**
   * Wakes the watches of a task whose log may have grown.
   * @param id The task. If it is absent, the watches of all tasks wake.
   * @param end The end of the log, if it is known.
   */
  wake(id?: string, end?: Position): void {
    const woken = id === undefined ? [...this.#watches.values()] : [this.#watches.get(id) ?? []];
    for (const watches of woken) for (const watch of watches) watch.wake(end);
  }

  /**
   * Ends the watches of deleted tasks: tasks in `ids` that existed before and are missing in
   * `found`. A task that was never found may still be created.
   */
  endDeleted(ids: readonly string[], found: ReadonlySet<string>): void {
    for (const id of ids) {
      const watches = this.#watches.get(id);
      if (watches === undefined) continue;
      if (found.has(id)) this.#known.add(id);
      else if (this.#known.has(id)) for (const watch of [...watches]) watch.close();
    }
  }

  close(): void {
    for (const watches of [...this.#watches.values()])
      for (const watch of [...watches]) watch.close();
  }

  /** Reads the entries after a position. Watches at the same position share one read. */
  #readOnce(id: string, after: Position): SharedRead {
    const key = `${String(after.generation)} ${String(after.nth)} ${id}`;
    const running = this.#reads.get(key);
    if (running !== undefined) return { batch: running, isNew: false };
    const batch = this.#read(id, after).finally(() => this.#reads.delete(key));
    this.#reads.set(key, batch);
    return { batch, isNew: true };
  }
}

interface SharedRead {
  readonly batch: Promise<Batch>;
  /** `false` if the read was already running, so that it may miss the latest entries. */
  readonly isNew: boolean;
}

class LogWatch implements Watch {
  readonly #read: (after: Position) => SharedRead;
  readonly #onClose: () => void;
  readonly #waiting: Waiting[] = [];
  #position: Position;
  #isReading = false;
  /** Whether the log may contain unread entries although its end is unknown. */
  #isStale = true;
  /** The latest known end of the log. */
  #end: Position | undefined;
  #isClosed = false;

  constructor(position: Position, read: (after: Position) => SharedRead, onClose: () => void) {
    this.#position = position;
    this.#read = read;
    this.#onClose = onClose;
  }

  next(): Promise<readonly Entry[] | Reset | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#advance();
    });
  }

  /**
   * Continues to read if the log may have grown beyond the position of this watch. This process may
   * already have delivered the new entries.
   */
  wake(end?: Position): void {
    if (end === undefined) this.#isStale = true;
    else if (isAfter(end, this.#end ?? this.#position)) this.#end = end;
    this.#advance();
  }

  /**
   * Delivers entries if the watch is waiting for exactly these entries. Otherwise, wakes the watch.
   */
  offer({ generation, nth }: Position, batch: Batch): void {
    const isNext = generation === this.#position.generation && nth === this.#position.nth;
    if (this.#isReading || this.#waiting.length === 0 || !isNext) {
      this.wake(batch.end);
      return;
    }
    // The log ended at the position of this watch, so the batch contains all entries that the watch
    // has not returned yet.
    this.#isStale = false;
    this.#deliver(batch);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined);
    this.#onClose();
  }

  #advance(): void {
    if (this.#isReading || this.#isClosed || this.#waiting.length === 0) return;
    // Clear `#isStale` before the read, so that a wake-up during the read sets it again and is not
    // lost.
    const [wasStale, end] = [this.#isStale, this.#end];
    if (!wasStale && (end === undefined || !isAfter(end, this.#position))) return;
    this.#isReading = true;
    this.#isStale = false;
    const { batch: read, isNew } = this.#read(this.#position);
    read.then(
      (batch) => {
        this.#isReading = false;
        // If the end of the log is known, no further read is required. Otherwise, only an empty
        // batch of a new read proves that no entries are left.
        this.#isStale ||= wasStale && (batch.entries.length > 0 || !isNew);
        // After a failover, a database may have lost entries for which it had sent notifications.
        // Clear the end, because this watch would otherwise read in a loop.
        if (batch.entries.length === 0 && isNew && this.#end === end) this.#end = undefined;
        this.#deliver(batch);
        this.#advance();
      },
      (error: unknown) => {
        this.#isReading = false;
        this.#isStale = true;
        this.#waiting.shift()?.reject(error);
        this.#advance();
      },
    );
  }

  #deliver({ entries, end, reset }: Batch): void {
    if ((entries.length === 0 && reset === undefined) || this.#isClosed) return;
    this.#position = end;
    this.#waiting.shift()?.resolve(reset === undefined ? entries : { reset });
  }
}

function isAfter({ generation, nth }: Position, start: Position): boolean {
  return generation > start.generation || (generation === start.generation && nth > start.nth);
}
