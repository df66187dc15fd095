import { type StreamResponse, type Task, TaskState } from "../model.js";
import { UnsupportedOperationError } from "../../errors.js";
import type { ServiceFacts } from "../kit-facts.js";
import { counted } from "../log/events.js";
import { applyEntries } from "../log/fold.js";
import { isInterrupted, isTerminal } from "../states.js";
import type { PreparedEvents } from "../../runtime/server/prepared.js";
import type { Readers } from "./readers.js";
import type { Entry, EventEntry, Reset, StoredTask, Watch } from "../store.js";
import { shown } from "../calls/views.js";

/** What a subscription waits for. */
export interface SubscriptionOptions {
  /** The first event: the task, as it is where the watch begins. */
  readonly first: StoredTask;
  /** What came between that and what the watch returns. */
  readonly entries?: readonly Entry[] | undefined;
  /** Whether it also ends where the task waits for its caller. */
  readonly untilPause: boolean;
  /** The item of the message that has to have been taken before a pause counts. */
  readonly item?: string | undefined;
  /** Whether it keeps what has come, for the `task` after that: its caller waits for a response. */
  readonly keeps?: boolean | undefined;
  /** The generation of the event after which the turn at work has last had waiting callers answered. */
  readonly respondedAt?: number | undefined;
  /**
   * Returns whether the turn goes on although the task waits for the caller to sign in; then the events go on, too.
   * Absent, they end there.
   */
  readonly goesOn?: (() => Promise<boolean>) | undefined;
  /** How many messages of its history a task has that is an event; all by default. */
  readonly historyLength?: number | undefined;
  /** The rules of the version of the agent. */
  readonly facts: Pick<ServiceFacts, "mismatch">;
  /** All who read the same events. */
  readonly readers: Readers;
  /** Is called when it has ended. */
  readonly onEnd: () => void;
}

/** An event that is there: one of the log, or a task, which each reader gets for itself. */
type Ready = EventEntry | { readonly event: StreamResponse };

type Result = IteratorResult<StreamResponse, undefined>;

const end: Result = { done: true, value: undefined };

/**
 * The events of a task for one reader, until the task has ended or paused. Written by hand because the `return` of a
 * generator waits behind a pending `next`: a silent task would keep the subscriptions of readers who have left.
 */
export class Subscription implements AsyncIterableIterator<StreamResponse>, PreparedEvents {
  readonly #watch: Watch | undefined;
  readonly #options: SubscriptionOptions;
  #ready: Ready[] = [];
  #at = 0;
  /** The last task that was an event, and what has come since, where that is kept. */
  #shown: StoredTask;
  #since: Entry[] = [];
  /** That of the last event. */
  #generation = 0;
  #isTaken: boolean;
  #isDone = false;
  #failure: { readonly error: unknown } | undefined;
  #unlisten: (() => void) | undefined;
  /** Generations of events after which a waiting caller is answered. */
  #respondAt: number[] | undefined;
  /** Whether the last event may be the end: the task waits for the caller to sign in. */
  #mayEnd = false;

  /** Without a watch, the entries are all that there is. */
  constructor(watch: Watch | undefined, options: SubscriptionOptions) {
    const { first, entries = [], item } = options;
    this.#watch = watch;
    this.#options = options;
    this.#isTaken = item === undefined;
    this.#shown = first;
    // One who cancels may find an earlier request in the inbox of a task that has ended: no event follows.
    this.#show(first);
    for (const entry of entries) this.#see(entry);
    if (options.respondedAt !== undefined) this.respond(options.respondedAt);
  }

  async next(): Promise<Result> {
    const entry = this.#take() ?? (await this.#wait());
    return entry === undefined ? end : { done: false, value: entry.event };
  }

