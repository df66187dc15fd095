import { extended } from "../copy.js";
import type { Environment } from "./environment.js";
import {
  Inbox,
  type InboxOwner,
  isMessage,
  isWake,
  type MessageItem,
  type Posting,
} from "../turns/inbox.js";
import { type LeaseClock, leaseExpired } from "../log/lease-clock.js";
import { type EventsOwner, TaskEvents } from "./task-events.js";
import { taskKey } from "./task-key.js";
import { TurnStop } from "./turn-stop.js";
import type { Creation } from "../log/creation.js";
import { LogWriter, type LogWriterHooks } from "../log/writer.js";
import { TaskState } from "../model.js";
import { isInterrupted, isTerminal } from "../states.js";
import {
  type Appended,
  type InboxItem,
  inHistory,
  type Lease,
  type Scope,
  type Stored,
  type TaskStore,
  type Waking,
} from "../store.js";
import { TaskSize } from "../limits/task-size.js";
import { errorOf } from "../thrown.js";
import { isAtWork, resumedItem, wokenItem } from "../turns/item.js";
import { stampFor } from "../extensions/respond.js";
import { type LiveCall, TurnContext, type TurnHost, type TurnStart } from "../turns/context.js";
import type { Ending, TurnOutcome, TurnRun, UpdateSink } from "../turns/run.js";
import { canceledAs, generatorOf, isAbort } from "../turns/values.js";
import type { Cancellation, Pending, Turn, TurnGenerator } from "../turns/turn.js";
import { canceled, failed, type Update } from "../turns/updates.js";

/** The engine that owns the workers. */
export interface WorkerOwner {
  /**
   * Called when a worker has released or lost its lease; `error` is the reason if the worker could
   * not write.
   */
  rested(worker: Worker, error?: unknown): void;
  /** Called when a turn yields a status with `respond`, so that waiting callers get a response. */
  responded(worker: Worker): void;
}

/**
 * Works on one task while this process holds the task's lease. It runs turn after turn until the
 * task has ended or waits for its caller. During this time, no other process appends to the task.
 */
export class Worker implements TurnHost, UpdateSink, InboxOwner, LogWriterHooks, EventsOwner {
  readonly id: string;
  readonly scope: Scope;
  /** Key of the task in the maps of this process. */
  readonly key: string;
  readonly #contextId: string;
  readonly #environment: Environment;
  readonly #owner: WorkerOwner;
  readonly #writer: LogWriter;
  readonly #inbox: Inbox;
  readonly #size: TaskSize;
  readonly #stop: TurnStop;
  readonly #events: TaskEvents;
  /** The turn whose late updates have already been reported. */
  #lateRun: TurnRun | undefined;
  #readUnderWay: object | undefined;
  /** Whether the end of the task has been stored and reported, by this worker or an earlier one. */
  #hasEnded: boolean;
  /** When the task was created, in milliseconds since 1970. */
  readonly #beganAt: number | undefined;
  /** The error that the last turn threw, if any. */
  #failure: unknown;

  constructor(
    environment: Environment,
    scope: Scope,
    stored: Stored,
    lease: Lease | Creation,
    owner: WorkerOwner,
  ) {
    const { task, generation, inbox, turn } = stored;
    this.id = task.id;
    this.#hasEnded = isTerminal(task.status.state);
    this.#beganAt = turn.beganAt;
    this.scope = scope;
    this.key = taskKey(scope, task.id);
    this.#contextId = task.contextId ?? "";
    this.#environment = environment;
    this.#owner = owner;
    this.#inbox = new Inbox(inbox, this);
    const account = environment.accounts.of(scope);
    const admitted = "write" in lease ? lease.admitted : 0;
    this.#size = new TaskSize(stored, account, environment.limits.maxTaskBytes, admitted);
    this.#writer = new LogWriter(environment, lease, generation, this);
    this.#stop = new TurnStop(environment.limits, () => void this.mayGoOn());
    const parts = { environment, writer: this.#writer, size: this.#size, stop: this.#stop };
    this.#events = new TaskEvents(task, parts, this);
  }

  get store(): TaskStore {
    return this.#environment.store;
  }

  /** The lease; `undefined` if the worker has none. */
  get lease(): Lease | undefined {
    return this.#writer.lease;
  }

  /**
   * Generation at which the turn last yielded a status with `respond`, so that waiting callers get
   * a response.
   */
  get respondedAt(): number | undefined {
    return this.#events.respondedAt;
  }

  /** Local expiry time of the lease. */
  get clock(): LeaseClock {
    return this.#writer.clock;
  }

  /** The `Creation` that the first write uses; `undefined` if the task is stored. */
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

  /** The store call that the worker is waiting for, if any. Each call is a different object. */
  get waitsFor(): object | undefined {
    return this.#readUnderWay ?? this.#writer.underWay;
  }

  /**
   * Stops the worker because the lease is lost or the process stops. Settles when no writes are
   * pending.
   */
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
        this.#reportEnd();
        if (!released && inbox.length === 0)
          throw new TypeError("The store must release the lease, or return the items in the inbox");
        this.#inbox.update(inbox);
        if (released) break;
        // The store kept the lease because the inbox contains new items, which begin the next turn.
        const stored = await (this.#readUnderWay = this.store.read(this.scope, this.id));
        this.#readUnderWay = undefined;
        if (this.#writer.broken || stored === undefined) break;
        start = this.#startOf(stored);
      }
      this.#owner.rested(this);
    } catch (error) {
      this.#writer.break(error);
    } finally {
      this.#stop.close();
      this.#events.close();
      this.#size.close(
        isStored || this.#writer.creation === undefined,
        isTerminal(this.#events.state),
      );
    }
  }

