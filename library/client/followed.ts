import type { Models } from "../kit/model.js";
import type { FollowedTask } from "./view.js";

/** The message of an agent that responds without a task. */
export interface FollowedMessage<M extends Models = Models> {
  readonly task?: never;
  readonly message: M["Message"];
  readonly event: M["StreamResponse"];
  readonly authRequired?: never;
}

/** A change to a task, or a message without a task. */
export type Followed<M extends Models = Models> = FollowedTask<M> | FollowedMessage<M>;
