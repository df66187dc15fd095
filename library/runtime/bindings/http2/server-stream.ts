import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { grpcStatus } from "../../protocol/error.js";
import { entriesOf, joined, type CallHeaders, type Peer } from "../../protocol/headers.js";
import { type CallStatus, type SentMetadata, type WireCall, WireError } from "./server-call.js";
import type { Http2Connection } from "./server-connection.js";
import { type Frame, FrameReader, FrameWriter } from "./server-frames.js";
import { WaitingCall } from "./server-waiting.js";
import { headersOf, timeoutOf, trailersOf, type WireHeaders } from "./server-metadata.js";

/** Limits of the calls of a server. */
export interface CallLimits {
  /** Maximum size of a received message in bytes. */
  readonly maxMessageBytes: number;
  /** Milliseconds after which a request must be complete, unless the caller streams requests. */
  readonly requestTimeoutMs: number;
  /** Milliseconds after which a call ends whose caller does not read. */
  readonly unreadTimeoutMs: number;
}

/** Number of bytes that are joined in one write. */
const batchBytes = 16_384;

/** Number of bytes above which a service must wait for its caller. */
const highWaterBytes = 65_536;

/** The state that the calls of a server share. */
export class CallGroup {
  readonly limits: CallLimits;
  readonly ring: WaitingCall;
  /** Stops the checks of times. */
  readonly stop: () => void;

  constructor(limits: CallLimits) {
    const { requestTimeoutMs, unreadTimeoutMs } = limits;
    const { start, stop } = WaitingCall.ring(Math.min(requestTimeoutMs, unreadTimeoutMs));
    this.limits = limits;
    this.ring = start;
    this.stop = stop;
  }
}

/** Milliseconds after which a response is checked again whether it has been sent. */
const releaseMs = 50;

/** Longest time of a timer. */
const maxTimeoutMs = 2 ** 31 - 1;

const head = { ":status": 200, "content-type": "application/grpc" } as const;
const ok: WireHeaders = { "grpc-status": "0" };

/**
 * Options of a response without a date, which gRPC does not use: a server makes about a tenth more
 * unary calls. The types of Node do not have this option.
 */
const undated: { readonly sendDate?: boolean } = { sendDate: false };
const withTrailers = { ...undated, waitForTrailers: true };

/** A call on a stream of `node:http2`. */
export class Http2Call extends WaitingCall implements WireCall, CallHeaders {
  readonly #stream: ServerHttp2Stream;
  readonly #incoming: IncomingHttpHeaders;
  readonly #limits: CallLimits;
  readonly #connection: Http2Connection;
  readonly #writer = new FrameWriter();
  #listeners: (() => void)[] = [];
  #trailers = ok;
  #isStarted = false;
  /** Whether the service, or the transport for it, has ended the call. */
  #isEnded = false;
  /** Whether the caller has left before the end of the call, or its deadline has passed. */
  #isCut = false;
  #isFlushing = false;
  #deadline: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #request: Promise<Uint8Array> | undefined;
  #refuse: ((error: WireError) => void) | undefined;

  constructor(
    stream: ServerHttp2Stream,
    incoming: IncomingHttpHeaders,
    group: CallGroup,
    connection: Http2Connection,
  ) {
    super();
    this.#stream = stream;
    this.#incoming = incoming;
    this.#limits = group.limits;
    this.link(group.ring);
    this.#connection = connection;
    connection.begin();
    stream.on("close", () => {
      this.#onClose();
    });
    const timeout = incoming["grpc-timeout"];
    if (timeout !== undefined) this.#limitTime(String(timeout));
  }

  get headers(): this {
    return this;
  }

  get(name: string): string | undefined {
    return joined(this.#incoming[name] ?? this.#incoming[name.toLowerCase()]);
  }

  entries(): [name: string, value: string][] {
    return entriesOf(this.#incoming);
  }

  get peer(): Peer {
    return this.#connection.peer;
  }

  get deadline(): number | undefined {
    return this.#deadline;
  }

  get isClosed(): boolean {
    return this.#isEnded || this.#isCut;
  }

  onClose(listener: () => void): void {
    if (this.#isCut) listener();
    else this.#listeners.push(listener);
  }

  one(): Promise<Uint8Array> {
    return (this.#request ??= this.#readOne());
  }

  async *all(): AsyncGenerator<Uint8Array, void> {
    const reader = this.#reader();
    // The stream must not be destroyed at the end, because its other direction is still in use.
    const chunks: AsyncIterable<Buffer> = this.#stream.iterator({ destroyOnReturn: false });
    try {
      for await (const chunk of chunks)
        for (const frame of reader.push(chunk)) yield reader.contentOf(frame);
    } catch (thrown) {
      if (thrown instanceof WireError) throw thrown;
      throw new WireError("CANCELLED", "The call was canceled");
    }
    if (!reader.isComplete) throw incomplete();
  }

  start(metadata: SentMetadata): void {
    if (this.isClosed) return;
    this.#send(() => {
      this.#begin({ ...headersOf(metadata), ...head });
    });
  }

  respond(response: Uint8Array, metadata?: SentMetadata): void {
    if (this.isClosed) return;
    this.#writer.add(response);
    this.end(metadata);
  }

  write(response: Uint8Array): boolean {
    if (this.isClosed) return true;
    this.#writer.add(response);
    if (this.#writer.length >= batchBytes) this.#flush();
    else if (!this.#isFlushing) {
      this.#isFlushing = true;
      // The events of a turn of the event loop are joined: this callback runs after its microtasks.
      process.nextTick(flushLater, this);
    }
    return !this.#isFull;
  }

  drained(): Promise<void> {
    if (!this.#isFull || this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        if (!this.#isEnded) this.waitFor(undefined);
        this.#stream.off("drain", finish).off("close", finish);
        resolve();
      };
      this.waitFor(this.#limits.unreadTimeoutMs);
      this.#stream.once("drain", finish).once("close", finish);
    });
  }

  end(metadata?: SentMetadata): void {
    if (this.isClosed) return;
    this.#finish(metadata === undefined ? ok : { ...headersOf(metadata), ...ok });
  }

  fail(status: CallStatus): void {
    if (!this.isClosed) this.#finish(trailersOf(status));
  }

  protected override expire(): void {
    if (this.#refuse === undefined) {
      this.#stream.close(constants.NGHTTP2_CANCEL);
      this.#stream.destroy();
    } else this.#refuse(new WireError("DEADLINE_EXCEEDED", "The request did not arrive in time"));
  }

  /** Sends the messages that have been collected. */
  static flush(call: Http2Call): void {
    call.#isFlushing = false;
    if (!call.isClosed) call.#flush();
  }

  #flush(): void {
    if (this.#writer.length === 0) return;
    this.#send(() => {
      this.#begin();
      this.#stream.write(this.#writer.take());
    });
  }

