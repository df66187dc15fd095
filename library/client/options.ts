import type {
  AgentCard,
  GetTaskRequest,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "../kit/model.js";
import type { CallOptions } from "../runtime/protocol/transport.js";
import type { PaceOptions } from "./pace.js";

/**
 * The members of a client that `followTask` uses. Pass a client, or an object with these members.
 */
export interface TaskClient {
  readonly card: AgentCard | undefined;
  readonly isClosed?: boolean;
  getTask(request: GetTaskRequest, options?: CallOptions): Promise<Task>;
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendMessageResponse>;
  sendStreamingMessage(
    request: SendMessageRequest,
    options?: CallOptions,
  ): AsyncIterable<StreamResponse>;
  subscribeToTask(
    request: SubscribeToTaskRequest,
    options?: CallOptions,
  ): AsyncIterable<StreamResponse>;
}

/**
 * Starting point for following a task: a message to send, a task to request, or a task that was
 * fetched earlier.
 */
export type FollowStart = Task | GetTaskRequest | SendMessageRequest;

/** Options for following a task. `headers` and `extensions` are sent with each call. */
export interface FollowOptions extends Omit<CallOptions, "timeoutMs">, PaceOptions {
  /**
   * Whether to continue until the task ends, even if it waits for input or credentials. Default:
   * `false` if a message is sent, because the task then waits for its sender; `true` for an
   * existing task.
   */
  readonly untilEnded?: boolean | undefined;
  /**
   * Milliseconds without data after which a connection counts as lost. Default: two minutes. Does
   * not apply to the response to a message, which may take any time.
   */
  readonly silenceMs?: number | undefined;
}
