import {
  Client,
  credentials as channelCredentials,
  Metadata,
  type CallOptions,
  type ChannelCredentials,
  type ClientOptions,
  type ServiceError,
} from "@grpc/grpc-js";
import { Readable, type Writable } from "node:stream";
import {
  grpcStatus,
  type ErrorTable,
  type GrpcErrorReader,
  type GrpcStatus,
} from "../../protocol/error.js";
import { toInvalidParams } from "../../protocol/field-violations.js";
import { addRetryAfter } from "../../protocol/retry-after.js";
import type { GrpcChannelOptions, GrpcCredentials } from "./types.js";
import { atMostOne, faultOf, severalMessages } from "./faults.js";
import type { Codecs, OperationCodec } from "../../protocol/codec.js";
import { decodeStatus } from "./status.js";
import type { Operation, ServiceFacts } from "../../protocol/operation.js";
import { check, ValidationError } from "../../schema/schema.js";
import { messagesOf, type ResponseStream } from "./messages.js";
import { addText, headersOf } from "./metadata.js";
import { parseTarget } from "./target.js";
import { isAsyncIterable, notify } from "../../base/async.js";
import {
  lowerCaseNames,
  reportHead,
  spelledOut,
  TransportError,
  type Call,
  type Transport,
} from "../../protocol/transport.js";

/** Options for the transport over gRPC. */
export interface GrpcTransportOptions {
  /**
   * The address of the agent: `https://host` or `grpcs://host:port` for TLS, `http://host:port` or
   * `grpc://host:port` for plain text, or a gRPC target such as `host:port` or `dns:///host:port`,
   * which uses TLS unless it is on localhost. A path is ignored, because gRPC does not support
   * paths below a host.
   */
  readonly url: string;
  readonly codecs: Codecs;
  readonly protocol: ServiceFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly readError: GrpcErrorReader;
  /** Credentials of the channel. They override the scheme of the URL. */
  readonly credentials?: GrpcCredentials | undefined;
  /** Options of the channel. The default limit for responses is 64 MiB. */
  readonly channelOptions?: GrpcChannelOptions | undefined;
  /** Metadata for every call. Metadata that the client or the call sets takes precedence. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const defaultOptions: ClientOptions = { "grpc.max_receive_message_length": 64 * 1024 * 1024 };

/**
 * Returns a transport over one gRPC channel, which connects at the first call. `close` closes the
 * channel.
 */
export function createGrpcTransport(options: GrpcTransportOptions): Transport {
  const { address, secure } = parseTarget(options.url);
  // Both options are values from grpc-js. Their declared types only contain some of the members.
  const credentials =
    (options.credentials as ChannelCredentials | undefined) ??
    (secure ? channelCredentials.createSsl() : channelCredentials.createInsecure());
  const client = new Client(address, credentials, channelOptionsOf(options));
  let isClosed = false;
  const open = (call: Call): GrpcCall => {
    const { url } = options;
    if (isClosed)
      throw new TransportError(`The connection to ${url} is closed: create a new client`, {
        url,
        unsent: true,
      });
    return new GrpcCall(client, options, call);
  };
  return {
    binding: options.protocol.bindings.grpc,
    unary: async (call) => open(call).unary(),
    async *stream(call) {
      yield* open(call).stream();
    },
    close() {
      isClosed = true;
      client.close();
    },
  };
}

/** Returns the options for the channel, with defaults for absent options. */
function channelOptionsOf({ channelOptions = {} }: GrpcTransportOptions): ClientOptions {
  const all: ClientOptions = { ...defaultOptions };
  for (const [name, value] of Object.entries(channelOptions))
    if (value !== undefined) all[name] = value;
  return all;
}

const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const asIs = (bytes: Buffer): Buffer => bytes;

/** A call of grpc-js. */
interface SentCall {
  on(event: "metadata", listener: (metadata: Metadata) => void): unknown;
  on(event: "status", listener: (status: { readonly metadata: Metadata }) => void): unknown;
  cancel(): void;
}

/** A call in progress. */
class GrpcCall {
  readonly #client: Client;
  readonly #options: GrpcTransportOptions;
  readonly #call: Call;
  readonly #codec: OperationCodec;
  readonly #path: string;
  readonly #operation: Operation;
  readonly #metadata = new Metadata();
  readonly #sending: CallOptions;
  /** The requests of a call that streams its requests. */
  #source: Readable | undefined;
  /** Error that the stream of requests has thrown. */
  #failure: { readonly error: unknown } | undefined;

