import type { Entry, Reset, Stored, Watch } from "../../store.js";
import type { Position } from "./rows.js";

/** Entries that follow each other, and where the last of them is. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly end: Position;
  /** The task in place of entries that have gone. */
  readonly reset?: Stored | undefined;
}

/** Reads the entries of a task after a position, not necessarily all of them. */
export type ReadBatch = (id: string, after: Position) => Promise<Batch>;

interface Waiting {
  readonly resolve: (found: readonly Entry[] | Reset | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The watches of a store in this process. They read the log when somebody says that it has grown; whether that is said
 * too often or too late changes nothing in what they return.
 */
export class WatchHub {
  readonly #read: ReadBatch;
  readonly #onUse: () => void;
  readonly #watches = new Map<string, Set<LogWatch>>();
  readonly #reads = new Map<string, Promise<Batch>>();

  /** `onUse` is called with each watch that is opened or closed. */
  constructor(read: ReadBatch, onUse: () => void) {
    this.#read = read;
    this.#onUse = onUse;
  }

  /** The tasks that are watched. */
  get ids(): readonly string[] {
    return [...this.#watches.keys()];
  }

  get isUsed(): boolean {
    return this.#watches.size > 0;
  }

  watch(id: string, after: number): Watch {
    const watches = this.#watches.get(id) ?? new Set<LogWatch>();
    const watch = new LogWatch(
      { generation: after, nth: 0 },
      (position) => this.#readOnce(id, position),
      () => {
        watches.delete(watch);
        if (watches.size === 0 && this.#watches.get(id) === watches) this.#watches.delete(id);
        this.#onUse();
      },
    );
    this.#watches.set(id, watches.add(watch));
    this.#onUse();
    return watch;
  }

  /** Entries were appended in this process. Who waits for just these need not read them. */
  appended(id: string, before: Position, batch: Batch): void {
    if (batch.entries.length === 0) return;
    for (const watch of this.#watches.get(id) ?? []) watch.offer(before, batch);
  }

  /** The log of a task may have grown, up to an end where that is known; without an id, that of any task. */
  wake(id?: string, end?: Position): void {
    const woken = id === undefined ? [...this.#watches.values()] : [this.#watches.get(id) ?? []];
    for (const watches of woken) for (const watch of watches) watch.wake(end);
  }

  /** A task was deleted, by any process: nothing more comes of it. */
  gone(id: string): void {
    for (const watch of [...(this.#watches.get(id) ?? [])]) watch.close();
  }

  close(): void {
    for (const watches of [...this.#watches.values()]) for (const watch of [...watches]) watch.close();
  }

  /** Watches that are at the same position share what is read. */
  #readOnce(id: string, after: Position): Promise<Batch> {
    const key = `${String(after.generation)} ${String(after.nth)} ${id}`;
    const running = this.#reads.get(key);
    if (running !== undefined) return running;
    const read = this.#read(id, after).finally(() => this.#reads.delete(key));
    this.#reads.set(key, read);
    return read;
  }
}

class LogWatch implements Watch {
  readonly #read: (after: Position) => Promise<Batch>;
  readonly #onClose: () => void;
  readonly #waiting: Waiting[] = [];
  #position: Position;
  #isReading = false;
  /** Whether there may be entries that were not read, nobody knows how many. */
  #isStale = true;
  /** Where the log ends, as far as that was told. */
  #end: Position | undefined;
  #isClosed = false;

  constructor(position: Position, read: (after: Position) => Promise<Batch>, onClose: () => void) {
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

  /** There may be entries up to an end. Those of this process have been here already. */
  wake(end?: Position): void {
    if (end === undefined) this.#isStale = true;
    else if (isAfter(end, this.#end ?? this.#position)) this.#end = end;
    this.#advance();
  }

  /** Returns entries to who waits for those after this position. */
  offer({ generation, nth }: Position, batch: Batch): void {
    const { generation: own, nth: ownNth } = this.#position;
    if (this.#isReading || this.#waiting.length === 0 || generation !== own || nth !== ownNth) {
      this.wake(batch.end);
      return;
    }
    // The log ended where this watch is, so these are all that it has not returned.
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
    const [wasStale, end] = [this.#isStale, this.#end];
    if (!wasStale && (end === undefined || !isAfter(end, this.#position))) return;
    this.#isReading = true;
    this.#isStale = false;
    this.#read(this.#position).then(
      (batch) => {
        this.#isReading = false;
        // Up to an end that was told, nothing has to be looked for once more.
        this.#isStale ||= wasStale && batch.entries.length > 0;
        // An engine may have lost what it has told of.
        if (batch.entries.length === 0 && this.#end === end) this.#end = undefined;
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

function isAfter(one: Position, other: Position): boolean {
  return one.generation > other.generation || (one.generation === other.generation && one.nth > other.nth);
}
