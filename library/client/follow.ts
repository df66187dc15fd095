import type { FollowFacts } from "../kit/kit-facts.js";
import type { Models, SendMessageResponse } from "../kit/model.js";
import { openScope, streamWithin } from "../runtime/client/scope.js";
import type { Followed } from "./followed.js";
import { Follower } from "./follower.js";
import type { FollowOptions, FollowStart, TaskClient } from "./options.js";

/**
 * The changes to a task. Each change is yielded once. The first call is sent when iteration begins,
 * and leaving the loop aborts running calls.
 */
export interface Following<T, Result> extends AsyncIterableIterator<T> {
  /** Reads the remaining changes, and returns the result: the final task, or the message. */
  result(): Promise<Result>;
}

/**
 * Follows a task to its end, from a message or from a known task. Uses a stream if the agent
 * supports streaming, otherwise polling, and reconnects if the connection is lost. Iteration yields
 * each change once, with the task after the change. The first event is the whole task, unless
 * `start` is a task. Changes that occur while the connection is lost are yielded as normal events.
 * A reply without a task is yielded as a single event. Leaving the loop does not cancel the task.
 *
 * @param start - a request to send, a request for a task, or a task that was read earlier
 * @throws errors of the client's methods, during iteration. A lost connection is only an error if
 *   it cannot be restored. A message is only sent again if it is certain that it has not arrived
 *
 * @example
 * for await (const { task, event } of followTask(client, { message }))
 * console.log(task?.status.state, event);
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
  // The changes contain the client's own types.
  return following as Following<Followed<M>, SendMessageResponse>;
}