  constructor(client: Client, options: GrpcTransportOptions, call: Call) {
    const { name } = call.operation;
    const codec = Object.hasOwn(options.codecs, name) ? options.codecs[name] : undefined;
    const operation = options.operations.find((candidate) => candidate.name === name);
    if (codec === undefined || operation?.grpc === undefined)
      throw new TransportError(`gRPC does not support ${name}`, { url: options.url, unsent: true });
    this.#client = client;
    this.#options = options;
    this.#call = call;
    this.#codec = codec;
    this.#path = operation.grpc;
    this.#operation = operation;
    const { deadline = Infinity } = call;
    this.#sending = deadline - Date.now() < maxTimeoutMs ? { deadline } : {};
    const headers = { ...lowerCaseNames(options.headers), ...call.headers };
    for (const [key, value] of Object.entries(headers)) addText(this.#metadata, key, value);
  }

  async unary(): Promise<unknown> {
    let release: (() => void) | undefined;
    try {
      const response = await new Promise<Buffer>((resolve, reject) => {
        const sent = this.#sendUnary(
          (error, bytes = Buffer.alloc(0)) => {
            if (error === null) resolve(bytes);
            else reject(error);
          },
          () => {
            reject(severalMessages(this.#options.url, this.#call.operation.name));
            sent.cancel();
          },
        );
        release = this.#watch(sent);
      });
      return this.#decode(response);
    } catch (error) {
      throw await this.#explain(error);
    } finally {
      release?.();
    }
  }

  async *stream(): AsyncGenerator<unknown, void, undefined> {
    this.#call.signal?.throwIfAborted();
    const stream = this.#sendStream();
    const release = this.#watch(stream);
    try {
      let isEmpty = true;
      for await (const response of messagesOf(stream)) {
        isEmpty = false;
        yield this.#decode(response);
      }
      const { url, protocol } = this.#options;
      if (isEmpty && !protocol.emptyStreams)
        throw new TransportError(`${url} responded with a stream without an event`, {
          url,
          status: 200,
        });
    } catch (error) {
      throw await this.#explain(error);
    } finally {
      release();
      stream.cancel();
    }
  }

  /** Sends a call with one response. `refuse` is called if a second response arrives. */
  #sendUnary(
    answer: (error: ServiceError | null, bytes?: Buffer) => void,
    refuse: () => void,
  ): SentCall {
    const { request, signal } = this.#call;
    signal?.throwIfAborted();
    const options: CallOptions = { ...this.#sending, interceptors: [atMostOne(refuse)] };
    if (!isAsyncIterable(request)) {
      const bytes = this.#encode(request);
      return this.#client.makeUnaryRequest(
        this.#path,
        toBuffer,
        asIs,
        bytes,
        this.#metadata,
        options,
        answer,
      );
    }
    const stream = this.#client.makeClientStreamRequest(
      this.#path,
      toBuffer,
      asIs,
      this.#metadata,
      options,
      answer,
    );
    this.#pump(request, stream);
    return stream;
  }

