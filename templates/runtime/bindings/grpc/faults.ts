import { InterceptingCall, status, type Interceptor, type ServiceError } from "@grpc/grpc-js";
import { TransportError } from "../../protocol/transport.js";

/** What grpc-js reports where no connection came about; a connection that breaks later reads otherwise. */
const unsent = /No connection established|Name resolution failed/;

/** What is reported where a connection, or the server behind it, is gone; of agents, these come with details. */
const lost: readonly number[] = [status.UNAVAILABLE, status.CANCELLED];

/** How grpc-js begins what it says itself where no status of the agent has come, or in its place. */
const ownWords = new RegExp(
  `^(?:${[
    "Received (?:HTTP status code|RST_STREAM|message (?:larger|that decompresses))",
    "No (?:status information|message) received",
    "Bandwidth exhausted",
    "Protocol not secure",
    "Failed to (?:decompress|start HTTP/2)",
    "Attempted to send message with a size",
    "Write (?:error|failed)",
  ].join("|")})`,
);

/** Statuses that a proxy before the agent may ask for access with, as agents do. */
const access: readonly number[] = [status.UNAUTHENTICATED, status.PERMISSION_DENIED];

/**
 * Returns the error for a status without details that is not the word of the agent, but of the transport: the agent is
 * not there, or what responds does not speak gRPC. Returns `undefined` for any other status.
 */
export function faultOf(error: ServiceError, url: string): TransportError | undefined {
  const { code, details } = error;
  const http = /^Received HTTP status code (\d+)/.exec(details)?.[1];
  if (http !== undefined && access.includes(code)) return undefined;
  if (!lost.includes(code) && !ownWords.test(details) && code in status) return undefined;
  const words = details || "a status that gRPC does not have";
  return new TransportError(`No response from ${url}: ${words}`, {
    url,
    cause: error,
    unsent: unsent.test(details),
    status: http === undefined ? undefined : Number(http),
  });
}

/** Returns the error for a call that several messages were the response to, where there has to be one. */
export function severalMessages(url: string, name: string): TransportError {
  return new TransportError(`${url} responded with several messages to ${name}`, { url, status: 200 });
}

/**
 * Stands between grpc-js and a call: hands on the first message, and calls `refuse` at a second one. Without it grpc-js
 * would neither read that nor end the call.
 */
export function atMostOne(refuse: () => void): Interceptor {
  return (options, nextCall) => {
    const call = nextCall(options);
    return new InterceptingCall(call, {
      start(metadata, _, next) {
        let isAnswered = false;
        next(metadata, {
          onReceiveMessage(message, pass) {
            if (isAnswered && message !== null) {
              refuse();
              return;
            }
            isAnswered = true;
            pass(message);
            call.startRead();
          },
        });
      },
    });
  };
}
