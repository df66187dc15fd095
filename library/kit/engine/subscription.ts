import { type Message, type StreamResponse, type Task, TaskState } from "../model.js";
import { extended } from "../copy.js";
import { TaskNotFoundError, UnsupportedOperationError } from "../../errors.js";
import type { ServiceFacts } from "../kit-facts.js";
import { counted } from "../log/events.js";
import { applyEntries } from "../log/fold.js";
import { isInterrupted, isTerminal } from "../states.js";
import type { PreparedEvents } from "../../runtime/server/prepared.js";
import type { Readers } from "./readers.js";
import type { Entry, EventEntry, Reset, StoredTask, Watch } from "../store.js";
import { shown } from "./views.js";

/** Options for a subscription. */
export interface SubscriptionOptions {
  /** The task at the beginning of the watch, for the first event. */
  readonly first: StoredTask;
  /** Entries between the first event and the watch. */
  readonly entries?: readonly Entry[] | undefined;
  /** Whether the subscription also ends when the task waits for its caller. */
  readonly untilPause: boolean;
  /**
   * The inbox item with the caller's message. If the task pauses before a turn takes this item, the
   * subscription does not end.
   */
  readonly item?: string | undefined;
  /**
   * Whether to keep the entries, from which the final `task` is computed for a caller that waits
   * for a response.
   */
  readonly keeps?: boolean | undefined;
  /**
   * Generation at which the current turn last yielded a status with `respond`, so that waiting
   * callers get a response.
   */
  readonly respondedAt?: number | undefined;
  /**
   * Returns whether the turn continues although the task waits for the caller to sign in. If the
   * turn continues, the subscription also continues. Without this function, the subscription ends
   * at that status.
   */
  readonly keepsRunning?: (() => Promise<boolean>) | undefined;
  /** Maximum number of history messages in `task` events; all by default. */
  readonly historyLength?: number | undefined;
  /** Facts about the agent's protocol version. */
  readonly facts: Pick<ServiceFacts, "mismatch">;
  /** Returns whether the store still has the task. */
  readonly exists: () => Promise<boolean>;
  /** All subscribers to the task. */
  readonly readers: Readers;
  /** Called when the subscription has ended. */
  readonly onEnd: () => void;
}

/** An event to deliver: an entry of the log, or a task that only this subscriber receives. */
type Ready = EventEntry | { readonly event: StreamResponse };

type Result = IteratorResult<StreamResponse, undefined>;

const end: Result = { done: true, value: undefined };

/**
 * The events of a task for one subscriber, until the task ends or pauses. It is not an async
 * generator, because the `return` of a generator waits for a pending `next`. A subscription to a
 * silent task would stay open after its subscriber has left.
 */
export class Subscription implements AsyncIterableIterator<StreamResponse>, PreparedEvents {
  readonly #watch: Watch | undefined;
  readonly #options: SubscriptionOptions;
  #ready: Ready[] = [];
  #nextIndex = 0;
  /** The task of the last `task` event, and the entries since then if entries are kept. */
  #shown: StoredTask;
  #entriesSince: Entry[] = [];
  /** Generation of the last event. */
  #generation = 0;
  #isTaken: boolean;
  #isDone = false;
  #failure: { readonly error: unknown } | undefined;
  #unlisten: (() => void) | undefined;
  /** Generations of the events after which a waiting caller gets its response. */
  #respondAt: number[] | undefined;
  /**
   * Whether the last event may end the subscription, because the task waits for the caller to sign
   * in.
   */
  #waitsForAuth = false;

  /** Without a watch, `entries` must contain all remaining entries. */
  constructor(watch: Watch | undefined, options: SubscriptionOptions) {
    const { first, entries = [], item } = options;
    this.#watch = watch;
    this.#options = options;
    // If the message was posted again after its response was lost, a turn may already have taken
    // it.
    this.#isTaken = !first.inbox.some(({ id }) => id === item);
    this.#shown = first;
    // An ended task may still have an earlier cancel request in its inbox. In this case, the task
    // is the only event, and the subscription ends here.
    this.#show(first);
    for (const entry of entries) this.#receive(entry);
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
    return this.#isDone && this.#nextIndex >= this.#ready.length;
  }

  /** The task after all received entries, including messages that became part of the history. */
  get task(): Task {
    const { task, generation, inbox } = this.#shown;
    const before = counted(task, generation, this.#options.facts);
    if (inbox.length === 0) return applyEntries(before, this.#entriesSince);
    // The first task already includes the messages from its inbox, but without the ids that they
    // get when a turn takes them.
    const taken = new Map<Message | undefined, Message>();
    const since = this.#entriesSince.filter((entry) => {
      const item = "message" in entry ? inbox.find(({ id }) => id === entry.item) : undefined;
      if (item !== undefined && "message" in entry) taken.set(item.message, entry.message);
      return item === undefined;
    });
    const { history = [] } = before;
    return applyEntries(
      extended(before, { history: history.map((message) => taken.get(message) ?? message) }),
      since,
    );
  }

  /** Whether all events of the subscription have already arrived. */
  get isDone(): boolean {
    return this.#isDone;
  }

