import type { Environment } from "../engine/environment.js";
import { Appender } from "./appender.js";
import { isLease, leaseOf, type Creation } from "./creation.js";
import { LeaseClock } from "./lease-clock.js";
import {
  type Appended,
  type Entry,
  type InboxItem,
  type Lease,
  type TaskEvent,
  type TraceContext,
} from "../store.js";
import { countedBytes } from "../limits/pace.js";
import { maxQueueBytes } from "../limits/size.js";
import { errorOf } from "../thrown.js";
import type { Message, TaskArtifactUpdateEvent } from "../model.js";

/** Callbacks of a writer. */
export interface LogWriterHooks {
  /** Called after each write with the items of the inbox that were not taken. */
  onInbox(items: readonly InboxItem[]): void;
  /** Called before entries are written. The callback may add entries. */
  onWrite(): void;
  /** Called after a write with events of many bytes, which began at `since`. */
  onLargeWrite(bytes: number, since: number): void;
  /** Called once, when no further writes are possible. */
  onBroken(error: unknown): void;
}

/** Changes that are written in one call. */
interface Writing {
  readonly entries: Entry[];
  /** Approximate size of the events in bytes. */
  bytes: number;
  readonly taken: string[];
  readonly options: {
    turn?: InboxItem;
    checkpoint?: unknown;
    release?: boolean;
    wakeInMs?: number;
    eventBytes?: number;
  };
  /** Callers of `flush` that wait for this write. */
  waiting:
    | { readonly resolve: (found: Appended) => void; readonly reject: (error: unknown) => void }[]
    | undefined;
}

function emptyWriting(): Writing {
  return { entries: [], bytes: 0, taken: [], options: {}, waiting: undefined };
}

/**
 * Number of microtasks without a new entry after which a write begins. A turn that does not wait
 * for anything yields its next update within this number of microtasks.
 */
const maxIdleRounds = 8;

/** A resolved promise. Awaiting it waits for one microtask. */
const soon = Promise.resolve();

/**
 * Writes the log of one task, in order and one write at a time. Changes that are added while a
 * write is running, or before the first write begins, are combined into one write.
 */
export class LogWriter {
  /** Local expiry time of the lease. */
  readonly clock: LeaseClock = new LeaseClock();
  readonly #environment: Environment;
  readonly #hooks: LogWriterHooks;
  readonly #appender: Appender;
  #lease: Lease | Creation | undefined;
  #generation: number;
  #next = emptyWriting();
  #underWay: Writing | undefined;
  #isRunning = false;
  #running: Promise<void> | undefined;
  #isScheduled = false;
  #broken: { readonly error: unknown } | undefined;
  #room: (() => void)[] | undefined;
  /** Number of entries at the last check, and number of checks without a new entry since then. */
  #lastCount = -1;
  #idleRounds = 0;

  /**
   * Creates a writer for the entries after a generation. If a `Creation` is passed instead of a
   * lease, the first write creates the task.
   */
  constructor(
    environment: Environment,
    lease: Lease | Creation,
    generation: number,
    hooks: LogWriterHooks,
  ) {
    this.#environment = environment;
    this.#appender = new Appender(environment, this.clock, () => this.broken);
    this.#lease = lease;
    this.#generation = generation;
    this.#hooks = hooks;
    // The first write also contains the message that creates the task. Count this message, so that
    // the write does not also contain several large updates.
    if (!isLease(lease)) this.#next.bytes = lease.admitted;
  }

  /** Generation after all added entries, written or not. */
  get generation(): number {
    return this.#generation;
  }