  /**
   * Returns the start of the next turn, or the end of the task if its turn must not be resumed;
   * `undefined` if no work is left.
   */
  #startOf(stored: Stored, posting?: Posting): TurnStart | Ending | undefined {
    const { task, turn, inbox, checkpoint } = stored;
    this.onInbox(inbox);
    const { contextId = "", status } = task;
    const isCanceled = this.#stop.cancellation !== undefined;
    // A task that has been woken may wait for its caller, while other programs still work for it.
    const mayCleanUp = turn.asleep === true || turn.woken !== undefined;
    if (isTerminal(status.state) || (isCanceled && !mayCleanUp)) return undefined;
    const start = { task: extended(task, { contextId }), state: checkpoint };
    if (isAtWork(stored)) {
      const item = resumedItem(stored, this.#environment);
      if (item === undefined) return { end: failed() };
      this.#writer.set({ turn: item });
      return { ...start, item, resumed: true };
    }
    const woken = this.#wakingOf(turn, isCanceled);
    if (woken !== undefined && woken.by !== "message" && isMessage(turn)) {
      const item = wokenItem(turn, woken);
      this.#writer.set({ turn: item });
      return { ...start, item, resumed: false };
    }
    const taken = this.#inbox.take();
    if (taken === undefined) return undefined;
    const message = extended(taken.message, { taskId: this.id, contextId });
    const isPosted = taken.id === posting?.item;
    const item = extended(taken, {
      message,
      [inHistory]: true,
      ...(this.#beganAt !== undefined && { beganAt: this.#beganAt }),
      ...(woken !== undefined && { woken }),
      // The lease is only free after the question was stored, so a new message that acquired it came
      // later. Any other message came during a turn, or its process ended before it began the turn.
      ...(!isPosted && isInterrupted(status.state) && { early: true }),
    });
    this.#writer.set({ turn: item });
    return {
      ...start,
      item,
      resumed: false,
      call: isPosted ? posting.call : undefined,
    };
  }

  /**
   * Returns what begins the next turn of a task whose last turn has ended, and takes a request to
   * wake it from the inbox. Returns `undefined` if only a message can begin a turn.
   */
  #wakingOf(turn: InboxItem, isCanceled: boolean): Waking | undefined {
    if (isCanceled) return { by: "cancel" };
    const next = this.#inbox.next;
    if (next !== undefined && isWake(next)) {
      this.#inbox.remove(next);
      this.#writer.take(next.id);
      const { payload } = next.wake;
      return payload === undefined ? { by: "wake" } : { by: "wake", payload };
    }
    if (turn.asleep !== true) return undefined;
    return { by: next === undefined ? "time" : "message" };
  }