  /** Whether so much is left to send that the stream will emit `drain`. */
  get #isFull(): boolean {
    return this.#stream.writableLength >= highWaterBytes;
  }

  #finish(trailers: WireHeaders): void {
    clearTimeout(this.#timer);
    this.#isEnded = true;
    this.#listeners = [];
    this.waitFor(this.#limits.unreadTimeoutMs);
    const stream = this.#stream;
    this.#send(() => {
      if (this.#isStarted || this.#writer.length > 0) {
        this.#trailers = trailers;
        this.#begin();
        if (this.#writer.length === 0) stream.end();
        else stream.end(this.#writer.take());
      } else {
        stream.respond({ ...trailers, ...head }, { ...undated, endStream: true });
        this.#release();
      }
    });
  }

  /** Sends the head of a response with messages. */
  #begin(headers: WireHeaders | typeof head = head): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stream.respond(headers, withTrailers);
    this.#stream.on("wantTrailers", () => {
      this.#send(() => {
        this.#stream.sendTrailers(this.#trailers);
        this.#release();
      });
    });
  }

  /** Resets the stream if it has been closed meanwhile, or HTTP/2 cannot represent metadata. */
  #send(action: () => void): void {
    try {
      action();
    } catch {
      this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    }
  }

  /** Stops a caller that still sends requests, because the response is complete. */
  #release(): void {
    const stream = this.#stream;
    if (stream.readableEnded) return;
    stream.resume();
    const stop = (): void => {
      if (stream.destroyed) return;
      // A reset would discard the part of the response that has not been sent yet.
      if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
      else setTimeout(stop, releaseMs);
    };
    setImmediate(stop);
  }

  #readOne(): Promise<Uint8Array> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const reader = this.#reader();
      let request: Frame | undefined;
      const settle = (): void => {
        this.#refuse = undefined;
        if (!this.#isEnded) this.waitFor(undefined);
      };
      const refuse = (error: WireError): void => {
        if (this.#refuse === undefined) return;
        settle();
        stream.off("data", onData).pause();
        reject(error);
      };
      const onData = (chunk: Buffer): void => {
        try {
          for (const frame of reader.push(chunk)) {
            if (request !== undefined) throw new WireError("UNIMPLEMENTED", "Too many requests");
            request = frame;
          }
        } catch (thrown) {
          refuse(thrown as WireError);
        }
      };
      stream.on("data", onData).on("end", () => {
        if (!reader.isComplete) refuse(incomplete());
        else if (request === undefined) refuse(new WireError("UNIMPLEMENTED", "No request"));
        else {
          settle();
          resolve(reader.contentOf(request));
        }
      });
      this.#refuse = refuse;
      this.waitFor(this.#limits.requestTimeoutMs);
    });
  }

  #reader(): FrameReader {
    const encoding = String(this.#incoming["grpc-encoding"] ?? "identity");
    return new FrameReader(this.#limits.maxMessageBytes, encoding);
  }

  #limitTime(header: string): void {
    const timeoutMs = timeoutOf(header);
    if (timeoutMs === undefined) {
      const details = `Invalid grpc-timeout ${JSON.stringify(header)}`;
      this.fail({ code: grpcStatus.INTERNAL, details });
      return;
    }
    this.#deadline = Date.now() + timeoutMs;
    if (timeoutMs < 1) this.#exceedDeadline();
    else if (timeoutMs <= maxTimeoutMs)
      this.#timer = setTimeout(() => {
        this.#exceedDeadline();
      }, timeoutMs);
  }

  #exceedDeadline(): void {
    const listeners = this.#listeners;
    this.fail({ code: grpcStatus.DEADLINE_EXCEEDED, details: "Deadline exceeded" });
    this.#cut(listeners);
  }

  #onClose(): void {
    clearTimeout(this.#timer);
    this.unlink();
    this.#connection.end();
    if (!this.#isEnded) this.#cut(this.#listeners);
  }

  /** Notifies the service that its caller no longer waits. */
  #cut(listeners: readonly (() => void)[]): void {
    this.#isCut = true;
    this.#listeners = [];
    this.#refuse?.(new WireError("CANCELLED", "The call was canceled"));
    for (const listener of listeners) listener();
  }
}

function flushLater(call: Http2Call): void {
  Http2Call.flush(call);
}

function incomplete(): WireError {
  return new WireError("INTERNAL", "The request is incomplete");
}
