import type { JsonObject } from "../../runtime/base/json.js";
import type { Message, Task } from "../model.js";
import type { Incoming } from "./incoming.js";
import type { Waking } from "../store/entries.js";
import type { Content, End, Update } from "./updates.js";

export type { Incoming } from "./incoming.js";
export type { Waking } from "../store/entries.js";

/** Request to cancel a task. */
export interface Cancellation {
  /** The `metadata` of the request. */
  readonly metadata: JsonObject;
}

/** Data and functions for a turn. All functions are bound, so the object can be destructured. */
export interface Turn<User = unknown, State = unknown> extends Incoming<User> {
  /** The task at the beginning of the turn. Its history ends with the message. */
  readonly task: Task & { readonly contextId: string };
  /** State that an earlier turn has saved, or that this turn has saved before its process ended. */
  readonly state: State | undefined;
  /**
   * The turn that has saved the `state`: an earlier turn, or this turn before its process ended;
   * `undefined` if no turn has saved a state. A resumed turn whose state is from an `"earlier"`
   * turn has saved nothing about its message yet.
   */
  readonly saved: "earlier" | "this" | undefined;
  /** Whether the turn began in a process that has ended, and is resumed in this process. */
  readonly resumed: boolean;
  /**
   * Whether the message may have been sent before the question that its task waits on was asked: it
   * arrived while the turn that asked was running. Such a message was not written as an answer, so
   * a plain yes in it must not approve anything. After a crash or an outage of the store, a message
   * that arrived after the question can also be early.
   */
  readonly early: boolean;
  /**
   * The event that has woken the task, if the turn before ended with `asleep`, or if a call of
   * `wake` began the turn. A turn that was not woken by a message has the `message` of the turn
   * before. If a cancel request has woken it, its `signal` is aborted from the beginning, and the
   * task is canceled when the turn ends. A cancel request also wakes a task that waits for its
   * caller, if its last turn was woken.
   */
  readonly woken: Waking | undefined;
  /**
   * Signal that aborts when the task is canceled, or when this process may no longer work on the
   * task. Reading the property checks the lease, so call `turn.signal.throwIfAborted()` before an
   * effect that must not happen twice.
   */
  readonly signal: AbortSignal;
  /** Returns the request to cancel the task; `undefined` until the task is canceled. */
  readonly cancellation: () => Cancellation | undefined;
  /**
   * Adds an update from outside the generator, such as from a callback. The promise resolves when
   * the next update can be added, and never rejects.
   */
  readonly emit: (update: Update) => Promise<void>;
  /**
   * Awaits the promise of an operation that does not support the signal; rejects if the signal
   * aborts first.
   */
  readonly untilAborted: <T>(promise: PromiseLike<T>) => Promise<T>;
  /** Messages that arrive during the turn. */
  readonly pending: Pending;
  /**
   * Saves a state for the next turn, or for the process that resumes this turn, and waits until it
   * is stored.
   */
  // Use a method type, because TypeScript compares the parameters of methods in both directions. A
  // turn whose state is a member of a union is then assignable to a turn whose state is the union.
  readonly checkpoint: { bound(state: State): Promise<void> }["bound"];
  /**
   * Returns the tasks that the message refers to: at most the first hundred, and only tasks that
   * the caller may access.
   */
  readonly referencedTasks: () => Promise<readonly Task[]>;
  /** Returns the other tasks of the context, newest status first. */
  readonly contextTasks: ContextTasks<State>;
}

/** Returns the other tasks of the context of a turn, newest status first. */
export interface ContextTasks<State = unknown> {
  /** Returns the tasks with their artifacts; at most 20 by default. */
  (limit?: number): Promise<readonly Task[]>;
  /** Returns the tasks with the states that their turns have saved. Reads each task separately. */
  (
    limit: number | undefined,
    options: { readonly states: true },
  ): Promise<readonly ContextTask<State>[]>;
}

/** Another task of the context of a turn, with its state. */
export interface ContextTask<State = unknown> {
  readonly task: Task;
  /**
   * The state that the task ended with or, before its end, that its turns saved last; `undefined`
   * if they saved none.
   */
  readonly state: State | undefined;
}

/**
 * Messages to a task during its turn. A message that the turn does not take begins the next turn,
 * which is then {@link Turn.early} if this turn has asked a question.
 */
export interface Pending {
  /** Takes the first message; `undefined` if the inbox is empty. */
  readonly take: () => Message | undefined;
  /** Waits for a message and takes it; rejects if the signal aborts. */
  readonly next: () => Promise<Message>;
}

/**
 * Generator of a turn, which yields updates and returns the end of the turn. If a turn does not
 * await anything, the generator may be synchronous.
 */
export type TurnGenerator<State = unknown> =
  AsyncGenerator<Update, End<State>, undefined> | Generator<Update, End<State>, undefined>;

/**
 * Behavior of an agent. `User` is the type of the user data that turns receive. `State` is the type
 * of the state that turns save.
 */
export interface Behavior<User = unknown, State = unknown> {
  /**
   * Returns a message to respond without a task, or `undefined` to begin a task. Called for
   * messages without a task id, before a task is created.
   */
  reply?(incoming: Incoming<User>): Reply | undefined | Promise<Reply | undefined>;
  /** Processes a message in a turn of its task. */
  run(turn: Turn<User, State>): TurnGenerator<State>;
}

/**
 * A message from the agent that does not belong to a task. The library adds the ids of the message.
 */
export interface Reply {
  /** Content of the message. */
  readonly content: Content;
  /** The `metadata` of the message. */
  readonly metadata?: JsonObject;
  /** URIs of the extensions that the message uses. */
  readonly extensions?: readonly string[];
}

/** Returns a value for `reply` that makes the agent respond with a message instead of a task. */
export function message(content: Content, options: Omit<Reply, "content"> = {}): Reply {
  return { content, ...options };
}
