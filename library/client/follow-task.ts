import type { FollowFacts } from "../kit/kit-facts.js";
import type { SendMessageResponse } from "../kit/model.js";
import { openScope, streamWithin } from "../runtime/client/scope.js";
import type { ClientFunctions } from "./functions.js";
import { Follower } from "./follower.js";
import type { FollowOptions, FollowStart, TaskClient } from "./options.js";

/** Returns {@link ClientFunctions.followTask} for a version. */
export function followTask(facts: FollowFacts): ClientFunctions["followTask"] {
  const follow = (client: TaskClient, start: FollowStart, options: FollowOptions = {}) => {
    const follower = new Follower(client, start, options, facts);
    const changes = streamWithin(
      () => openScope(options.signal),
      (signal) => follower.changes(signal),
    );
    const result = async (): Promise<SendMessageResponse> => {
      while ((await changes.next()).done !== true);
      return follower.result();
    };
    return Object.assign(changes, { result });
  };
  // Without a message in `start`, all changes and the result have a task.
  return follow as ClientFunctions["followTask"];
}
