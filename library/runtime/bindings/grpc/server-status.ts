import { Metadata } from "@grpc/grpc-js";
import { challengeOf } from "../../protocol/challenge.js";
import { type A2AError, grpcStatus } from "../../protocol/error.js";
import type { CallVersion } from "../../server/adapter.js";
import { encodeStatus, statusText } from "./status.js";

/** Status of a failed call, in the form that `@grpc/grpc-js` sends. */
export interface CallStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
  readonly name: string;
  readonly message: string;
}

/** Returns the status for an error of a version. `challenge` is the challenge of the agent. */
export function statusOf(
  error: A2AError,
  { errorWriter, errors }: CallVersion,
  challenge: string,
): CallStatus {
  const metadata = new Metadata();
  const { text, details: parts } = errorWriter.grpc(error, errors);
  const code = grpcStatus[error.grpcStatus];
  const details = statusText(text);
  if (parts !== undefined) {
    metadata.set(
      "grpc-status-details-bin",
      toBuffer(encodeStatus({ code, message: details, details: parts })),
    );
  }
  const sent = challengeOf(error, error.grpcStatus === "UNAUTHENTICATED", challenge);
  if (sent !== undefined) metadata.set("www-authenticate", sent);
  if (error.retryAfterSeconds !== undefined)
    metadata.set("retry-after", String(error.retryAfterSeconds));
  return { code, details, metadata, name: error.name, message: details };
}

/** Returns the same bytes as a buffer, without a copy. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
