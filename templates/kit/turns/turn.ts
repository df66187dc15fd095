import type { JsonObject } from "../../runtime/base/json.js";
import type { Models } from "../model.js";
import type { Content, End, Update } from "./updates.js";

/** What a message comes with, before there is a task for it. */
export interface Incoming<User = unknown, M extends Models = Models> {
  readonly message: M["Message"];
  /** What the option `remember` has kept of the user that `authenticate` of the agent returned; by default its `id`. */
  readonly user: User;
  readonly tenant: string | undefined;
  /** The URIs of the extensions that the caller asked for. */
  readonly extensions: readonly string[];
  /** The media types that the caller can read; empty where it did not say. */
  readonly acceptedOutputModes: readonly string[];
  /** The `metadata` of the request. */
  readonly metadata: JsonObject | undefined;
  /** The version of the protocol that the caller speaks: `Major.Minor`; absent for tasks of an earlier store. */
  readonly version: string | undefined;
  /**
   * Announces to the caller that an extension is in use. It has an effect until the response to the message begins: for
   * a stream that is the first update, and for a turn that resumes after its process ended there is no response. Throws
   * a `TypeError` where `uri` is not a URI.
   */
  readonly activateExtension: (uri: string) => void;
}

/** Request to cancel a task. */
export interface Cancellation {
  /** The `metadata` of the request. */
  readonly metadata: JsonObject;
}

/** Everything that a turn has to work with. All functions are bound: they may be taken apart. */
export interface Turn<User = unknown, State = unknown, M extends Models = Models> extends Incoming<User, M> {
  /** The task as it was when the turn began, with its history, which ends with the message. */
  readonly task: M["Task"] & { readonly contextId: string };
  /** What an earlier turn has kept, or this one before its process ended. */
  readonly state: State | undefined;
  /** Whether the turn had begun before in a process that ended. */
  readonly resumed: boolean;
  /**
   * Aborts when the task is canceled, or when this process may no longer work on it. Reading it checks the lease, so call
   * `turn.signal.throwIfAborted()` before an effect that must not happen twice.
   */
  readonly signal: AbortSignal;
  /** Returns the request to cancel the task, once there is one. */
  readonly cancellation: () => Cancellation | undefined;
  /**
   * Adds an update from outside of the generator, as callbacks do. The promise settles when there is room for the next
   * one; it never rejects.
   */
  readonly emit: (update: Update<M>) => Promise<void>;
  /** Waits for something that does not know the signal; rejects when that fires. */
  readonly race: <T>(promise: PromiseLike<T>) => Promise<T>;
  /** Messages that come while the turn is at work. */
  readonly pending: Pending<M>;
  /** Keeps a state for the next turn, or for whoever resumes this one, and waits until it is stored. */
  // The type of a method, whose parameters compare in both directions: a turn with one state of a union is a turn of it.
  readonly checkpoint: { bound(state: State): Promise<void> }["bound"];
  /** Returns the tasks that the message refers to, the first hundred at most, as far as the caller may see them. */
  readonly references: () => Promise<readonly M["Task"][]>;
  /** Returns the other tasks of the context, the one whose status is newest first. */
  readonly related: (limit?: number) => Promise<readonly M["Task"][]>;
}

/** Messages to a task that is at work. A message that no turn has taken when it ends begins the next turn. */
export interface Pending<M extends Models = Models> {
  /** Takes the first message, if there is one. */
  readonly take: () => M["Message"] | undefined;
  /** Waits for a message and takes it; rejects when the signal fires. */
  readonly next: () => Promise<M["Message"]>;
}

/** How a turn goes: it yields updates, and returns how it ends. One that waits for nothing need not be asynchronous. */
export type TurnGenerator<State = unknown, M extends Models = Models> =
  AsyncGenerator<Update<M>, End<State, M>, undefined> | Generator<Update<M>, End<State, M>, undefined>;

/** What an agent does. `User` is the type of what turns get of a user, `State` of what turns keep. */
export interface Behavior<User = unknown, State = unknown, M extends Models = Models> {
  /**
   * Answers with a message and no task, where it returns one. Called with messages that name no task, before there is
   * one.
   */
  reply?(incoming: Incoming<User, M>): Reply<M> | undefined | Promise<Reply<M> | undefined>;
  /** Works on a message. */
  run(turn: Turn<User, State, M>): TurnGenerator<State, M>;
}

/** A message of the agent that is no task, without its ids. */
export interface Reply<M extends Models = Models> {
  readonly content: Content<M>;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** Answers with a message. */
export function reply<M extends Models = Models>(content: Content<M>, options: Omit<Reply, "content"> = {}): Reply<M> {
  return { content, ...options };
}
