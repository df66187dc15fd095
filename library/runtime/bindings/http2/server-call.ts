import type { GrpcStatus } from "../../protocol/error.js";
import type { CallHeaders } from "../../protocol/headers.js";
import type { RequestSource } from "../../server/exchange.js";

/** Values of a metadata entry. Names of entries with binary values end with `-bin`. */
type MetadataValue = string | Uint8Array;

/** Metadata to send, by lower-case names. */
export type SentMetadata = Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;

/** The end of a call that failed. */
export interface CallStatus {
  /** The number of the status. */
  readonly code: number;
  /** The message for the caller. */
  readonly details: string;
  readonly metadata?: SentMetadata;
}

/** Length of the prefix of a message: a flag for compression, and the length in four bytes. */
export const prefixLength = 5;

/**
 * A call of any service as its transport sees it: messages are bytes, and responses begin with
 * {@link prefixLength} bytes that the transport sets. Either {@link WireCall.respond},
 * {@link WireCall.end} or {@link WireCall.fail} ends the call. After the end, and after the caller
 * has disconnected, all methods that send have no effect.
 */
export interface WireCall extends RequestSource {
  /** The metadata of the caller, with binary values in base64. */
  readonly headers: CallHeaders;
  /** Whether nothing more can be sent. */
  readonly isClosed: boolean;
  /**
   * Returns the request of a caller that sends one request. Throws a {@link WireError} if the
   * transport refuses it.
   */
  one(): Uint8Array | Promise<Uint8Array>;
  /** Returns the requests of a caller that sends a stream. Throws like {@link WireCall.one}. */
  all(): AsyncIterable<Uint8Array>;
  /** Sends metadata before the first response. Must be called at most once. */
  start(metadata: SentMetadata): void;
  /** Sends the only response, and ends the call. `metadata` follows the response. */
  respond(response: Uint8Array, metadata?: SentMetadata): void;
  /** Sends a response. Returns whether the caller keeps up. If not, call {@link WireCall.drained}. */
  write(response: Uint8Array): boolean;
  /** Waits until the caller has read most of the responses, or has disconnected. */
  drained(): Promise<void>;
  /** Ends a stream of responses. `metadata` follows the last response. */
  end(metadata?: SentMetadata): void;
  /** Ends the call with an error. */
  fail(status: CallStatus): void;
}

/** A method of a service on the wire. */
export interface WireMethod {
  /** Name that identifies the method in its service. */
  readonly name: string;
  /** Whether callers send a stream of requests. */
  readonly requestStream: boolean;
  /** Whether callers receive a stream of responses. */
  readonly responseStream: boolean;
  /** Handles a call. Must not throw. */
  readonly handle: (call: WireCall) => void;
}

/** Methods by their paths, such as `/package.Service/Method`. */
export type WireMethods = ReadonlyMap<string, WireMethod>;

/** A request that the transport refuses, with the status to send. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly status: GrpcStatus;

  constructor(status: GrpcStatus, message: string) {
    super(message);
    this.status = status;
  }
}