  async nextPrepared(): Promise<IteratorResult<unknown, undefined>> {
    const entry = this.#take() ?? (await this.#wait());
    return entry === undefined ? end : { done: false, value: this.#prepared(entry) };
  }

  takePrepared(): unknown {
    const entry = this.#take();
    return entry && this.#prepared(entry);
  }

  get isAtEnd(): boolean {
    return this.#isDone && this.#at >= this.#ready.length;
  }

  /** The task after what has come, with the messages that became history. */
  get task(): Task {
    const { task, generation, inbox } = this.#shown;
    // Messages that were in the inbox are part of it already.
    const since = this.#since.filter((entry) => "event" in entry || !inbox.some(({ id }) => id === entry.item));
    return applyEntries(counted(task, generation, this.#options.facts), since);
  }

  /** Whether nothing more comes than what is there. */
  get isDone(): boolean {
    return this.#isDone;
  }

  return(): Promise<Result> {
    this.#ready = [];
    this.#finish();
    return Promise.resolve(end);
  }

  /** Ends with an error, after what has come already. */
  fail(error: unknown): void {
    if (this.#isDone) return;
    this.#failure = { error };
    this.#finish();
  }

  /** Ends it after the event of a generation, if it waits for a response and its message came before that. */
  respond(generation: number): void {
    if (this.#options.keeps !== true || generation <= this.#options.first.generation) return;
    (this.#respondAt ??= []).push(generation);
    if (this.#isResponse(this.#generation)) this.#finish();
  }

  /** Makes it end when a signal fires, too: whoever reads it has left. Returns itself. */
  endWith(signal: AbortSignal): this {
    const leave = (): void => void this.return();
    this.#unlisten = () => {
      signal.removeEventListener("abort", leave);
    };
    if (signal.aborted) leave();
    else if (!this.#isDone) signal.addEventListener("abort", leave, { once: true });
    return this;
  }

  /** Waits for the end, whatever comes before it. */
  async wait(): Promise<void> {
    while ((await this.next()).done !== true);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Ready | undefined {
    const entry = this.#ready.at(this.#at);
    if (entry !== undefined) this.#at += 1;
    return entry;
  }

  /** Waits for the next event; `undefined` at the end. */
  async #wait(): Promise<Ready | undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isDone) return undefined;
      this.#ready = [];
      this.#at = 0;
      await this.#fill();
      const entry = this.#take();
      if (entry !== undefined) return entry;
    }
  }

  #prepared(entry: Ready): unknown {
    return "generation" in entry ? this.#options.readers.prepared(entry) : entry.event;
  }

  /** Waits for what comes next. */
  async #fill(): Promise<void> {
    try {
      const pause = this.#options.readers.pause();
      if (pause !== undefined) await pause;
      if (this.#mayEnd && !(await this.#goesOn())) this.#finish();
      if (this.#isDone) return;
      const found = await this.#watch?.next();
      if (found === undefined) this.#finish();
      else if ("reset" in found) this.#reset(found);
      else for (const entry of found) this.#see(entry);
    } catch (error) {
      this.fail(error);
    }
  }

  #see(entry: Entry): void {
    if (this.#isDone) return;
    if (this.#options.keeps === true) this.#since.push(entry);
    if ("message" in entry) {
      if (entry.item !== this.#options.item) return;
      this.#isTaken = true;
      if (entry.unread === true) this.#refuse();
      return;
    }
    this.#ready.push(entry);
    const { event, generation } = entry;
    this.#generation = generation;
    if ("statusUpdate" in event && this.#isEnd(event.statusUpdate.status.state)) this.#finish();
    else if (this.#isResponse(generation)) this.#finish();
    // It was for callers before this one, whose message no turn had then.
    else if (this.#respondAt !== undefined) this.#respondAt = this.#respondAt.filter((at) => at > generation);
  }

  /** Whether a waiting caller is answered with the task of a generation: not before the turn has its message. */
  #isResponse(generation: number): boolean {
    return this.#isTaken && this.#respondAt?.some((at) => at <= generation) === true;
  }

  async #goesOn(): Promise<boolean> {
    this.#mayEnd = false;
    return (await this.#options.goesOn?.()) === true;
  }

  #reset({ reset }: Reset): void {
    this.#isTaken ||= !reset.inbox.some(({ id }) => id === this.#options.item);
    if (reset.generation > this.#generation) this.#show(reset);
    // Only messages were missed. A message that followed the end was not read.
    else if (this.#isTaken && isTerminal(reset.task.status.state)) this.#refuse();
  }

  /** Adds the task as it is. */
  #show(stored: StoredTask): void {
    const { task, generation } = stored;
    this.#shown = stored;
    this.#since = [];
    this.#generation = generation;
    this.#ready.push({ event: { task: shown(stored, this.#options.facts, this.#options.historyLength) } });
    if (this.#isEnd(task.status.state) || this.#isResponse(generation)) this.#finish();
  }

  #refuse(): void {
    this.fail(new UnsupportedOperationError("The task ended before it read the message"));
  }

  #isEnd(state: Parameters<typeof isTerminal>[0]): boolean {
    const { untilPause, goesOn } = this.#options;
    // Where the message was not taken, its entry follows the end of the task, and says so.
    if (!this.#isTaken) return false;
    this.#mayEnd = goesOn !== undefined && state === TaskState.AuthRequired;
    return isTerminal(state) || (untilPause && isInterrupted(state) && !this.#mayEnd);
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#unlisten?.();
    this.#options.onEnd();
    try {
      this.#watch?.close();
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
