import type { JsonObject } from "../../runtime/base/json.js";
import { TaskState } from "../model.js";
import { extended } from "../copy.js";
import type { Environment } from "./environment.js";
import { eventOf, type Sources } from "../log/events.js";
import { Inbox, type InboxOwner, isMessage, type MessageItem } from "./inbox.js";
import { type LeaseClock, leaseExpired } from "./lease-clock.js";
import { type Creation, LogWriter, type LogWriterHooks } from "../log/writer.js";
import { isInterrupted, isTerminal, timeOf } from "../states.js";
import type { Appended, InboxItem, Lease, Scope, Stored, TaskStore } from "../store.js";
import { TaskTooLargeError } from "../limits/size.js";
import { TaskSize } from "../limits/task-size.js";
import { errorOf } from "../thrown.js";
import { longestMs } from "../timer.js";
import { isAtWork, itemWith, resumedItem } from "../turns/item.js";
import { type LiveCall, TurnContext, type TurnHost, type TurnStart } from "../turns/context.js";
import { type TurnOutcome, TurnRun, type UpdateSink } from "../turns/run.js";
import { canceledAs, generatorOf, isAbort, isBare, isEnd, isUpdate, shown } from "../turns/values.js";
import type { Cancellation, Pending, Turn } from "../turns/turn.js";
import { canceled, type End, failed, type Update, working } from "../turns/updates.js";

/** How a turn ends, as far as that makes sense. */
interface Ending {
  readonly end: unknown;
}

/** The call that has posted an item of the inbox, in this process. */
export interface Posting {
  readonly item: string;
  readonly call: LiveCall;
}

/** Who has workers. */
export interface WorkerOwner {
  /** A worker has given its lease back, or lost it; `error` is why nothing could be written any more. */
  rested(worker: Worker, error?: unknown): void;
  /** The turn has had waiting callers answered. */
  responded(worker: Worker): void;
}

