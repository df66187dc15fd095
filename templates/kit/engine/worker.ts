import type { JsonObject } from "../../runtime/base/json.js";
import { TaskState } from "../model.js";
import { extended } from "../copy.js";
import type { Environment } from "./environment.js";
import { eventOf, type Sources } from "../log/events.js";
import { Inbox, type InboxOwner, isMessage, type MessageItem } from "./inbox.js";
import { type LeaseClock, leaseExpired } from "./lease-clock.js";
import { type Creation, LogWriter, type LogWriterHooks } from "../log/writer.js";
import { isInterrupted, isTerminal, timeOf } from "../states.js";
import {
  type Appended,
  type InboxItem,
  inHistory,
  type Lease,
  type Scope,
  type Stored,
  type TaskStore,
} from "../store.js";
import { TaskTooLargeError } from "../limits/size.js";
import { TaskSize } from "../limits/task-size.js";
import { errorOf } from "../thrown.js";
import { longestMs } from "../timer.js";
import { isAtWork, itemWith, resumedItem } from "../turns/item.js";
import { type Stamp, stampFor } from "../extensions/respond.js";
import { type LiveCall, TurnContext, type TurnHost, type TurnStart } from "../turns/context.js";
import { type TurnOutcome, TurnRun, type UpdateSink } from "../turns/run.js";
import { canceledAs, generatorOf, isAbort, isBare, isEnd, isUpdate, shown } from "../turns/values.js";
import type { Cancellation, Pending, Turn, TurnGenerator } from "../turns/turn.js";
import { canceled, type End, failed, type Update, working } from "../turns/updates.js";

/** The value that a turn ends with, not yet validated. */
interface Ending {
  readonly end: unknown;
}

/** The call of this process that posted an inbox item. */
export interface Posting {
  readonly item: string;
  readonly call: LiveCall;
}

/** The engine that owns the workers. */
export interface WorkerOwner {
  /** Called when a worker has released or lost its lease; `error` is the reason if the worker could not write. */
  rested(worker: Worker, error?: unknown): void;
  /** Called when a turn has requested a response for its waiting callers. */
  responded(worker: Worker): void;
}

/**
 * Works on one task while this process holds the task's lease. It runs turn after turn until the task has ended or
 * waits for its caller. During this time, no other process appends to the task.
 */
export class Worker implements TurnHost, UpdateSink, InboxOwner, LogWriterHooks, Sources {
  readonly id: string;
  readonly scope: Scope;
  readonly #contextId: string;
  readonly #environment: Environment;
  readonly #owner: WorkerOwner;
  readonly #writer: LogWriter;
  readonly #inbox: Inbox;
  readonly #size: TaskSize;
  #state: TaskState;
  #statusTime: number;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #cancellation: Cancellation | undefined;
  #run: TurnRun | undefined;
  /** Whether the turn has not reported a status yet. */
  #isSilent = false;
  /** Whether the worker has reported `working` on behalf of the turn. */
  #hasImplicitStatus = false;
  /** Whether the task waited for its caller when the turn began. */
  #isContinued = false;
  /** Generation of the event after which the turn last requested a response for its waiting callers. */
  #respondedAt: number | undefined;
  /** The item that began the turn. */
  #turn: MessageItem | undefined;
  /** Adds the values of extensions to the updates of the turn; absent if the caller requests no such extension. */
  #stamp: Stamp | undefined;
  /** The turn whose late updates have already been reported. */
  #late: TurnRun | undefined;
  #reading: object | undefined;
  #turnLimit: ReturnType<typeof setTimeout> | undefined;
  #cancelLimit: ReturnType<typeof setTimeout> | undefined;

  constructor(environment: Environment, scope: Scope, stored: Stored, lease: Lease | Creation, owner: WorkerOwner) {
    const { task, generation, inbox } = stored;
    this.id = task.id;
    this.scope = scope;
    this.#contextId = task.contextId ?? "";
    this.#environment = environment;
    this.#owner = owner;
    this.#state = task.status.state;
    this.#statusTime = timeOf(task.status);
    this.#inbox = new Inbox(inbox, this);
    const account = environment.accounts.of(scope);
    const admitted = "write" in lease ? lease.admitted : 0;
    this.#size = new TaskSize(stored, account, environment.limits.maxTaskBytes, admitted);
    this.#writer = new LogWriter(environment, lease, generation, this);
  }

