import type { JsonObject, JsonValue } from "../../runtime/base/json.js";
import type { Message, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "../model.js";

/** An event of a task, as streams send it. */
export type TaskEvent =
  | { readonly statusUpdate: TaskStatusUpdateEvent }
  | { readonly artifactUpdate: TaskArtifactUpdateEvent };

/** An entry of a log: an event or a message. */
export type Entry = EventEntry | MessageEntry;

/** An event, and the generation of the task after it. */
export interface EventEntry {
  readonly generation: number;
  readonly event: TaskEvent;
  /** Trace context of the call whose turn created the event, if the service traces its turns. */
  readonly trace?: TraceContext;
}

/**
 * A message that was taken from the inbox and became part of the history. The message is not an
 * event, so the generation does not change.
 */
export interface MessageEntry {
  /** Generation of the event before the message. */
  readonly generation: number;
  readonly message: Message;
  /** Id of the inbox item that carried the message. */
  readonly item: string;
  /** Whether the task ended before a turn received the message. */
  readonly unread?: boolean;
}

/**
 * Key of a mark on the item of a turn. The mark means that the stored history contains the item's
 * message. JSON does not contain symbols, so the mark itself is never stored.
 */
export const inHistory: unique symbol = Symbol("in history");

/** An item of a task's inbox: a message, a request to cancel, or a request to wake the task. */
export interface InboxItem {
  /** Unique id. */
  readonly id: string;
  readonly message?: Message;
  /** Facts about the call, for the turn that takes the message. */
  readonly call?: CallFacts;
  readonly cancel?: JsonObject;
  /** Begins the next turn without a message. */
  readonly wake?: { readonly payload?: JsonValue | undefined };
  /**
   * Only set in the item that began a turn: whether the turn continues although its task waits for
   * the caller.
   */
  readonly keepsRunning?: boolean;
  /** Only set in the item that began a turn, if the turn has saved a checkpoint. */
  readonly saved?: true;
  /**
   * Only set in the item that began a turn: when its task was created, in milliseconds since 1970.
   */
  readonly beganAt?: number;
  /** Only set in the item that began a turn, as `Turn.early` describes. */
  readonly early?: true;
  /** Only set in the item that began a turn, if the turn has ended with `asleep`. */
  readonly asleep?: true;
  /** Only set in the item that began a turn, as `Turn.woken` describes. */
  readonly woken?: Waking;
  /** Only set in the item that began a turn, if the turn was resumed. */
  readonly resumed?: Resumptions;
  /**
   * Only set in the item that began a turn, if the history in the store contains its message. The
   * store may then store a reference to the history instead of writing the message again. Workers
   * set this mark on new items, and the stores of this library set it on items that they read.
   */
  readonly [inHistory]?: true;
}

/** The event that has begun a turn of a task that was asleep, or a turn without a message. */
export type Waking =
  | { readonly by: "message" | "time" | "cancel" }
  /** A call of `wake`, with its payload. */
  | { readonly by: "wake"; readonly payload?: JsonValue | undefined };

/** Number of times that a turn was resumed. */
export interface Resumptions {
  /** Generation of the task when the turn was last resumed. */
  readonly generation: number;
  /** Number of times that the turn was resumed at this generation. */
  readonly count: number;
}

/**
 * Facts about the call that sent a message, for the turn of the message. A database stores them as
 * JSON.
 */
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
