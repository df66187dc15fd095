import type { Entry, Reset, Scope, Watch } from "../store.js";
import type { TaskRecord } from "./task-record.js";

/** Result of a watch. */
type Found = readonly Entry[] | Reset | undefined;

/** The part of the store that a watch calls. */
export interface WatchOwner {
  /** Called when a watch is closed. */
  closed(watch: LogWatch): void;
}

/** The task of a watch, which may not exist yet. */
export interface WatchedTask {
  readonly scope: Scope;
  readonly id: string;
}

/** Reads the entries of one task. All watches of a task share the entries. */
export class LogWatch implements Watch {
  readonly scope: Scope;
  readonly id: string;
  readonly #owner: WatchOwner;
  readonly #after: number;
  #record: TaskRecord | undefined;
  #position: number | undefined;
  #waiting: ((found: Found) => void) | undefined;
  #pending: Promise<Found> | undefined;
  #isClosed = false;

  constructor({ scope, id }: WatchedTask, after: number, owner: WatchOwner) {
    this.scope = scope;
    this.id = id;
    this.#after = after;
    this.#owner = owner;
  }

  /** The task, if it exists. */
  get record(): TaskRecord | undefined {
    return this.#record;
  }

  /** Position of the first entry that the watch has not returned. */
  get position(): number {
    return this.#position ?? 0;
  }

  /** Connects the watch to its task, which now exists. */
  attach(record: TaskRecord): void {
    this.#record = record;
    this.#position = record.log.positionAfter(this.#after);
    record.watches ??= new Set();
    record.watches.add(this);
  }

  next(): Promise<Found> {
    // If several calls are waiting, they get their results in the order of the calls.
    if (this.#pending !== undefined) return this.#pending.then(() => this.next());
    const found = this.#isClosed ? undefined : this.#take();
    if (found !== undefined || this.#isClosed) return Promise.resolve(found);
    this.#pending = new Promise((resolve) => {
      this.#waiting = resolve;
    });
    return this.#pending;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#record?.watches?.delete(this);
    if (this.#record?.watches?.size === 0) this.#record.watches = undefined;
    this.#owner.closed(this);
    this.#record = undefined;
    this.#settle(undefined);
  }

  /**
   * Delivers new entries if the watch is waiting.
   * @param entries The appended entries. If the watch has returned all earlier entries, they are
   *   delivered directly.
   */
  wake(entries: readonly Entry[]): void {
    if (this.#waiting === undefined || this.#record === undefined) return;
    const { log } = this.#record;
    if (this.#position !== log.end - entries.length || this.#startsAfter(entries)) {
      const found = this.#take();
      if (found !== undefined) this.#settle(found);
      return;
    }
    this.#position = log.end;
    this.#settle(entries);
  }

  /** Returns whether the watch starts after the first of these entries. */
  #startsAfter(entries: readonly Entry[]): boolean {
    const first = entries.at(0);
    return first === undefined || first.generation <= this.#after;
  }

  #take(): Found {
    const record = this.#record;
    if (record === undefined) return undefined;
    const { log } = record;
    const start = Math.max(this.#position ?? -1, log.positionAfter(this.#after) ?? -1);
    this.#position = log.end;
    if (start === log.end) return undefined;
    return log.from(start) ?? { reset: record.stored() };
  }

  #settle(found: Found): void {
    const resolve = this.#waiting;
    this.#waiting = undefined;
    this.#pending = undefined;
    resolve?.(found);
  }
}

/** The watches of tasks that do not exist yet. */
export class EarlyWatches {
  readonly #byTask = new Map<string, Set<LogWatch>>();

  add(watch: LogWatch): void {
    const watches = this.#byTask.get(watch.id);
    if (watches === undefined) this.#byTask.set(watch.id, new Set([watch]));
    else watches.add(watch);
  }

  remove(watch: LogWatch): void {
    const watches = this.#byTask.get(watch.id);
    if (watches?.delete(watch) === true && watches.size === 0) this.#byTask.delete(watch.id);
  }

  /** Connects the waiting watches of a task to the task. */
  attach(record: TaskRecord): void {
    for (const watch of this.#byTask.get(record.id) ?? []) {
      if (!record.isIn(watch.scope)) continue;
      this.remove(watch);
      watch.attach(record);
    }
  }
}