/**
 * Works on one task for as long as this process holds its lease: turn by turn, until the task has ended or waits for
 * its caller. Nobody else appends to the task meanwhile.
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
  /** Whether the turn has reported no status yet, and whether one was reported in its place. */
  #isSilent = false;
  #isSpokenFor = false;
  /** Whether the task waited for its caller when the turn began. */
  #isContinued = false;
  /** The generation of the event after which the turn has last had waiting callers answered. */
  #respondedAt: number | undefined;
  /** What has begun the turn. */
  #turn: MessageItem | undefined;
  /** The turn whose updates came too late, which is reported once. */
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

  /** The lease, while the worker has one. */
  get lease(): Lease | undefined {
    return this.#writer.lease;
  }

  /** The generation of the event after which the turn has last had waiting callers answered. */
  get respondedAt(): number | undefined {
    return this.#respondedAt;
  }

  /** The clock of the lease. */
  get clock(): LeaseClock {
    return this.#writer.clock;
  }

  /** What makes the task, where the first write is to do that, until it has. */
  get creation(): Creation | undefined {
    return this.#writer.creation;
  }

  /** Begins the first turn of a task that the first write makes. */
  begin(item: MessageItem, task: Turn["task"], call: LiveCall): void {
    void this.#work({ item, task, state: undefined, resumed: false, call });
    // The task is made even where the turn has nothing to say yet.
    this.wake();
  }

  /** Goes on with a task whose lease this process has got. */
  resume(stored: Stored, posting?: Posting): void {
    void this.#work(stored, posting);
    // Something may have been posted before this process knew that the task is its own.
    this.wake();
  }

  /** Looks into the inbox. */
  wake(): void {
    this.#writer.poke();
  }

  /** The answer of the store that the worker waits for, if it does; another object for each. */
  get waitsFor(): object | undefined {
    return this.#reading ?? this.#writer.underWay;
  }

  /** Ends the work: the lease is lost, or the process wants to end. Settles when nothing is written any more. */
  abandon(error: unknown): Promise<void> {
    this.#writer.break(error);
    return this.#writer.settled();
  }

  /** Never rejects. */
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
        if (!released && inbox.length === 0) throw new TypeError("The store did not take the lease back");
        this.#inbox.update(inbox);
        if (released) break;
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

  /** Returns what the next turn begins with, or what to end with; `undefined` where there is nothing more to do. */
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
    const item = extended(taken, { message });
    this.#writer.set({ turn: item });
    return { ...start, item, resumed: false, call: item.id === posting?.item ? posting.call : undefined };
  }

  /** Begins a turn. */
  #begin(start: TurnStart): TurnRun {
    const { behavior, limits } = this.#environment;
    this.#turn = start.item;
    this.#isSilent = !start.resumed || this.#state === TaskState.Submitted;
    this.#isContinued = this.#isSilent && isInterrupted(this.#state);
    const run = (this.#run = new TurnRun());
    run.begin(() => generatorOf(behavior.run(new TurnContext(start, run, this))), this);
    if (!run.isOver && limits.turnWithinMs <= longestMs)
      this.#turnLimit = setTimeout(this.#overrun, limits.turnWithinMs);
    return run;
  }

  /** Returns how a turn ends that is over. */
  #endingOf(outcome: TurnOutcome): Ending {
    clearTimeout(this.#turnLimit);
    if (this.#writer.broken) throw this.#aborted?.reason;
    if ("end" in outcome) return outcome;
    const { thrown } = outcome;
    if (this.#aborted === undefined || !isAbort(thrown)) this.#environment.report(thrown ?? errorOf(thrown));
    return { end: failed(this.#environment.failureOf(thrown)) };
  }

  /** Writes how a turn has ended, and gives the lease back; resolves to whether that was possible. */
  #finish(ending: Ending | undefined): Promise<Appended> {
    if (this.#cancellation !== undefined && !isTerminal(this.#state)) this.#end(canceledAs(ending?.end));
    else if (ending !== undefined) this.#end(ending.end);
    if (isTerminal(this.#state)) this.#clear();
    this.#writer.set({ release: true });
    return this.#writer.flush();
  }

  /** Appends the end of a turn; the task fails where that is wrong. */
  #end(end: unknown): void {
    try {
      if (!isEnd(end))
        throw new TypeError(`The turn returned ${shown(end)}: return completed(), inputRequired() or the like`);
      this.#goOn();
      if ("checkpoint" in end) this.#keep(end.checkpoint);
      this.#append(end, false);
    } catch (error) {
      this.#environment.report(error);
      this.#append(failed(error instanceof TaskTooLargeError ? error.message : undefined), false);
    }
  }

  /** Empties the inbox of a task that has ended: its messages become history that nobody has read. */
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
   * Returns the time of the next status. It is never before that of the last one, although clocks of processes differ: a
   * task that moved back in a list would be on two of its pages.
   */
  now(): number {
    return (this.#statusTime = Math.max(this.#statusTime, this.#environment.now()));
  }

  newId(): string {
    return this.#environment.newId();
  }

  #append(update: Update | End, goesOn: boolean): void {
    const ids = { id: this.id, contextId: this.#contextId };
    const event = eventOf(update, ids, this.#writer.generation + 1, this);
    const bytes = this.#size.add(event, this.#writer.bytes);
    this.#writer.event(event, bytes);
    if (!("state" in update)) return;
    this.#state = update.state;
    this.#isSilent = this.#isSpokenFor = false;
    if ("respond" in update && update.respond) {
      this.#respondedAt = this.#writer.generation;
      this.#owner.responded(this);
    }
    // Who resumes it has to know whether it goes on while its task waits for the caller.
    const turn = this.#turn && itemWith(this.#turn, update.state, goesOn);
    if (turn !== this.#turn && turn !== undefined) this.#writer.set({ turn: (this.#turn = turn) });
  }

  mayGoOn(): boolean {
    if (!this.clock.isOver) return true;
    // A process that was stopped, or whose event loop was blocked, comes here before any of its timers fires.
    this.#writer.break(leaseExpired(this.id));
    return false;
  }

  add(update: unknown): Promise<void> | undefined {
    if (!isUpdate(update))
      throw new TypeError(`The turn yielded ${shown(update)}: yield working(), a piece of an artifact or the like`);
    if (!("state" in update)) this.#goOn();
    if (!this.#isSpokenFor || !isBare(update)) this.#append(update, true);
    this.#isSpokenFor &&= !isBare(update);
    return this.#writer.room();
  }

  /** Reports that a turn is at work which has begun without a status. */
  onWrite(): void {
    const run = this.#run;
    if (!this.#isSilent || run === undefined || run.isOver) return;
    try {
      this.#speakFor();
    } catch (thrown) {
      run.stop({ thrown });
    }
  }

  /** Reports that a task which waited for its caller goes on, before the first update that does not say so itself. */
  #goOn(): void {
    if (this.#isContinued && this.#isSilent && this.#cancellation === undefined) this.#speakFor();
  }

  /** Appends the status that the turn has left out. */
  #speakFor(): void {
    this.#append(working(), true);
    this.#isSpokenFor = true;
  }

  /** Takes an update of a turn from outside of its generator. What comes too late is reported once. */
  async emit(run: TurnRun, update: Update): Promise<void> {
    if (!run.isOver) {
      try {
        await this.add(update);
      } catch (thrown) {
        run.stop({ thrown });
      }
    } else if (this.#late !== run && this.#aborted === undefined) {
      this.#late = run;
      this.#environment.report(new TypeError("An update was emitted after the end of its turn"));
    }
  }

  async checkpoint(run: TurnRun, checkpoint: unknown): Promise<void> {
    if (run.isOver) throw new TypeError("A state was kept after the end of its turn");
    try {
      this.#keep(checkpoint);
    } catch (thrown) {
      // Also a turn that goes on after an error has no more room.
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
    const error = new DOMException("The turn took longer than turnWithinMs", "TimeoutError");
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
