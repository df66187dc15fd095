import type { A2AClient } from "../../client/client.js";
import type { GetTaskRequest, SendMessageRequest, Task } from "../../models.js";
import type { CallOptions } from "../../runtime/protocol/transport.js";
import type { PaceOptions } from "./pace.js";

/** What a task is followed with: a client, or what does the same. */
export type TaskClient = Pick<
  A2AClient,
  "card" | "getTask" | "sendMessage" | "sendStreamingMessage" | "subscribeToTask"
> & { readonly isClosed?: boolean };

/** What a task is followed from: a request to send, a request for a task, or a task as it was seen last. */
export type FollowStart = Task | GetTaskRequest | SendMessageRequest;

/** How a task is followed. `headers` and `extensions` go with every call. */
export interface FollowOptions extends Omit<CallOptions, "timeoutMs">, PaceOptions {
  /**
   * Whether to go on where the task waits for input or for credentials, until it ends. Default: not after a message,
   * whose sender it waits for.
   */
  readonly untilEnded?: boolean | undefined;
  /**
   * The milliseconds after which a connection on which nothing comes counts as lost. Default: two minutes. The response
   * to a message may take any time.
   */
  readonly silenceMs?: number | undefined;
}
