import { challengeOf } from "../../protocol/challenge.js";
import { type A2AError, grpcStatus } from "../../protocol/error.js";
import type { CallVersion } from "../../server/adapter.js";
import type { CallStatus } from "./server-call.js";
import { encodeStatus, statusText } from "../grpc/status.js";

/** Returns the status for an error of a version. `challenge` is the challenge of the agent. */
export function statusOf(
  error: A2AError,
  { errorWriter, errors }: CallVersion,
  challenge: string,
): CallStatus {
  const { text, details: parts } = errorWriter.grpc(error, errors);
  const code = grpcStatus[error.grpcStatus];
  const details = statusText(text);
  const sent = challengeOf(error, error.grpcStatus === "UNAUTHENTICATED", challenge);
  const packed =
    parts === undefined ? undefined : encodeStatus({ code, message: details, details: parts });
  const metadata = {
    ...(packed && { "grpc-status-details-bin": packed }),
    ...(sent !== undefined && { "www-authenticate": sent }),
    ...(error.retryAfterSeconds !== undefined && {
      "retry-after": String(error.retryAfterSeconds),
    }),
  };
  return { code, details, metadata };
}
