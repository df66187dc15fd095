import { InterceptingCall, status, type Interceptor, type ServiceError } from "@grpc/grpc-js";
import type { ClientErrors } from "../../protocol/error.js";
import { TransportError } from "../../protocol/transport.js";

/**
 * Messages of grpc-js if no connection was established. The messages for a lost connection are
 * different.
 */
const unsent = /No connection established|Name resolution failed/;

/** Statuses for a lost connection or server. */
const lost: readonly number[] = [status.UNAVAILABLE, status.CANCELLED];

/** Beginning of the messages that grpc-js creates if the server did not send a status. */
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
 * Returns the error for a status that the transport has created, because the server is unreachable
 * or does not support gRPC. `maxBytes` is the maximum size of a response. Returns `undefined` for a
 * status from the service.
 */
export function faultOf(
  error: ServiceError,
  url: string,
  maxBytes: unknown,
  { domain }: Pick<ClientErrors, "domain">,
): TransportError | undefined {
  const { code, details, metadata } = error;
  // Only services send a status with details. Without a domain, any status that a server sends is
  // an error of its service; proxies may send it in front of other services.
  if (metadata.get("grpc-status-details-bin").length > 0) return undefined;
  const isSent = domain === undefined && metadata.get("content-type").length > 0;
  const http = /^Received HTTP status code (\d+)/.exec(details)?.[1];
  if (http !== undefined && access.includes(code)) return undefined;
  if ((isSent || !lost.includes(code)) && !ownWords.test(details) && code in status)
    return undefined;
  const reason = details || "an unknown gRPC status";
  const noResponse = `No response from ${url}: ${reason}${tlsHint(details)}`;
  return new TransportError(sizeFault(details, url, maxBytes) ?? noResponse, {
    url,
    cause: error,
    unsent: unsent.test(details),
    status: http === undefined ? undefined : Number(http),
  });
}

/**
 * Returns a hint if OpenSSL could not read the first bytes of a server, because the server does not
 * use TLS.
 */
function tlsHint(details: string): string {
  if (!/wrong version number/i.test(details)) return "";
  return (
    "; the client uses TLS, but the server responds in plain text: for plain text, use " +
    "grpc://host:port"
  );
}

/**
 * Returns the message for a message above a limit. The server and the client use the same words, so
 * the limit determines the side that has refused the message.
 */
function sizeFault(details: string, url: string, maxBytes: unknown): string | undefined {
  const [, size = "", limit = ""] =
    /^Received message larger than max \((\d+) vs (\d+)\)/.exec(details) ?? [];
  if (size === "") return undefined;
  const above = `a message of ${size} bytes, above the limit of ${limit} bytes`;
  if (limit !== String(maxBytes))
    return `${url} refused ${above}: send less, or raise the limit of the server`;
  return `${url} responded with ${above}: set "grpc.max_receive_message_length" in channelOptions`;
}

/** Returns the error for a call that received several responses instead of one. */
export function severalMessages(url: string, name: string): TransportError {
  return new TransportError(`${url} responded with several messages to ${name}`, {
    url,
    status: 200,
  });
}

/**
 * Returns an interceptor that passes on the first message and calls `refuse` for a second message.
 * Without the interceptor, grpc-js would neither read the second message nor end the call.
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