  return(): Promise<Result> {
    this.#ready = [];
    this.#finish();
    return Promise.resolve(end);
  }

  /** Ends the subscription with an error, after the events that have already arrived. */
  fail(error: unknown): void {
    if (this.#isDone) return;
    this.#failure = { error };
    this.#finish();
  }

  /**
   * Ends the subscription after the event of a generation, if its caller waits for a response and
   * sent its message before that event.
   */
  respond(generation: number): void {
    if (this.#options.keeps !== true || generation <= this.#options.first.generation) return;
    (this.#respondAt ??= []).push(generation);
    if (this.#isResponse(this.#generation)) this.#finish();
  }

  /**
   * Also ends the subscription when a signal aborts, because its subscriber has left. Returns this
   * subscription.
   */
  endWith(signal: AbortSignal): this {
    const leave = (): void => void this.return();
    this.#unlisten = () => {
      signal.removeEventListener("abort", leave);
    };
    if (signal.aborted) leave();
    else if (!this.#isDone) signal.addEventListener("abort", leave, { once: true });
    return this;
  }

  /** Waits for the end, and discards all events. */
  async wait(): Promise<void> {
    while ((await this.next()).done !== true);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Ready | undefined {
    const entry = this.#ready.at(this.#nextIndex);
    if (entry !== undefined) this.#nextIndex += 1;
    return entry;
  }

  /** Waits for the next event; `undefined` at the end. */
  async #wait(): Promise<Ready | undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isDone) return undefined;
      this.#ready = [];
      this.#nextIndex = 0;
      try {
        if (this.#waitsForAuth && !(await this.#keepsRunning())) this.#finish();
        const found = this.#watch && (await this.#options.readers.next(this.#watch));
        const ending = this.#fill(found);
        if (ending !== undefined) await ending;
      } catch (error) {
        this.fail(error);
      }
      const entry = this.#take();
      if (entry !== undefined) return entry;
    }
  }

  #prepared(entry: Ready): unknown {
    return "generation" in entry ? this.#options.readers.prepared(entry) : entry.event;
  }

  /** Processes the result of a watch. Returns a promise only at the end of the watch. */
  #fill(found: readonly Entry[] | Reset | undefined): Promise<void> | undefined {
    if (found === undefined) return this.#endWithWatch();
    if ("reset" in found) this.#reset(found);
    else for (const entry of found) this.#receive(entry);
    return undefined;
  }

  /**
   * Ends the subscription after its watch has ended, because the store was closed or the task was
   * deleted.
   * @throws A `TaskNotFoundError` if the task was deleted, possibly by another process.
   */
  async #endWithWatch(): Promise<void> {
    const isDeleted = !this.#isDone && this.#watch !== undefined && !(await this.#options.exists());
    if (isDeleted)
      throw new TaskNotFoundError(undefined, { metadata: { taskId: this.#shown.task.id } });
    this.#finish();
  }

  #receive(entry: Entry): void {
    if (this.#isDone) return;
    if (this.#options.keeps === true) this.#entriesSince.push(entry);
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
    // The turn responded to earlier callers here, before a turn took this caller's message.
    else if (this.#respondAt !== undefined)
      this.#respondAt = this.#respondAt.filter((at) => at > generation);
  }

  /**
   * Returns whether a waiting caller gets its response at a generation. A caller does not get a
   * response before a turn has taken its message.
   */
  #isResponse(generation: number): boolean {
    return this.#isTaken && this.#respondAt?.some((at) => at <= generation) === true;
  }

  async #keepsRunning(): Promise<boolean> {
    this.#waitsForAuth = false;
    return (await this.#options.keepsRunning?.()) === true;
  }

  #reset({ reset }: Reset): void {
    this.#isTaken ||= !reset.inbox.some(({ id }) => id === this.#options.item);
    if (reset.generation > this.#generation) this.#show(reset);
    // Only messages were missed. If the task has ended, the caller's message arrived too late for a
    // turn.
    else if (this.#isTaken && isTerminal(reset.task.status.state)) this.#refuse();
  }

  /** Adds an event with the current task. */
  #show(stored: StoredTask): void {
    const { task, generation } = stored;
    this.#shown = stored;
    this.#entriesSince = [];
    this.#generation = generation;
    this.#ready.push({
      event: { task: shown(stored, this.#options.facts, this.#options.historyLength) },
    });
    if (this.#isEnd(task.status.state) || this.#isResponse(generation)) this.#finish();
  }

  #refuse(): void {
    this.fail(new UnsupportedOperationError("The task ended before the message was read"));
  }

  #isEnd(state: Parameters<typeof isTerminal>[0]): boolean {
    const { untilPause, keepsRunning } = this.#options;
    // If no turn has taken the message, its entry follows the end of the task and marks the message
    // as unread.
    if (!this.#isTaken) return false;
    this.#waitsForAuth = keepsRunning !== undefined && state === TaskState.AuthRequired;
    return isTerminal(state) || (untilPause && isInterrupted(state) && !this.#waitsForAuth);
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