  get store(): TaskStore {
    return this.#environment.store;
  }

  get facts(): Sources["facts"] {
    return this.#environment.facts;
  }

  /** The lease; `undefined` if the worker has none. */
  get lease(): Lease | undefined {
    return this.#writer.lease;
  }

  /** Generation of the event after which the turn last requested a response for its waiting callers. */
  get respondedAt(): number | undefined {
    return this.#respondedAt;
  }

  /** Local expiry time of the lease. */
  get clock(): LeaseClock {
    return this.#writer.clock;
  }

  /** Creates the task with the first write; `undefined` if the task is stored. */
  get creation(): Creation | undefined {
    return this.#writer.creation;
  }

  /** Begins the first turn of a new task, which the first write creates. */
  begin(item: MessageItem, task: Turn["task"], call: LiveCall): void {
    void this.#work({ item, task, state: undefined, resumed: false, call });
    // Write the task even if the turn has not yielded an update yet.
    this.wake();
  }

  /** Continues a task whose lease this process acquired. */
  resume(stored: Stored, posting?: Posting): void {
    void this.#work(stored, posting);
    // An item may have been posted before this process learned that it holds the lease.
    this.wake();
  }

  /** Reads the inbox. */
  wake(): void {
    this.#writer.wake();
  }

  /** The store call for which the worker waits, if any. Each call is a different object. */
  get waitsFor(): object | undefined {
    return this.#reading ?? this.#writer.underWay;
  }

  /** Stops the worker because the lease is lost or the process stops. Settles when no writes are pending. */
  abandon(error: unknown): Promise<void> {
    this.#writer.break(error);
    return this.#writer.settled();
  }

