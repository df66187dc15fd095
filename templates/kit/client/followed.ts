import type { Models } from "../model.js";
import type { FollowedTask } from "./view.js";

/** The message that an agent responds with where there is no task. */
export interface FollowedMessage<M extends Models = Models> {
  readonly task?: never;
  readonly message: M["Message"];
  readonly event: M["StreamResponse"];
}

/** A change of a task, or the message that there is instead of one. */
export type Followed<M extends Models = Models> = FollowedTask<M> | FollowedMessage<M>;
