import type { Message, StreamResponse } from "../../models.js";
import type { FollowedTask } from "./view.js";

/** The message that an agent responds with where there is no task. */
export interface FollowedMessage {
  readonly task?: never;
  readonly message: Message;
  readonly event: StreamResponse;
}

/** A change of a task, or the message that there is instead of one. */
export type Followed = FollowedTask | FollowedMessage;
