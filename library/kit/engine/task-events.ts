import { type Task, TaskState } from "../model.js";
import { extended } from "../copy.js";
import type { Stamp } from "../extensions/respond.js";
import { TaskTooLargeError } from "../limits/size.js";
import type { TaskSize } from "../limits/task-size.js";
import { eventOf, type EventSource, type Sources } from "../log/events.js";
import type { LogWriter } from "../log/writer.js";
import { isInterrupted, isTerminal, timeOf } from "../states.js";
import type { TurnStart } from "../turns/context.js";
import { itemWith } from "../turns/item.js";
import { isAsleep, isBare, isEnd, isUpdate, shown } from "../turns/values.js";
import type { ArtifactChunk } from "../turns/artifact-chunk.js";
import { type Asleep, failed, working } from "../turns/updates.js";
import type { TaskEvent } from "../store.js";
import type { Environment } from "./environment.js";
import { HeldChunk } from "./held-chunk.js";
import type { MessageItem } from "../turns/inbox.js";
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
  /** Whether the turn began without a message. */
  #isWoken = false;
  /** Whether the task waited for its caller when the turn began. */
  #isContinued = false;
  /**
   * Generation at which the turn last yielded a status with `respond`, so that waiting callers get
   * a response.
   */
  #respondedAt: number | undefined;
  /** The item that began the turn. */
  #turn: MessageItem | undefined;
  /**
   * Adds the values of extensions to the updates of the turn; absent if the caller requests no such
   * extension.
   */
  #stamp: Stamp | undefined;
  /** Chunks of an artifact that are not sent yet; absent unless a turn has set `everyMs`. */
  #held: HeldChunk | undefined;

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

  /**
   * Generation at which the turn last yielded a status with `respond`, so that waiting callers get
   * a response.
   */
  get respondedAt(): number | undefined {
    return this.#respondedAt;
  }

  get facts(): Sources["facts"] {
    return this.#environment.facts;
  }

  /**
   * Returns the time of the next status. The time is never earlier than the time of the last
   * status, even if the clocks of processes differ. Otherwise, the task could move back in a list
   * and appear on two pages.
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
    this.#isWoken = item.woken !== undefined && item.woken.by !== "message";
    // A turn without a message, which callers do not wait for, need not report that it works.
    const isKnown = resumed || (this.#isWoken && this.#state === TaskState.Working);
    this.#isSilent = !isKnown || this.#state === TaskState.Submitted;
    this.#isContinued = this.#isSilent && isInterrupted(this.#state);
  }

  /** Appends an update. If the turn must wait before its next update, returns a promise. */
  add(update: unknown): Promise<void> | undefined {
    if (!isUpdate(update))
      throw new TypeError(
        `The turn yielded ${shown(update)}: yield the result of working(), artifact(), …`,
      );
    if (!("state" in update)) this.#addChunk(update);
    else {
      // A bare `working` repeats the status that was reported on behalf of the turn.
      if (!this.#hasImplicitStatus || !isBare(update)) this.#append(update, true);
      this.#hasImplicitStatus &&= !isBare(update);
    }
    return this.#writer.room();
  }

  /** Sends the held chunk, so that the chunk precedes all later changes to the task. */
  flush(): void {
    const held = this.#held?.take();
    if (held !== undefined) this.#write({ artifactUpdate: held });
  }

  /** Drops the held chunk, because the worker writes no more events. */
  close(): void {
    this.#held?.take();
  }

  /** Appends the end of a turn. If the end is invalid, the task fails. */
  end(end: unknown): void {
    try {
      if (!isEnd(end))
        throw new TypeError(
          `The turn returned ${shown(end)}: return the result of completed(), inputRequired(), …`,
        );
      // No caller waits for a turn without a message, so it can sleep again without a change to the
      // task.
      const isChanged = isAsleep(end) ? !this.#isWoken : this.#isContinued;
      if (isChanged) this.#reportWorkingFirst();
      if ("checkpoint" in end) this.keepCheckpoint(end.checkpoint);
      this.flush();
      // Artifacts of a failed task may be incomplete, and a later turn may continue the artifacts
      // of an interrupted task.
      if (end.state === TaskState.Completed) this.#writer.endArtifacts();
      if (isAsleep(end)) this.#fallAsleep(end);
      else this.#append(end, false);
    } catch (error) {
      this.#environment.report(error, { taskId: this.#id });
      this.#append(failed(error instanceof TaskTooLargeError ? error.message : undefined), false);
    }
  }

  /**
   * Marks the turn as asleep, so that no process resumes it as if its process had ended. Waiting
   * callers get a response, for which the turn needs an event.
   */
  #fallAsleep({ until }: Asleep): void {
    if (this.#turn === undefined) return;
    this.#respond();
    const turn = (this.#turn = extended(this.#turn, { asleep: true }));
    const inMs = until && Math.ceil(until.getTime() - this.#environment.now());
    this.#writer.set({ turn, ...(inMs !== undefined && { wakeInMs: Math.max(0, inMs) }) });
  }

  /** Saves a checkpoint of the running turn with the next write. */
  checkpoint(checkpoint: unknown): void {
    this.flush();
    this.keepCheckpoint(checkpoint);
    // The process that resumes the turn needs to know whether the checkpoint is the turn's own.
    if (this.#turn !== undefined && this.#turn.saved !== true)
      this.#writer.set({ turn: (this.#turn = extended(this.#turn, { saved: true })) });
  }

  /** Saves a checkpoint with the next write. */
  keepCheckpoint(checkpoint: unknown): void {
    this.#size.keep(checkpoint);
    this.#writer.set({ checkpoint });
  }

  /** Appends the message of an inbox item. */
  take(item: MessageItem, unread: boolean): void {
    const { id, message } = item;
    this.flush();
    this.#size.take(item);
    this.#writer.message(
      extended(message, { taskId: this.#id, contextId: this.#contextId }),
      id,
      unread,
    );
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

  #addChunk(chunk: ArtifactChunk): void {
    const { everyMs, append, artifact } = chunk;
    const isContinuing = everyMs !== undefined && this.#held?.isContinuedBy(chunk) === true;
    if (!isContinuing) this.flush();
    this.#reportWorkingFirst();
    const isKnown = isContinuing || !append || this.#size.hasArtifact(artifact.artifactId);
    const own = isKnown ? chunk : extended(chunk, { append: false });
    if (everyMs === undefined) this.#append(own, true);
    else this.#hold(this.#eventOf(own), everyMs);
  }

  /**
   * Holds the event of a chunk, so that the chunks that follow within `everyMs` become part of the
   * event.
   */
  #hold(event: TaskEvent, everyMs: number): void {
    if (!("artifactUpdate" in event)) return;
    this.#held ??= new HeldChunk(() => {
      try {
        this.flush();
      } catch (thrown) {
        this.#stop.run?.stop({ thrown });
      }
    });
    if (this.#held.add(event.artifactUpdate, everyMs)) this.flush();
  }

  #append(update: EventSource, keepsRunning: boolean): void {
    this.flush();
    this.#write(this.#eventOf(update));
    if (!("state" in update)) return;
    this.#state = update.state;
    // An ended task only keeps the state of its end, not a checkpoint that is written together with
    // the end.
    if (isTerminal(update.state) && !("checkpoint" in update)) this.#writer.dropCheckpoint();
    this.#isSilent = this.#hasImplicitStatus = false;
    if ("respond" in update && update.respond) this.#respond();
    // The process that resumes the turn needs to know whether it continues while its task waits for
    // the caller.
    const turn = this.#turn && itemWith(this.#turn, update.state, keepsRunning);
    if (turn !== this.#turn && turn !== undefined) this.#writer.set({ turn: (this.#turn = turn) });
  }

  /** Gives waiting callers their response. */
  #respond(): void {
    this.#respondedAt = this.#writer.generation;
    this.#owner.responded();
  }

  /** Creates the event of an update, with the next generation. Throws if the update is invalid. */
  #eventOf(update: EventSource): TaskEvent {
    const ids = { id: this.#id, contextId: this.#contextId };
    return eventOf(this.#stamp?.(update) ?? update, ids, this.#writer.generation + 1, this);
  }

  #write(event: TaskEvent): void {
    const bytes = this.#size.add(event, this.#writer.bytes);
    this.#writer.event(event, bytes, this.#turn?.call?.trace);
  }

  /**
   * Reports `working` before the first artifact of a turn, and before the end of a turn that the
   * caller continued.
   */
  #reportWorkingFirst(): void {
    if (this.#isSilent && this.#stop.cancellation === undefined) this.#appendImplicitStatus();
  }

  /** Appends `working` on behalf of the turn, which has not reported a status. */
  #appendImplicitStatus(): void {
    this.#append(working(), true);
    this.#hasImplicitStatus = true;
  }
}
