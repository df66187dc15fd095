import type { FollowFacts } from "../kit-facts.js";
import type { Models, SendMessageResponse } from "../model.js";
import { openScope, streamWithin } from "../../runtime/client/scope.js";
import type { Followed } from "./followed.js";
import { Follower } from "./follower.js";
import type { FollowOptions, FollowStart, TaskClient } from "./options.js";

/** The changes of a task, each once. The first call is made when iteration begins; leaving the loop ends what runs. */
export interface Following<T, Result> extends AsyncIterableIterator<T> {
  /** Reads what is left, and returns what came of it: the task as it is at the end, or the message. */
  result(): Promise<Result>;
}

/**
 * Follows a task from a message, or as it is known, to its end: by stream or by polling, as the agent can, and over lost
 * connections. Iteration yields each change once, with the task after it. The first event is the task as a whole, unless
 * it is known; changes that happened while there was no connection are events like others. A reply without a task is the
 * one event there is. The task is not canceled where the loop is left.
 *
 * @param start - a request to send, a request for a task, or a task as it was seen last
 * @throws what the methods of the client throw, while iterating; a lost connection only where it stays lost. A message
 * is sent once more only where it certainly has not arrived
 *
 * @example
 * for await (const { task, event } of followTask(client, { message })) console.log(task?.status.state, event);
 * @example
 * const { task } = await followTask(client, { message }).result();
 */
export function followTask<M extends Models = Models>(
  client: TaskClient,
  start: FollowStart,
  options: FollowOptions,
  facts: FollowFacts,
): Following<Followed<M>, SendMessageResponse> {
  const follower = new Follower(client, start, options, facts);
  const changes = streamWithin(
    () => openScope(options.signal),
    (signal) => follower.changes(signal),
  );
  const following: Following<Followed, SendMessageResponse> = Object.assign(changes, {
    result: async (): Promise<SendMessageResponse> => {
      while ((await changes.next()).done !== true);
      return follower.result();
    },
  });
  // What the client returns is what comes out.
  return following as Following<Followed<M>, SendMessageResponse>;
}
