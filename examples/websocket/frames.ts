import type { Message } from "../../generated/1.0/index.js";

/** Name of the binding in agent cards. */
export const binding = "https://example.com/bindings/websocket/v1";

/** The operation for live calls, in which both sides send messages. */
export const liveMethod = "SendLiveMessage";

/** A message of a live call. `taskId` is required after the first message. */
export interface StreamRequest {
  readonly taskId?: string;
  readonly message: Message;
}

/** A text frame of the caller: begins a call, adds a message to a live call, or cancels a call. */
export interface Request {
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cancel?: true;
}

/**
 * A text frame of the agent: a response or an event, the end of a call, or its error in the form of
 * JSON-RPC.
 */
export interface Response {
  readonly id: string;
  readonly result?: unknown;
  readonly done?: true;
  readonly error?: unknown;
}