  #sendStream(): ResponseStream {
    const { request } = this.#call;
    if (!isAsyncIterable(request)) {
      const bytes = this.#encode(request);
      return this.#client.makeServerStreamRequest(
        this.#path,
        toBuffer,
        asIs,
        bytes,
        this.#metadata,
        this.#sending,
      );
    }
    const stream = this.#client.makeBidiStreamRequest(
      this.#path,
      toBuffer,
      asIs,
      this.#metadata,
      this.#sending,
    );
    this.#pump(request, stream);
    return stream;
  }

  #encode(request: unknown): Uint8Array {
    try {
      return this.#codec.request.encode(spelledOut(request, this.#operation));
    } catch (cause) {
      throw this.#refusal(request, cause);
    }
  }

  /**
   * Returns the error for a request that protobuf cannot represent: invalid params with all issues,
   * which an agent would return over other bindings. If the request is valid over other bindings,
   * the error contains the message of the encoder's error.
   */
  #refusal(request: unknown, cause: unknown): unknown {
    const { errors } = this.#options;
    const { request: type } = this.#operation;
    const { issues } = check(type, request, "json");
    if (issues !== undefined)
      return toInvalidParams(new ValidationError(type.name, issues), errors);
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new errors.invalidParams(`${this.#call.operation.name}: ${reason}`, { cause });
  }

  /** Sends requests at the pace of the connection. */
  #pump(requests: AsyncIterable<unknown>, stream: Writable & { cancel(): void }): void {
    const source = Readable.from(this.#encoded(requests));
    source.on("error", (error) => {
      this.#failure = { error };
      stream.cancel();
    });
    source.pipe(stream);
    this.#source = source;
  }

  async *#encoded(requests: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const request of requests) yield this.#encode(request);
  }

  /**
   * Cancels the call when its signal is aborted, and reports the metadata of the response. Returns
   * a function that removes the listener and ends the requests.
   */
  #watch(sent: SentCall): () => void {
    const { signal } = this.#call;
    const { headers: names } = this.#options.protocol;
    const { onExtensions, onHeaders, onTrailers } = this.#call;
    if (onExtensions ?? onHeaders)
      sent.on("metadata", (metadata) => {
        reportHead(this.#call, headersOf(metadata), names?.extensions);
      });
    if (onTrailers)
      sent.on("status", ({ metadata }) => {
        notify(() => {
          onTrailers(headersOf(metadata));
        });
      });
    const cancel = (): void => {
      sent.cancel();
    };
    signal?.addEventListener("abort", cancel);
    return () => {
      signal?.removeEventListener("abort", cancel);
      this.#source?.destroy();
    };
  }

  #decode(bytes: Uint8Array): unknown {
    try {
      return this.#codec.response.decode(bytes);
    } catch (cause) {
      const { name } = this.#call.operation;
      const fault =
        cause instanceof ValidationError ? `invalid: ${cause.message}` : "not valid protobuf";
      const message = `The response to ${name} is ${fault}`;
      throw new this.#options.errors.invalidResponse(message, { cause });
    }
  }

  /**
   * Returns the error to throw: an error of the caller's request stream, a protocol error, or a
   * transport error. If the signal is aborted, throws its reason.
   */
  async #explain(error: unknown): Promise<unknown> {
    const { errors, readError, url } = this.#options;
    const { signal, deadline = Infinity } = this.#call;
    // An error in the request stream cancels the call, so the gRPC error is only a consequence.
    if (this.#failure !== undefined) return this.#failure.error;
    // Both ends count the same time, and a server may also reset the call. The error of the client
    // names its time-out, so it is used.
    const isLate = isServiceError(error) && ends.includes(error.code);
    if (signal !== undefined && isLate && deadline - Date.now() < toleranceMs)
      await untilAborted(signal);
    signal?.throwIfAborted();
    if (!isServiceError(error)) return error;
    const packed = error.metadata.get("grpc-status-details-bin")[0];
    const bytes = packed instanceof Uint8Array ? packed : new Uint8Array();
    const { message, details } = decodeStatus(bytes);
    const { "grpc.max_receive_message_length": maxBytes } = channelOptionsOf(this.#options);
    const fault = faultOf(error, url, maxBytes, errors);
    const explained =
      fault ?? readError(statusName(error.code), message || error.details, details, errors);
    const [retryAfter] = error.metadata.get("retry-after");
    const [challenge] = error.metadata.get("www-authenticate");
    if (typeof challenge === "string") this.#call.via?.challenge(challenge, url);
    return addRetryAfter(explained, typeof retryAfter === "string" ? retryAfter : undefined);
  }
}

/** The longest time-out that can be sent: a number of hours with 8 digits. */
const maxTimeoutMs = 99_999_999 * 3_600_000;

/** Statuses of a call whose deadline has passed. */
const ends: readonly number[] = [grpcStatus.DEADLINE_EXCEEDED, grpcStatus.CANCELLED];

/** Milliseconds by which the clocks of both ends may differ at a deadline. */
const toleranceMs = 100;

/** Waits for the abortion of a signal, which an interceptor may have replaced. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, 2 * toleranceMs);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve(undefined);
      },
      { once: true },
    );
  });
}

function isServiceError(error: unknown): error is ServiceError {
  return (
    error instanceof Error &&
    "code" in error &&
    "metadata" in error &&
    error.metadata instanceof Metadata
  );
}

function statusName(code: number): GrpcStatus {
  const isName = (name: string): name is GrpcStatus => Object.hasOwn(grpcStatus, name);
  const names = Object.keys(grpcStatus).filter(isName);
  return names.find((name) => grpcStatus[name] === code) ?? "UNKNOWN";
}