  /** Begins a turn. */
  #begin(start: TurnStart): TurnRun {
    const { behavior, report, responders, tracing } = this.#environment;
    const run = this.#stop.newRun();
    const turn = new TurnContext(start, run, this);
    this.#events.begin(start, stampFor(responders, turn, report));
    const generator = (): TurnGenerator => generatorOf(behavior.run(turn));
    const { trace } = start.item.call ?? {};
    run.begin(tracing === undefined ? generator : () => tracing.turn(turn, trace, generator), this);
    this.#stop.startTimer(run);
    return run;
  }

  /** Converts the outcome of a turn to its end. If the turn threw, the end fails the task. */
  #endingOf(outcome: TurnOutcome): Ending {
    this.#stop.stopTimer();
    if (this.#writer.broken) throw this.#stop.aborted?.reason;
    if ("end" in outcome) return outcome;
    const { thrown } = outcome;
    // A framework may convert the abort of the signal to an error of its own, which is not a fault
    // of the agent.
    if (this.#stop.cancellation !== undefined) return { end: canceled() };
    // `undefined` and `null` would not be reported as errors.
    if (this.#stop.aborted === undefined || !isAbort(thrown))
      this.#report(thrown ?? errorOf(thrown));
    this.#failure = thrown;
    return { end: failed(this.#environment.failureOf(thrown)) };
  }

  /**
   * Writes the end of a turn and releases the lease. The lease is kept if the inbox has new items.
   */
  #finish(ending: Ending | undefined): Promise<Appended> {
    if (this.#stop.cancellation !== undefined && !isTerminal(this.#events.state))
      this.#events.end(canceledAs(ending?.end));
    else if (ending !== undefined) this.#events.end(ending.end);
    if (isTerminal(this.#events.state)) this.#emptyInbox();
    this.#writer.set({ release: true });
    return this.#writer.flush();
  }

  /** Reports the end of the task, after this worker has stored it. */
  #reportEnd(): void {
    const { state } = this.#events;
    if (this.#hasEnded || !isTerminal(state)) return;
    this.#hasEnded = true;
    const { tenant, owner } = this.scope;
    const began = this.#beganAt;
    // The clocks of processes may differ.
    const durationMs =
      began === undefined ? undefined : Math.max(0, this.#environment.now() - began);
    const about = { taskId: this.id, contextId: this.#contextId, tenant, owner, state, durationMs };
    this.#environment.ended?.({
      ...about,
      error: state === TaskState.Failed ? this.#failure : undefined,
    });
  }

  #report(error: unknown): void {
    this.#environment.report(error, { taskId: this.id });
  }

  /** Empties the inbox of an ended task. The messages become unread messages in the history. */
  #emptyInbox(): void {
    for (const item of this.#inbox.items)
      if (isMessage(item)) this.#events.take(item, true);
      else this.#writer.take(item.id);
    this.#inbox.update([]);
  }

  mayGoOn(): boolean {
    if (!this.clock.isOver) return true;
    // If the process was suspended or its event loop was blocked, this check runs before any timer.
    this.#writer.break(leaseExpired(this.id));
    return false;
  }

  add(update: unknown): Promise<void> | undefined {
    return this.#events.add(update);
  }

  onLargeWrite(bytes: number, since: number): void {
    this.#environment.accounts.of(this.scope).pace.countTurn(bytes, since);
  }

  onWrite(): void {
    this.#events.reportWorking();
  }

  responded(): void {
    this.#owner.responded(this);
  }

  /**
   * Adds an update of a turn from outside its generator. Updates after the end of the turn are
   * reported once.
   */
  async emit(run: TurnRun, update: Update): Promise<void> {
    if (!run.isOver) {
      try {
        await this.add(update);
      } catch (thrown) {
        run.stop({ thrown });
      }
    } else if (this.#lateRun !== run && this.#stop.aborted === undefined) {
      this.#lateRun = run;
      this.#report(new TypeError("`emit` was called after the end of its turn"));
    }
  }

  async checkpoint(run: TurnRun, checkpoint: unknown): Promise<void> {
    if (run.isOver) throw new TypeError("`checkpoint` was called after the end of its turn");
    try {
      this.#events.checkpoint(checkpoint);
    } catch (thrown) {
      // Stop the turn. If it caught this error and continued, the task would still exceed the size
      // limit.
      run.stop({ thrown });
      throw thrown;
    }
    await this.#writer.flush();
  }

  pending(run: TurnRun): Pending {
    return this.#inbox.of(run, { taskId: this.id, contextId: this.#contextId });
  }

  signal(): AbortSignal {
    return this.#stop.signal;
  }

  cancellation(): Cancellation | undefined {
    return this.#stop.cancellation;
  }

  taken(item: MessageItem): void {
    this.#events.take(item, false);
  }

  onInbox(items: readonly InboxItem[]): void {
    this.#inbox.update(items);
    for (const { cancel } of items) if (cancel !== undefined) this.#stop.cancel(cancel);
  }

  onBroken(error: unknown): void {
    this.#stop.fail(error);
    this.#owner.rested(this, error);
  }
}
