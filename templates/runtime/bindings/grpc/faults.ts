import { InterceptingCall, status, type Interceptor, type ServiceError } from "@grpc/grpc-js";
import { TransportError } from "../../protocol/transport.js";

/** Messages of grpc-js if no connection was established. The messages for a lost connection are different. */
const unsent = /No connection established|Name resolution failed/;

/** Statuses for a lost connection or server. If an agent itself sends such a status, the status has details. */
const lost: readonly number[] = [status.UNAVAILABLE, status.CANCELLED];

/** Beginning of the messages that grpc-js creates if the agent did not send a status. */
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

/** Statuses that agents and proxies send if credentials are missing or insufficient. */
const access: readonly number[] = [status.UNAUTHENTICATED, status.PERMISSION_DENIED];

/**
 * Returns the error for a status that the transport has created, because the agent is unreachable or the server does
 * not support gRPC. Returns `undefined` for a status from the agent.
 */
export function faultOf(error: ServiceError, url: string): TransportError | undefined {
  const { code, details } = error;
  const http = /^Received HTTP status code (\d+)/.exec(details)?.[1];
  if (http !== undefined && access.includes(code)) return undefined;
  if (!lost.includes(code) && !ownWords.test(details) && code in status) return undefined;
  const words = details || "an unknown gRPC status";
  return new TransportError(`No response from ${url}: ${words}`, {
    url,
    cause: error,
    unsent: unsent.test(details),
    status: http === undefined ? undefined : Number(http),
  });
}

/** Returns the error for a call that received several responses instead of one. */
export function severalMessages(url: string, name: string): TransportError {
  return new TransportError(`${url} responded with several messages to ${name}`, { url, status: 200 });
}

/**
 * Returns an interceptor that passes on the first message and calls `refuse` for a second message. Without the
 * interceptor, grpc-js would neither read the second message nor end the call.
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
