import {
  type GetTaskRequest,
  type Message,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from "../kit/model.js";
import { retryAfterOf } from "../runtime/client/retries.js";
import { openScope } from "../runtime/client/scope.js";
import { wasNotSent } from "../runtime/client/unsent.js";
import { memberAt } from "../runtime/protocol/requirements.js";
import type { CallOptions } from "../runtime/protocol/transport.js";
import { isInterrupted, isTerminal } from "../kit/states.js";
import { confirmed, isPause } from "./confirmed.js";
import { isPassing, isRefusal, isUnsupported } from "./error-kinds.js";
import type { FollowFacts } from "../kit/kit-facts.js";
import type { FollowOptions, FollowStart, TaskClient } from "./options.js";
import { Pace } from "./pace.js";
import { isSameStatus } from "./same.js";
import type { Followed } from "./follow-types.js";
import { followed, TaskView, updateOf, type FollowedTask, type Update } from "./view.js";

type Changes = AsyncGenerator<Followed, void, undefined>;

/** Combines the calls that follow a task into one stream of changes. */
export class Follower {
  readonly #client: TaskClient;
  readonly #start: FollowStart;
  readonly #options: FollowOptions;
  readonly #facts: FollowFacts;
  readonly #pace: Pace;
  readonly #untilEnded: boolean;
  /**
   * Whether to use streams: if the agent declares streaming, or if its card is unknown and it has
   * not rejected a stream.
   */
  #streams: boolean;
  #id = "";
  #view: TaskView | undefined;
  #reply: Message | undefined;
  /**
   * Whether a subscription has received appended chunks. Some agents repeat these chunks when a
   * stream is resumed.
   */
  #hasChunks = false;
  /**
   * Status of the task before the message was sent. While the status is unchanged, a waiting task
   * does not end the stream.
   */
  #initialStatus: TaskStatus | undefined;
  #isOver = false;
  #failure: unknown;

  constructor(client: TaskClient, start: FollowStart, options: FollowOptions, facts: FollowFacts) {
    this.#client = client;
    this.#start = start;
    this.#options = options;
    this.#facts = facts;
    this.#pace = new Pace(options);
    this.#untilEnded = options.untilEnded ?? "id" in start;
    this.#streams =
      client.card === undefined || memberAt(client.card, ["capabilities", "streaming"]) === true;
    if ("id" in start) this.#id = start.id;
    if ("status" in start) this.#open(start);
  }

  /** Yields the changes. The caller must abort the signal when it stops iterating. */
  async *changes(signal: AbortSignal): Changes {
    try {
      if ("message" in this.#start) yield* this.#send(this.#start, signal);
      while (!this.#isOver) yield* this.#subscribeOrPoll(signal);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /**
   * Returns the result. Throws the error that ended the iteration, or an `AbortError` if the loop
   * was left early.
   */
  result(): SendMessageResponse {
    // The thrown value may have any type.
    if (this.#failure !== undefined) throw this.#failure as Error;
    if (!this.#isOver)
      throw new DOMException("The iteration over the changes was stopped", "AbortError");
    if (this.#reply !== undefined) return { message: this.#reply };
    if (this.#view !== undefined) return { task: this.#view.task };
    throw new this.#facts.errors.invalidResponse("The agent responded without a task or a message");
  }

  /**
   * Sends the message and yields the changes in its response. Retries only if the message has not
   * arrived.
   */
  async *#send(request: SendMessageRequest, signal: AbortSignal): Changes {
    this.#id = request.message.taskId ?? "";
    if (this.#id !== "") this.#initialStatus = await this.#statusNow(signal);
    for (let hasArrived = false; !hasArrived;) {
      await this.#pace.next(signal);
      try {
        yield* this.#streams
          ? this.#sendStreaming(request, signal)
          : this.#sendPlain(request, signal);
        hasArrived = true;
      } catch (error) {
        hasArrived = this.#view !== undefined;
        const isRefused = this.#client.card === undefined && this.#streams && isUnsupported(error);
        if (isRefused && !hasArrived) this.#goWithoutStreams();
        else if (hasArrived || wasNotSent(error)) this.#retryOrThrow(error, signal);
        else throw error;
      }
    }
    if (this.#isOver || this.#id !== "") return;
    throw new this.#facts.errors.invalidResponse("The stream ended before its first event");
  }

  async *#sendStreaming(request: SendMessageRequest, signal: AbortSignal): Changes {
    yield* this.#events(
      (inner) => this.#client.sendStreamingMessage(request, this.#stream(inner)),
      signal,
    );
    // The stream has ended at a pause, so the response to the message is complete.
    if (this.#view !== undefined && isInterrupted(this.#view.status.state) && !this.#untilEnded)
      this.#isOver = true;
  }

  async *#sendPlain(request: SendMessageRequest, signal: AbortSignal): Changes {
    const configuration = { returnImmediately: true, ...request.configuration };
    yield* this.#process(
      await this.#client.sendMessage({ ...request, configuration }, this.#call(signal)),
      signal,
    );
  }

  /** Returns the current status of the task, before the message is sent. */
  async #statusNow(signal: AbortSignal): Promise<TaskStatus> {
    for (;;) {
      await this.#pace.next(signal);
      try {
        const { status } = await this.#task(signal, { historyLength: 0 });
        this.#pace.heard(true);
        this.#pace.skip();
        return status;
      } catch (error) {
        this.#retryOrThrow(error, signal);
      }
    }
  }

  /** Subscribes to the task or polls it once, and yields the changes. */
  async *#subscribeOrPoll(signal: AbortSignal): Changes {
    await this.#pace.next(signal);
    try {
      if (this.#streams) yield* this.#subscription(signal);
      else yield* this.#poll(signal);
    } catch (error) {
      if (this.#streams && !signal.aborted && isRefusal(error)) this.#goWithoutStreams();
      else this.#retryOrThrow(error, signal);
    }
  }

  #subscription(signal: AbortSignal): Changes {
    const request = { ...this.#tenant(), id: this.#id };
    return this.#events(
      (inner) =>
        this.#startingWithTask(this.#client.subscribeToTask(request, this.#stream(inner)), inner),
      signal,
    );
  }

  async *#poll(signal: AbortSignal): Changes {
    // After a failure, such as a time-out, do not ask the agent to wait for a change.
    const currentGeneration = this.#pace.hasFailed ? undefined : this.#view?.generation;
    yield* this.#read(
      await this.#task(signal, currentGeneration === undefined ? {} : { currentGeneration }),
    );
  }

  /**
   * If the agent does not begin a subscription with the task, replaces the first event with the
   * task.
   */
  async *#startingWithTask(
    events: AsyncIterable<StreamResponse>,
    signal: AbortSignal,
  ): AsyncIterable<StreamResponse> {
    let isFirst = true;
    for await (const event of events) {
      yield isFirst && event.task === undefined ? { task: await this.#task(signal) } : event;
      isFirst = false;
      this.#hasChunks ||= event.artifactUpdate?.append === true;
    }
  }

  /**
   * Yields the changes of a stream until it ends, the task ends or pauses, or the stream is silent
   * for too long.
   */
  async *#events(
    open: (signal: AbortSignal) => AsyncIterable<StreamResponse>,
    signal: AbortSignal,
  ): Changes {
    const scope = openScope(signal);
    const iterator = open(scope.signal)[Symbol.asyncIterator]();
    try {
      while (!this.#isOver) {
        const next = iterator.next();
        const isResponse = "message" in this.#start && this.#view === undefined;
        const result = await (isResponse ? next : this.#inTime(signal, () => next));
        if (result.done === true) break;
        yield* this.#process(result.value, signal);
      }
      this.#pace.cutOff();
    } finally {
      scope.end(true);
      // Do not await the result, because it may never settle if the stream does not respond.
      iterator.return?.().catch(() => undefined);
    }
  }

  /** Processes an event, and yields its changes. */
  async *#process(event: StreamResponse, signal: AbortSignal): Changes {
    if (event.task !== undefined) {
      yield* this.#read(event.task);
    } else if (event.message !== undefined) {
      if (this.#view !== undefined) return;
      this.#reply = event.message;
      this.#isOver = true;
      yield { message: event.message, event };
    } else {
      const update = updateOf(event);
      if (update !== undefined)
        yield* this.#update(event, this.#view ?? this.#openUnknown(update), signal);
    }
  }

  /** Processes an event that updates a task. */
  async *#update(event: StreamResponse, view: TaskView, signal: AbortSignal): Changes {
    if (this.#hasChunks && view.generation === undefined && isPause(event))
      yield* this.#confirm(event, view, signal);
    let change = view.update(event);
    if (change === "gap") {
      yield* this.#read(await this.#task(signal));
      change = view.update(event);
      if (change === "gap") {
        view.distrust();
        change = view.update(event);
      }
    }
    this.#pace.heard(change !== undefined);
    if (change === undefined || change === "gap") return;
    this.#settle(view.status);
    yield change;
  }

  /**
   * At the end of a resumed stream of an agent without generations, reads the task and yields the
   * changes.
   */
  async *#confirm(event: StreamResponse, view: TaskView, signal: AbortSignal): Changes {
    this.#hasChunks = false;
    const task = await this.#task(signal).catch(() => undefined);
    signal.throwIfAborted();
    const changes = task === undefined ? [] : confirmed(view, task, event);
    this.#settle(view.status);
    yield* changes;
  }

  /** Processes the current task, and yields the changes. */
  *#read(task: Task): Generator<FollowedTask, void, undefined> {
    const changes = this.#view === undefined ? [followed(task, { task })] : this.#view.read(task);
    const view = this.#view ?? this.#open(task);
    this.#pace.heard(changes.length > 0);
    this.#settle(view.status);
    yield* changes;
  }

  #open(task: Task): TaskView {
    this.#id = task.id;
    this.#view = new TaskView(task, this.#facts);
    this.#settle(task.status);
    return this.#view;
  }

  /** Begins with a task of unknown state, because not all agents send the task first. */
  #openUnknown({ taskId, contextId }: Update): TaskView {
    return this.#open({ id: taskId, contextId, status: { state: TaskState.Unspecified } });
  }

  #settle(status: TaskStatus): void {
    if (this.#initialStatus !== undefined && !isSameStatus(this.#initialStatus, status))
      this.#initialStatus = undefined;
    const waits =
      !this.#untilEnded && isInterrupted(status.state) && this.#initialStatus === undefined;
    this.#isOver = waits || isTerminal(status.state);
  }

  #goWithoutStreams(): void {
    this.#streams = false;
    this.#pace.skip();
  }

  /**
   * Records a failed attempt. Throws its error if a retry cannot succeed, or if too many attempts
   * have failed.
   */
  #retryOrThrow(error: unknown, signal: AbortSignal): void {
    // Do not retry with a closed client, because it stays closed.
    if (signal.aborted || this.#client.isClosed === true || !isPassing(error)) throw error;
    if (!this.#pace.failed(retryAfterOf(error))) throw error;
  }

  #task(signal: AbortSignal, more: object = {}): Promise<Task> {
    const start = this.#start;
    // A task that was read earlier contains no limit.
    const { historyLength }: Pick<GetTaskRequest, "historyLength"> =
      "message" in start ? (start.configuration ?? {}) : "status" in start ? {} : start;
    const limit = historyLength === undefined ? {} : { historyLength };
    const request = { ...this.#tenant(), id: this.#id, ...limit, ...more };
    return this.#inTime(signal, (inner) => this.#client.getTask(request, this.#call(inner)));
  }

  #tenant(): { tenant?: string } {
    const { tenant }: Pick<GetTaskRequest, "tenant"> = "tenant" in this.#start ? this.#start : {};
    return tenant === undefined ? {} : { tenant };
  }

  /** Runs a call, and aborts the call if it takes too long. */
  async #inTime<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { silenceMs = 120_000 } = this.#options;
    const scope = openScope(signal, silenceMs);
    try {
      return await scope.race(call(scope.signal));
    } finally {
      scope.end();
    }
  }

  #call(signal: AbortSignal): CallOptions {
    const { headers, extensions } = this.#options;
    return { headers, extensions, signal };
  }

  /**
   * Returns the options for streams. Streams last as long as the task, so the time-out of calls
   * does not apply to them.
   */
  #stream(signal: AbortSignal): CallOptions {
    return { ...this.#call(signal), timeoutMs: Infinity };
  }
}
