import { isObject } from "../../runtime/base/json.js";
import { extended } from "../copy.js";
import type { Environment } from "../engine/environment.js";
import { LeaseClock } from "../engine/lease-clock.js";
import {
  type Appended,
  type AppendOptions,
  type Entry,
  type InboxItem,
  type Lease,
  LeaseLostError,
  type TaskEvent,
} from "../store.js";
import { maxQueueBytes } from "../limits/size.js";
import { errorOf } from "../thrown.js";
import type { Message } from "../model.js";

/** A task that is not in the store yet. */
export interface Creation {
  /** What the account of the owner has counted for the message that makes the task. */
  readonly admitted: number;
  /** Writes the task together with its first entries. Returns the lease, unless the task needs none. */
  write(entries: readonly Entry[], options: AppendOptions): Promise<Lease | undefined>;
  /** Is told why nothing can be written any more. */
  fail(error: unknown): void;
}

/** What a writer tells its owner. */
export interface LogWriterHooks {
  /** Is called with what is in the inbox and was not taken, after each write. */
  onInbox(items: readonly InboxItem[]): void;
  /** Is called before entries are written, and may add some. */
  onWrite(): void;
  /** Is called once where nothing can be written any more. */
  onBroken(error: unknown): void;
}

/** What is written together. */
interface Writing {
  readonly entries: Entry[];
  /** About how many bytes the events among them have. */
  bytes: number;
  readonly taken: string[];
  readonly options: { turn?: InboxItem; checkpoint?: unknown; release?: boolean };
  /** Are told how it went. */
  waiting: { readonly resolve: (found: Appended) => void; readonly reject: (error: unknown) => void }[] | undefined;
}

function nothing(): Writing {
  return { entries: [], bytes: 0, taken: [], options: {}, waiting: undefined };
}

function isLease(lease: Lease | Creation | undefined): lease is Lease {
  return lease !== undefined && !("write" in lease);
}

function leaseOf(given: unknown): Lease {
  if (isObject(given)) return given as unknown as Lease;
  throw new TypeError("The store gave no lease for a new task");
}

/** Turns of the queue of microtasks within which work that waits for nothing yields its next update. */
const patience = 8;

/** How long to wait before a write is tried again: at first, which doubles from there, and at most. */
const firstDelayMs = 50;
const maxDelayMs = 1_000;

/**
 * Writes the log of one task, in order and one write at a time. Whatever is added while a write is under way, or before
 * the first one has begun, is written together.
 */
export class LogWriter {
  /** The clock of the lease. */
  readonly clock: LeaseClock = new LeaseClock();
  readonly #environment: Environment;
  readonly #hooks: LogWriterHooks;
  /** The items of the inbox that were not taken, up to the position that the store has returned. */
  #inbox: readonly InboxItem[] = [];
  #seen: number | undefined;
  #lease: Lease | Creation | undefined;
  #generation: number;
  #next = nothing();
  #underWay: Writing | undefined;
  #isRunning = false;
  #running: Promise<void> | undefined;
  #isAsked = false;
  #broken: { readonly error: unknown } | undefined;
  #room: (() => void)[] | undefined;
  /** How many entries there were when work last yielded something, and for how long it has not since. */
  #grown = -1;
  #idle = 0;

  /** Begins after a generation. A `Creation` in place of a lease is the first write. */
  constructor(environment: Environment, lease: Lease | Creation, generation: number, hooks: LogWriterHooks) {
    this.#environment = environment;
    this.#lease = lease;
    this.#generation = generation;
    this.#hooks = hooks;
  }

  /** The generation after everything that has been added. */
  get generation(): number {
    return this.#generation;
  }