  /** The lease; `undefined` if the writer does not have a lease. */
  get lease(): Lease | undefined {
    return isLease(this.#lease) ? this.#lease : undefined;
  }

  /** The `Creation` that the first write uses; `undefined` after the first write. */
  get creation(): Creation | undefined {
    return isLease(this.#lease) ? undefined : this.#lease;
  }

  /** The current write, if any. Each write is a different object. */
  get underWay(): object | undefined {
    return this.#underWay;
  }

  /** Whether no further writes are possible. */
  get broken(): boolean {
    return this.#broken !== undefined;
  }

  /** Approximate size in bytes of the events that are not written yet. */
  get bytes(): number {
    return this.#next.bytes;
  }

  /** Adds an event with the next generation. `bytes` is the size of the event. */
  event(event: TaskEvent, bytes: number, trace: TraceContext | undefined): void {
    const generation = (this.#generation += 1);
    this.#next.entries.push(
      trace === undefined ? { generation, event } : { generation, event, trace },
    );
    this.#next.bytes += bytes;
    this.#schedule();
  }

  /** Marks the last chunk of each artifact as last, unless the chunk is already being written. */
  endArtifacts(): void {
    const last = new Map<string, TaskArtifactUpdateEvent>();
    for (const entry of this.#next.entries)
      if ("event" in entry && "artifactUpdate" in entry.event) {
        const { artifactUpdate } = entry.event;
        last.set(artifactUpdate.artifact.artifactId, artifactUpdate);
      }
    for (const update of last.values()) update.lastChunk = true;
  }

  /** Adds a message and takes its item from the inbox. */
  message(message: Message, item: string, unread: boolean): void {
    const entry = { generation: this.#generation, message, item };
    this.#next.entries.push(unread ? { ...entry, unread } : entry);
    this.take(item);
  }

  /** Takes an item from the inbox. */
  take(item: string): void {
    this.#next.taken.push(item);
    this.#schedule();
  }

  /** Sets options of the next write. */
  set({ turn, checkpoint, release, wakeInMs }: Writing["options"]): void {
    const { options } = this.#next;
    if (turn !== undefined) options.turn = turn;
    if (checkpoint !== undefined) options.checkpoint = checkpoint;
    if (release !== undefined) options.release = release;
    if (wakeInMs !== undefined) options.wakeInMs = wakeInMs;
    this.#schedule();
  }

  /** Drops a checkpoint that is not written yet. */
  dropCheckpoint(): void {
    if (this.#next.options.checkpoint !== undefined) this.#next.options.checkpoint = undefined;
  }

  /** Waits until all added changes are written; resolves to the result of that write. */
  flush(): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined || this.#lease === undefined) {
        reject(
          errorOf(
            this.#broken?.error ??
              new TypeError("The turn has ended: its changes are no longer saved"),
          ),
        );
        return;
      }
      (this.#next.waiting ??= []).push({ resolve, reject });
      this.#schedule();
    });
  }

  /** Schedules a write, which also reads the inbox, even if no changes were added. */
  wake(): void {
    this.#schedule();
  }

  /**
   * Returns a promise that resolves when another entry may be added; `undefined` if it may be added
   * now.
   */
  room(): Promise<void> | undefined {
    if (this.broken || !this.#isFull) return undefined;
    return new Promise((resolve) => {
      (this.#room ??= []).push(resolve);
    });
  }

  /** Settles when no write is in progress. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Stops writing, because the lease is lost or the process stops. */
  break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = { error };
    this.clock.clear();
    for (const { waiting = [] } of [this.#underWay ?? emptyWriting(), this.#next])
      for (const { reject } of waiting) reject(error);
    this.#makeRoom();
    this.#hooks.onBroken(error);
  }

  #end(): void {
    this.#lease = undefined;
    this.clock.clear();
  }

  #schedule(): void {
    this.#isScheduled = true;
    if (!this.#isRunning) this.#running = this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#lastCount = -1;
    // Wait a few microtasks, so that the updates of a turn that does not wait for anything are
    // combined into one write.
    while (this.#mayGrow()) await soon;
    while (this.#isScheduled && this.#lease !== undefined && !this.broken) {
      if (this.#next.entries.length > 0) this.#hooks.onWrite();
      this.#isScheduled = false;
      const writing = this.#next;
      this.#next = emptyWriting();
      this.#underWay = writing;
      this.#makeRoom();
      try {
        const lease = this.#lease;
        // The owner's account has already counted the message that creates the task.
        const bytes = isLease(lease) ? writing.bytes : writing.bytes - lease.admitted;
        writing.options.eventBytes = bytes;
        const since = bytes >= countedBytes ? performance.now() : 0;
        const found = isLease(lease)
          ? await this.#appender.append(lease, writing)
          : await this.#create(lease, writing);
        if (bytes >= countedBytes) this.#hooks.onLargeWrite(bytes, since);
        if (found.released) this.#end();
        for (const { resolve } of writing.waiting ?? []) resolve(found);
        const { inbox } = found;
        // The store's inbox still contains the items that were taken while this write was running.
        const { taken } = this.#next;
        this.#hooks.onInbox(
          taken.length === 0 ? inbox : inbox.filter(({ id }) => !taken.includes(id)),
        );
      } catch (error) {
        for (const { reject } of writing.waiting ?? []) reject(error);
        this.break(error);
      }
    }
    this.#underWay = undefined;
    this.#isRunning = false;
  }

  /** Whether the next write has reached a size limit. */
  get #isFull(): boolean {
    const { entries, bytes } = this.#next;
    return entries.length >= this.#environment.limits.maxQueue || bytes >= maxQueueBytes;
  }

  /**
   * Whether to wait for more entries, so that the updates of a turn that does not wait for anything
   * are written together.
   */
  #mayGrow(): boolean {
    const { entries, options } = this.#next;
    if (options.release === true || this.#isFull) return false;
    this.#idleRounds = entries.length > this.#lastCount ? 0 : this.#idleRounds + 1;
    this.#lastCount = entries.length;
    return this.#idleRounds < maxIdleRounds;
  }

  async #create(creation: Creation, { entries, options }: Writing): Promise<Appended> {
    const released = options.release === true;
    // The store grants the lease during the call, so measure the lease from the start of the call.
    if (!released) this.clock.hold(performance.now(), this.#environment.claim.ttlMs);
    const given: unknown = await creation.write(entries, options);
    creation.written(entries, released);
    if (!released) this.#lease = leaseOf(given);
    return { inbox: [], released, bytes: 0 };
  }

  #makeRoom(): void {
    const waiting = this.#room;
    this.#room = undefined;
    for (const resolve of waiting ?? []) resolve();
  }
}
