import type { Message, StreamResponse } from "../kit/model.js";
import type { FollowedTask } from "./view.js";

/** The message of an agent that responds without a task. */
export interface FollowedMessage {
  readonly task?: never;
  /** The message. */
  readonly message: Message;
  /** The event that contains the message. */
  readonly event: StreamResponse;
  readonly authRequired?: never;
}

/** A change to a task, or a message without a task. */
export type Followed = FollowedTask | FollowedMessage;

/**
 * The changes to a task. Each change is yielded once. The first call is sent when iteration begins,
 * and leaving the loop aborts running calls.
 */
export interface Following<T, Result> extends AsyncIterableIterator<T> {
  /** Reads the remaining changes, and returns the result: the final task, or the message. */
  result(): Promise<Result>;
}
