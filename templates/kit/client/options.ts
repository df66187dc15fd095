import type {
  AgentCard,
  GetTaskRequest,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "../model.js";
import type { CallOptions } from "../../runtime/protocol/transport.js";
import type { PaceOptions } from "./pace.js";

/** Calls that a task is followed with: those of a client, or of an object that does the same. */
export interface TaskClient {
  readonly card: AgentCard | undefined;
  readonly isClosed?: boolean;
  getTask(request: GetTaskRequest, options?: CallOptions): Promise<Task>;
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendMessageResponse>;
  sendStreamingMessage(request: SendMessageRequest, options?: CallOptions): AsyncIterable<StreamResponse>;
  subscribeToTask(request: SubscribeToTaskRequest, options?: CallOptions): AsyncIterable<StreamResponse>;
}

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
