import type { JsonObject } from "../../runtime/base/json.js";
import type { Models } from "../model.js";

/** An event of a task, as streams send it. */
export type TaskEvent<M extends Models = Models> =
  { readonly statusUpdate: M["TaskStatusUpdateEvent"] } | { readonly artifactUpdate: M["TaskArtifactUpdateEvent"] };

/** An entry of a log: an event or a message. */
export type Entry<M extends Models = Models> = EventEntry<M> | MessageEntry<M>;

/** An event, and the generation of the task after it. */
export interface EventEntry<M extends Models = Models> {
  readonly generation: number;
  readonly event: TaskEvent<M>;
  /** Trace context of the call whose turn created the event, if the service traces its turns. */
  readonly trace?: TraceContext;
}

/**
 * A message that was taken from the inbox and became part of the history. It is not an event, so it does not change the
 * generation.
 */
export interface MessageEntry<M extends Models = Models> {
  /** Generation of the event before the message. */
  readonly generation: number;
  readonly message: M["Message"];
  /** Id of the inbox item that carried the message. */
  readonly item: string;
  /** Whether the task ended before any turn saw the message. */
  readonly unread?: boolean;
}

/**
 * Key of a mark in the item of a turn. The mark means that the history in the store contains the item's message. A
 * symbol is not part of JSON, so the mark itself is never stored.
 */
export const inHistory: unique symbol = Symbol("in history");

/** An item that another process sends to the lease holder: a message, or a request to cancel. */
export interface InboxItem<M extends Models = Models> {
  /** Unique id. */
  readonly id: string;
  readonly message?: M["Message"];
  /** Facts about the call, for the turn that takes the message. */
  readonly call?: CallFacts;
  readonly cancel?: JsonObject;
  /** Only set for the item that began a turn: whether the turn continues although its task waits for the caller. */
  readonly keepsRunning?: boolean;
  /** Only set for the item that began a turn, if the turn was resumed. */
  readonly resumed?: Resumptions;
  /**
   * Only set for the item that began a turn: the history in the store contains its message, so the store may store a
   * reference to the history instead of writing the message again. Only stores in this library set this mark, in items
   * that they read.
   */
  readonly [inHistory]?: true;
}

/** Number of times that a turn was resumed. */
export interface Resumptions {
  /** Generation of the task when the turn was last resumed. */
  readonly generation: number;
  /** Number of times that the turn was resumed at this generation. */
  readonly count: number;
}

/** Facts about the call that sent a message, for the turn of the message. A database stores them as JSON. */
export interface CallFacts {
  /** User data that the option `remember` returned. */
  readonly user: unknown;
  readonly extensions: readonly string[];
  readonly acceptedOutputModes: readonly string[];
  readonly metadata: JsonObject | undefined;
  /** Protocol version of the caller; absent in tasks that an earlier output stored. */
  readonly version?: string;
  /** Trace context of the call, if the service traces its turns. */
  readonly trace?: TraceContext;
}

/** The headers of W3C Trace Context that identify a position in a trace. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}