  /** Runs turns until no work is left, and then releases the lease. Never rejects. */
  async #work(first: TurnStart | Stored, posting?: Posting): Promise<void> {
    let isStored = !("item" in first);
    try {
      let start = "item" in first ? first : this.#startOf(first, posting);
      for (;;) {
        let ending: Ending | undefined;
        if (start !== undefined && "item" in start) {
          const outcome = this.#begin(start).outcome();
          ending = this.#endingOf(outcome instanceof Promise ? await outcome : outcome);
        } else ending = start;
        const { released, inbox } = await this.#finish(ending);
        isStored = true;
        if (!released && inbox.length === 0)
          throw new TypeError("The store must release the lease, or return the items in the inbox");
        this.#inbox.update(inbox);
        if (released) break;
        // The store kept the lease because the inbox contains new items, which begin the next turn.
        const stored = await (this.#reading = this.store.read(this.scope, this.id));
        this.#reading = undefined;
        if (this.#writer.broken || stored === undefined) break;
        start = this.#startOf(stored);
      }
      this.#owner.rested(this);
    } catch (error) {
      this.#writer.break(error);
    } finally {
      clearTimeout(this.#cancelLimit);
      this.#size.close(isStored || this.#writer.creation === undefined, isTerminal(this.#state));
    }
  }

  /**
   * Returns the start of the next turn, or the end of the task if its turn must not be resumed; `undefined` if no work
   * is left.
   */
  #startOf(stored: Stored, posting?: Posting): TurnStart | Ending | undefined {
    const { task, inbox, checkpoint } = stored;
    this.#look(inbox);
    const { contextId = "", status } = task;
    if (this.#cancellation !== undefined || isTerminal(status.state)) return undefined;
    const start = { task: extended(task, { contextId }), state: checkpoint };
    if (isAtWork(stored)) {
      const item = resumedItem(stored, this.#environment);
      if (item === undefined) return { end: failed() };
      this.#writer.set({ turn: item });
      return { ...start, item, resumed: true };
    }
    const taken = this.#inbox.take();
    if (taken === undefined) return undefined;
    const message = extended(taken.message, { taskId: this.id, contextId });
    const item = extended(taken, { message, [inHistory]: true });
    this.#writer.set({ turn: item });
    return { ...start, item, resumed: false, call: item.id === posting?.item ? posting.call : undefined };
  }

  /** Begins a turn. */
  #begin(start: TurnStart): TurnRun {
    const { behavior, limits, tracing } = this.#environment;
    this.#turn = start.item;
    this.#isSilent = !start.resumed || this.#state === TaskState.Submitted;
    this.#isContinued = this.#isSilent && isInterrupted(this.#state);
    const run = (this.#run = new TurnRun());
    const turn = new TurnContext(start, run, this);
    this.#stamp = stampFor(this.#environment.responders, turn, this.#environment.report);
    const generator = (): TurnGenerator => generatorOf(behavior.run(turn));
    const { trace } = start.item.call ?? {};
    run.begin(tracing === undefined ? generator : () => tracing.turn(turn, trace, generator), this);
    if (!run.isOver && limits.turnWithinMs <= longestMs)
      this.#turnLimit = setTimeout(this.#overrun, limits.turnWithinMs);
    return run;
  }

  /** Returns the end of a turn that is over. */
  #endingOf(outcome: TurnOutcome): Ending {
    clearTimeout(this.#turnLimit);
    if (this.#writer.broken) throw this.#aborted?.reason;
    if ("end" in outcome) return outcome;
    const { thrown } = outcome;
    if (this.#aborted === undefined || !isAbort(thrown)) this.#environment.report(thrown ?? errorOf(thrown));
    return { end: failed(this.#environment.failureOf(thrown)) };
  }

  /** Writes the end of a turn and releases the lease. The lease is kept if the inbox has new items. */
  #finish(ending: Ending | undefined): Promise<Appended> {
    if (this.#cancellation !== undefined && !isTerminal(this.#state)) this.#end(canceledAs(ending?.end));
    else if (ending !== undefined) this.#end(ending.end);
    if (isTerminal(this.#state)) this.#clear();
    this.#writer.set({ release: true });
    return this.#writer.flush();
  }

  /** Appends the end of a turn. If the end is invalid, the task fails. */
  #end(end: unknown): void {
    try {
      if (!isEnd(end))
        throw new TypeError(`The turn returned ${shown(end)}: return the result of completed(), inputRequired(), …`);
      this.#goOn();
      if ("checkpoint" in end) this.#keep(end.checkpoint);
      this.#append(end, false);
    } catch (error) {
      this.#environment.report(error);
      this.#append(failed(error instanceof TaskTooLargeError ? error.message : undefined), false);
    }
  }

  /** Empties the inbox of an ended task. The messages become unread messages in the history. */
  #clear(): void {
    for (const item of this.#inbox.items) {
      if (isMessage(item)) this.#take(item, true);
      else this.#writer.take(item.id);
    }
    this.#inbox.update([]);
  }

  #take(item: MessageItem, unread: boolean): void {
    const { id, message } = item;
    this.#size.take(item);
    this.#writer.message(extended(message, { taskId: this.id, contextId: this.#contextId }), id, unread);
  }

  /**
   * Returns the time of the next status. The time is never earlier than the time of the last status, even if the clocks
   * of processes differ. Otherwise, the task could move back in a list and appear on two pages.
   */
  now(): number {
    return (this.#statusTime = Math.max(this.#statusTime, this.#environment.now()));
  }

  newId(): string {
    return this.#environment.newId();
  }

  #append(update: Update | End, keepsRunning: boolean): void {
    const ids = { id: this.id, contextId: this.#contextId };
    const event = eventOf(this.#stamp?.(update) ?? update, ids, this.#writer.generation + 1, this);
    const bytes = this.#size.add(event, this.#writer.bytes);
    this.#writer.event(event, bytes, this.#turn?.call?.trace);
    if (!("state" in update)) return;
    this.#state = update.state;
    this.#isSilent = this.#hasImplicitStatus = false;
    if ("respond" in update && update.respond) {
      this.#respondedAt = this.#writer.generation;
      this.#owner.responded(this);
    }
    // The process that resumes the turn needs to know whether it continues while its task waits for the caller.
    const turn = this.#turn && itemWith(this.#turn, update.state, keepsRunning);
    if (turn !== this.#turn && turn !== undefined) this.#writer.set({ turn: (this.#turn = turn) });
  }

  mayGoOn(): boolean {
    if (!this.clock.isOver) return true;
    // If the process was suspended or its event loop was blocked, this check runs before any timer.
    this.#writer.break(leaseExpired(this.id));
    return false;
  }

  add(update: unknown): Promise<void> | undefined {
    if (!isUpdate(update))
      throw new TypeError(`The turn yielded ${shown(update)}: yield the result of working(), artifact(), …`);
    if (!("state" in update)) this.#goOn();
    if (!this.#hasImplicitStatus || !isBare(update)) this.#append(update, true);
    this.#hasImplicitStatus &&= !isBare(update);
    return this.#writer.room();
  }

  /** Reports `working` if the turn has begun without a status. */
  onWrite(): void {
    const run = this.#run;
    if (!this.#isSilent || run === undefined || run.isOver) return;
    try {
      this.#appendImplicitStatus();
    } catch (thrown) {
      run.stop({ thrown });
    }
  }

  /** Reports `working` for a task that waited for its caller, before the first artifact that the turn yields. */
  #goOn(): void {
    if (this.#isContinued && this.#isSilent && this.#cancellation === undefined) this.#appendImplicitStatus();
  }

  /** Appends the status that has not been reported on behalf of the turn. */
  #appendImplicitStatus(): void {
    this.#append(working(), true);
    this.#hasImplicitStatus = true;
  }

  /** Adds an update of a turn from outside its generator. Updates after the end of the turn are reported once. */
  async emit(run: TurnRun, update: Update): Promise<void> {
    if (!run.isOver) {
      try {
        await this.add(update);
      } catch (thrown) {
        run.stop({ thrown });
      }
    } else if (this.#late !== run && this.#aborted === undefined) {
      this.#late = run;
      this.#environment.report(new TypeError("`emit` was called after the end of its turn"));
    }
  }

  async checkpoint(run: TurnRun, checkpoint: unknown): Promise<void> {
    if (run.isOver) throw new TypeError("`checkpoint` was called after the end of its turn");
    try {
      this.#keep(checkpoint);
    } catch (thrown) {
      // If the turn caught this error and continued, it would still exceed the size limit.
      run.stop({ thrown });
      throw thrown;
    }
    await this.#writer.flush();
  }

  #keep(checkpoint: unknown): void {
    this.#size.keep(checkpoint);
    this.#writer.set({ checkpoint });
  }

  pending(run: TurnRun): Pending {
    return this.#inbox.of(run, { taskId: this.id, contextId: this.#contextId });
  }

  signal(): AbortSignal {
    this.mayGoOn();
    this.#controller ??= new AbortController();
    if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  cancellation(): Cancellation | undefined {
    return this.#cancellation;
  }

  taken(item: MessageItem): void {
    this.#take(item, false);
  }

  onInbox(items: readonly InboxItem[]): void {
    this.#look(items);
  }

  #look(items: readonly InboxItem[]): void {
    this.#inbox.update(items);
    for (const { cancel } of items) if (cancel !== undefined) this.#cancel(cancel);
  }

  #cancel(metadata: JsonObject): void {
    if (this.#cancellation !== undefined) return;
    this.#cancellation = { metadata };
    this.#abort(new DOMException("The task was canceled", "AbortError"));
    const run = this.#run;
    if (run === undefined || run.isOver) return;
    this.#cancelLimit = setTimeout(() => {
      run.stop({ end: canceled() });
    }, this.#environment.limits.cancelWithinMs);
  }

  readonly #overrun = (): void => {
    const error = new DOMException("The turn took longer than limits.turnWithinMs", "TimeoutError");
    this.#abort(error);
    this.#run?.stop({ thrown: error });
  };

  onBroken(error: unknown): void {
    this.#abort(error);
    this.#run?.stop({ thrown: error });
    this.#owner.rested(this, error);
  }

  #abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}