  /** The lease, while there is one. */
  get lease(): Lease | undefined {
    return isLease(this.#lease) ? this.#lease : undefined;
  }

  /** What the first write makes the task with, until it is made. */
  get creation(): Creation | undefined {
    return isLease(this.#lease) ? undefined : this.#lease;
  }

  /** The write that is under way; another one each time. */
  get underWay(): object | undefined {
    return this.#underWay;
  }

  /** Whether nothing can be written any more. */
  get broken(): boolean {
    return this.#broken !== undefined;
  }

  /** About how many bytes of events wait to be written. */
  get bytes(): number {
    return this.#next.bytes;
  }

  /** Adds an event, made for the next generation, with its size. */
  event(event: TaskEvent, bytes: number): void {
    const generation = (this.#generation += 1);
    this.#next.entries.push({ generation, event });
    this.#next.bytes += bytes;
    this.#schedule();
  }

  /** Adds a message out of the inbox, which is taken. */
  message(message: Message, item: string, unread: boolean): void {
    const entry = { generation: this.#generation, message, item };
    this.#next.entries.push(unread ? { ...entry, unread } : entry);
    this.take(item);
  }

  /** Takes an item out of the inbox. */
  take(item: string): void {
    this.#next.taken.push(item);
    this.#schedule();
  }

  /** Sets what goes with the next write. */
  set(options: Writing["options"]): void {
    Object.assign(this.#next.options, options);
    this.#schedule();
  }

  /** Waits until everything is written that has been added; resolves to what the store found then. */
  flush(): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined || this.#lease === undefined) {
        reject(errorOf(this.#broken?.error ?? new TypeError("The turn is over: nothing is kept any more")));
        return;
      }
      (this.#next.waiting ??= []).push({ resolve, reject });
      this.#schedule();
    });
  }

  /** Has the inbox looked at. */
  poke(): void {
    this.#schedule();
  }

  /** Waits until there is room for another entry; `undefined` where there is. */
  room(): Promise<void> | undefined {
    if (this.broken || !this.#isFull) return undefined;
    return new Promise((resolve) => {
      (this.#room ??= []).push(resolve);
    });
  }

  /** Settles when no write is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Ends the writing: the lease is somebody else's. */
  break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = { error };
    this.clock.clear();
    for (const { waiting = [] } of [this.#underWay ?? nothing(), this.#next])
      for (const { reject } of waiting) reject(error);
    this.#makeRoom();
    this.#hooks.onBroken(error);
  }

  #end(): void {
    this.#lease = undefined;
    this.clock.clear();
  }

  #schedule(): void {
    this.#isAsked = true;
    if (!this.#isRunning) this.#running = this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#grown = -1;
    while (this.#mayGrow()) await Promise.resolve();
    while (this.#isAsked && this.#lease !== undefined && !this.broken) {
      if (this.#next.entries.length > 0) this.#hooks.onWrite();
      this.#isAsked = false;
      const writing = this.#next;
      this.#next = nothing();
      this.#underWay = writing;
      this.#makeRoom();
      try {
        const found = await this.#write(writing);
        if (found.released) this.#end();
        for (const { resolve } of writing.waiting ?? []) resolve(found);
        const { inbox } = found;
        const { taken } = this.#next;
        this.#hooks.onInbox(taken.length === 0 ? inbox : inbox.filter(({ id }) => !taken.includes(id)));
      } catch (error) {
        for (const { reject } of writing.waiting ?? []) reject(error);
        this.break(error);
      }
    }
    this.#underWay = undefined;
    this.#isRunning = false;
  }

  /** Whether the next write has as much as it may. */
  get #isFull(): boolean {
    const { entries, bytes } = this.#next;
    return entries.length >= this.#environment.limits.maxQueue || bytes >= maxQueueBytes;
  }

  /** Whether work may add to the next write that waits for nothing: its updates are written together. */
  #mayGrow(): boolean {
    const { entries, options } = this.#next;
    if (options.release === true || this.#isFull) return false;
    this.#idle = entries.length > this.#grown ? 0 : this.#idle + 1;
    this.#grown = entries.length;
    return this.#idle < patience;
  }

  #write(writing: Writing): Promise<Appended> {
    const lease = this.#lease;
    return isLease(lease) ? this.#append(lease, writing) : this.#create(lease, writing);
  }

  async #create(creation: Creation | undefined, { entries, options }: Writing): Promise<Appended> {
    const released = options.release === true;
    if (!released) this.clock.hold(performance.now(), this.#environment.claim.ttlMs);
    const given: unknown = await creation?.write(entries, options);
    if (!released) this.#lease = leaseOf(given);
    return { inbox: [], released, bytes: 0 };
  }

  async #append(lease: Lease, { entries, taken, options }: Writing): Promise<Appended> {
    const { store, claim } = this.#environment;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const since = performance.now();
      try {
        const given = extended(options, { taken, ttlMs: claim.ttlMs, seen: this.#seen });
        const found = await store.append(lease, entries, given);
        // A store may leave a lease as it is that has two thirds of its time left.
        if (!this.broken) this.clock.hold(since, (claim.ttlMs * 2) / 3);
        return this.#withKnown(found, taken);
      } catch (error) {
        // A repeated append is recognized, so nothing is written twice.
        if (error instanceof LeaseLostError || this.clock.isOver || this.broken) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        if (this.#broken !== undefined) throw error;
      }
    }
  }

  /** Returns what an append found, with those items that the store has returned before. */
  #withKnown(found: Appended, taken: readonly string[]): Appended {
    const { inbox, seen } = found;
    const isRest = this.#seen !== undefined && seen !== undefined;
    this.#seen = seen;
    if (!isRest || this.#inbox.length === 0) {
      this.#inbox = inbox;
      return found;
    }
    const left = taken.length === 0 ? this.#inbox : this.#inbox.filter(({ id }) => !taken.includes(id));
    this.#inbox = inbox.length === 0 ? left : [...left, ...inbox];
    return { ...found, inbox: this.#inbox };
  }

  #makeRoom(): void {
    const waiting = this.#room;
    this.#room = undefined;
    for (const resolve of waiting ?? []) resolve();
  }
}
