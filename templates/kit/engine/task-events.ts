import { type Task, TaskState } from "../model.js";
import { extended } from "../copy.js";
import type { Stamp } from "../extensions/respond.js";
import { TaskTooLargeError } from "../limits/size.js";
import type { TaskSize } from "../limits/task-size.js";
import { eventOf, type Sources } from "../log/events.js";
import type { LogWriter } from "../log/writer.js";
import { isInterrupted, timeOf } from "../states.js";
import type { TurnStart } from "../turns/context.js";
import { itemWith } from "../turns/item.js";
import { isBare, isEnd, isUpdate, shown } from "../turns/values.js";
import { type End, failed, type Update, working } from "../turns/updates.js";
import type { Environment } from "./environment.js";
import type { MessageItem } from "./inbox.js";
import type { TurnStop } from "./turn-stop.js";

/** The worker that the events belong to. */
export interface EventsOwner {
  /** Called when a turn yields a status with `respond`, so that waiting callers get a response. */
  responded(): void;
}

/** Dependencies of {@link TaskEvents}. */
export interface TaskEventsParts {
  readonly environment: Environment;
  readonly writer: LogWriter;
  readonly size: TaskSize;
  readonly stop: TurnStop;
}

/** Appends the updates from a task's turns to the task's log, and tracks the task's state. */
export class TaskEvents implements Sources {
  readonly #id: string;
  readonly #contextId: string;
  readonly #environment: Environment;
  readonly #writer: LogWriter;
  readonly #size: TaskSize;
  readonly #stop: TurnStop;
  readonly #owner: EventsOwner;
  #state: TaskState;
  #statusTime: number;
  /** Whether the turn has not reported a status yet. */
  #isSilent = false;
  /** Whether `working` has been reported on behalf of the turn. */
  #hasImplicitStatus = false;
  /** Whether the task waited for its caller when the turn began. */
  #isContinued = false;
  /** Generation at which the turn last yielded a status with `respond`, so that waiting callers get a response. */
  #respondedAt: number | undefined;
  /** The item that began the turn. */
  #turn: MessageItem | undefined;
  /** Adds the values of extensions to the updates of the turn; absent if the caller requests no such extension. */
  #stamp: Stamp | undefined;

  constructor(
    { id, contextId = "", status }: Task,
    { environment, writer, size, stop }: TaskEventsParts,
    owner: EventsOwner,
  ) {
    this.#id = id;
    this.#contextId = contextId;
    this.#environment = environment;
    this.#writer = writer;
    this.#size = size;
    this.#stop = stop;
    this.#owner = owner;
    this.#state = status.state;
    this.#statusTime = timeOf(status);
  }

  /** The state of the task after all updates. */
  get state(): TaskState {
    return this.#state;
  }

  /** Generation at which the turn last yielded a status with `respond`, so that waiting callers get a response. */
  get respondedAt(): number | undefined {
    return this.#respondedAt;
  }

  get facts(): Sources["facts"] {
    return this.#environment.facts;
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

  /** Begins a turn. `stamp` adds the values of extensions to its updates. */
  begin({ item, resumed }: TurnStart, stamp: Stamp | undefined): void {
    this.#turn = item;
    this.#stamp = stamp;
    this.#isSilent = !resumed || this.#state === TaskState.Submitted;
    this.#isContinued = this.#isSilent && isInterrupted(this.#state);
  }

  /** Appends an update. If the turn must wait before its next update, returns a promise. */
  add(update: unknown): Promise<void> | undefined {
    if (!isUpdate(update))
      throw new TypeError(`The turn yielded ${shown(update)}: yield the result of working(), artifact(), …`);
    if (!("state" in update)) this.#goOn();
    if (!this.#hasImplicitStatus || !isBare(update)) this.#append(update, true);
    this.#hasImplicitStatus &&= !isBare(update);
    return this.#writer.room();
  }

  /** Appends the end of a turn. If the end is invalid, the task fails. */
  end(end: unknown): void {
    try {
      if (!isEnd(end))
        throw new TypeError(`The turn returned ${shown(end)}: return the result of completed(), inputRequired(), …`);
      this.#goOn();
      if ("checkpoint" in end) this.keep(end.checkpoint);
      this.#append(end, false);
    } catch (error) {
      this.#environment.report(error);
      this.#append(failed(error instanceof TaskTooLargeError ? error.message : undefined), false);
    }
  }

  /** Saves a checkpoint with the next write. */
  keep(checkpoint: unknown): void {
    this.#size.keep(checkpoint);
    this.#writer.set({ checkpoint });
  }

  /** Appends the message of an inbox item. */
  take(item: MessageItem, unread: boolean): void {
    const { id, message } = item;
    this.#size.take(item);
    this.#writer.message(extended(message, { taskId: this.#id, contextId: this.#contextId }), id, unread);
  }

  /** Reports `working` if the turn has begun without a status. */
  reportWorking(): void {
    const { run } = this.#stop;
    if (!this.#isSilent || run === undefined || run.isOver) return;
    try {
      this.#appendImplicitStatus();
    } catch (thrown) {
      run.stop({ thrown });
    }
  }

  #append(update: Update | End, keepsRunning: boolean): void {
    const ids = { id: this.#id, contextId: this.#contextId };
    const event = eventOf(this.#stamp?.(update) ?? update, ids, this.#writer.generation + 1, this);
    const bytes = this.#size.add(event, this.#writer.bytes);
    this.#writer.event(event, bytes, this.#turn?.call?.trace);
    if (!("state" in update)) return;
    this.#state = update.state;
    this.#isSilent = this.#hasImplicitStatus = false;
    if ("respond" in update && update.respond) {
      this.#respondedAt = this.#writer.generation;
      this.#owner.responded();
    }
    // The process that resumes the turn needs to know whether it continues while its task waits for the caller.
    const turn = this.#turn && itemWith(this.#turn, update.state, keepsRunning);
    if (turn !== this.#turn && turn !== undefined) this.#writer.set({ turn: (this.#turn = turn) });
  }

  /** Reports `working` for a task that waited for its caller, before the first artifact that the turn yields. */
  #goOn(): void {
    if (this.#isContinued && this.#isSilent && this.#stop.cancellation === undefined) this.#appendImplicitStatus();
  }

  /** Appends `working` on behalf of the turn, which has not reported a status. */
  #appendImplicitStatus(): void {
    this.#append(working(), true);
    this.#hasImplicitStatus = true;
  }
}
