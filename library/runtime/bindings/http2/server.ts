import {
  createServer as createHttpServer,
  type RequestListener,
  type ServerOptions,
} from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createNetServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { grpcStatus } from "../../protocol/error.js";
import { shorten } from "../../protocol/version.js";
import type { WireMethods } from "./server-call.js";
import { acceptedEncodings, isCompression } from "./server-frames.js";
import { healthCheck, healthPath } from "./server-health.js";
import { CallGroup, type CallLimits, Http2Call } from "./server-stream.js";
import { Http2Connection } from "./server-connection.js";
import { detectHttp2 } from "./server-protocols.js";
import { limitUpload, refuse } from "./server-upload.js";

/** Options for {@link createWireServer}. */
export interface WireServerOptions extends Partial<CallLimits> {
  /** Options of `node:tls`, such as `key` and `cert`. Default: no TLS. */
  readonly tls?: TlsOptions;
  /**
   * Resolves if the server can handle calls, such as `() => service.ready()`. With this option, the
   * server responds to `Check` of `grpc.health.v1.Health`.
   */
  readonly ready?: () => unknown;
  /** Options of `node:http` for connections over HTTP/1.1, such as `requestTimeout`. */
  readonly http?: ServerOptions;
  /** Maximum number of concurrent calls of a connection; 1,000 by default. */
  readonly maxConcurrentCalls?: number;
  /**
   * Milliseconds of silence after which the server checks whether the callers of open calls are
   * still connected; 60,000 by default, 0 for never.
   */
  readonly keepAliveMs?: number;
  /** Milliseconds after which a connection without calls is closed; 300,000 by default. */
  readonly idleTimeoutMs?: number;
  /**
   * Milliseconds after which a connection accepts no new calls, so that its callers connect again,
   * possibly to another server; never by default.
   */
  readonly maxConnectionAgeMs?: number;
  /** Milliseconds after which `close` ends calls that are still open; 10,000 by default. */
  readonly closeTimeoutMs?: number;
}

/** A server for gRPC and HTTP on one port. */
export interface WireServer extends Server {
  /**
   * Stops accepting connections and calls. Open calls may continue until the time-out of the
   * options. Calls `callback` when all connections are closed.
   */
  close(callback?: (error?: Error) => void): this;
  /** Closes all connections immediately. */
  closeAllConnections(): void;
}

/** Maximum size of the metadata of a call, as of the headers in `node:http`. */
const maxHeaderBytes = 16_384;

/** Maximum number of invalid frames and rejected calls of a connection. */
const maxOffences = 100;

/**
 * Creates a server on `node:http2` that passes gRPC calls to methods, and all other requests, over
 * HTTP/1.1 and HTTP/2, to a listener. It serves both without TLS, or both with TLS.
 */
export function createWireServer(
  methods: WireMethods,
  listener: RequestListener,
  options: WireServerOptions = {},
): WireServer {
  const { tls } = options;
  const server =
    tls === undefined
      ? createNetServer({ allowHalfOpen: true, noDelay: true })
      : createTlsServer({ ALPNProtocols: ["h2", "http/1.1"], ...tls });
  const port = new Port(methods, listener, options);
  if (tls !== undefined)
    server.on("connection", (socket: Socket) => {
      port.awaitHandshake(socket);
    });
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    port.accept(socket);
  });
  server.once("close", () => {
    port.end();
  });
  const stopListening = server.close.bind(server);
  const close = (callback?: (error?: Error) => void): Server => {
    stopListening(callback);
    const { closeTimeoutMs = 10_000 } = options;
    const timer = setTimeout(() => {
      port.closeAll();
    }, closeTimeoutMs);
    server.once("close", () => {
      clearTimeout(timer);
    });
    port.close();
    return server;
  };
  const closeAllConnections = (): void => {
    port.closeAll();
  };
  return Object.assign<Server, Omit<WireServer, keyof Server> & { readonly close: typeof close }>(
    server,
    { close, closeAllConnections },
  );
}

/** The connections of a server. */
class Port {
  readonly #methods: WireMethods;
  readonly #calls: CallGroup;
  readonly #http1;
  readonly #http2: Http2Server;
  /** Passes requests over HTTP/2 to the listener, in the form of `node:http`. */
  readonly #compatible: Http2Server;
  readonly #undecided = new Set<Socket>();
  /** The connections whose TLS handshake is not complete, by the address and port of the caller. */
  readonly #handshakes = new Map<string, Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(methods: WireMethods, listener: RequestListener, options: WireServerOptions) {
    const { keepAliveMs = 60_000, idleTimeoutMs = 300_000, maxConnectionAgeMs } = options;
    const { ready } = options;
    this.#methods =
      ready === undefined ? methods : new Map([...methods, [healthPath, healthCheck(ready)]]);
    this.#calls = new CallGroup({
      maxMessageBytes: options.maxMessageBytes ?? 4_194_304,
      requestTimeoutMs: options.requestTimeoutMs ?? 300_000,
      unreadTimeoutMs: options.unreadTimeoutMs ?? 60_000,
    });
    this.#http1 = createHttpServer(options.http ?? {}, listener);
    // Starts the checks for slow requests, because the server never listens itself.
    this.#http1.emit("listening");
    // `node:http2` is compatible with the parts of `node:http` that listeners use.
    type Compatible = (request: Http2ServerRequest, response: Http2ServerResponse) => void;
    this.#compatible = createHttp2Server(listener as unknown as Compatible);
    this.#http2 = createHttp2Server({
      maxSessionInvalidFrames: maxOffences,
      maxSessionRejectedStreams: maxOffences,
      settings: {
        maxConcurrentStreams: options.maxConcurrentCalls ?? 1_000,
        maxHeaderListSize: maxHeaderBytes,
      },
    });
    this.#http2.on("session", (session) => {
      this.#sessions.add(session);
      session.on("close", () => {
        this.#sessions.delete(session);
      });
      const times = { keepAliveMs, idleTimeoutMs, maxConnectionAgeMs };
      const connection = new Http2Connection(session, times);
      session.on("stream", (stream, headers, flags) => {
        this.#serve(connection, stream, headers, flags);
      });
    });
    this.#http2.on("sessionError", () => {
      // The session has been closed.
    });
  }

  /** Tracks a connection whose TLS handshake begins. */
  awaitHandshake(socket: Socket): void {
    const caller = callerOf(socket);
    this.#handshakes.set(caller, socket);
    socket.once("close", () => {
      if (this.#handshakes.get(caller) === socket) this.#handshakes.delete(caller);
    });
  }

  /** Serves a connection, in the protocol of its first bytes. */
  accept(socket: Socket): void {
    this.#handshakes.delete(callerOf(socket));
    this.#undecided.add(socket);
    const decided = (): void => {
      this.#undecided.delete(socket);
    };
    socket.once("close", decided);
    detectHttp2(socket, (isHttp2) => {
      decided();
      socket.off("close", decided);
      // A caller that ends a connection of HTTP/2 ends its calls.
      if (isHttp2) socket.allowHalfOpen = false;
      (isHttp2 ? this.#http2 : this.#http1).emit("connection", socket);
    });
  }

  /** Called when all connections are closed. */
  end(): void {
    this.#calls.stop();
  }

  /** Closes connections without calls, and lets the other callers complete their calls. */
  close(): void {
    this.#destroyUnused();
    this.#http1.close();
    for (const session of this.#sessions) session.close();
  }

  closeAll(): void {
    this.#destroyUnused();
    this.#http1.closeAllConnections();
    for (const session of this.#sessions) session.destroy();
  }

  /** Destroys the connections that have not sent a request yet. */
  #destroyUnused(): void {
    for (const socket of [...this.#handshakes.values(), ...this.#undecided]) socket.destroy();
  }

  #serve(
    connection: Http2Connection,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
  ): void {
    // An invalid frame can already have destroyed the stream, whose error follows. Without a
    // listener, the error would end the process.
    stream.on("error", ignore);
    // The first bytes of a connection can contain a request and its reset.
    if (stream.destroyed || stream.closed) return;
    const format = grpcFormat(headers["content-type"]);
    const isCall = (format === "" || format === "proto") && headers[":method"] === "POST";
    if (isCall) {
      this.#call(new Http2Call(stream, headers, this.#calls, connection), headers);
      return;
    }
    connection.begin();
    stream.on("close", connection.end);
    // A route of HTTP+JSON may have the path of a gRPC method.
    const isForListener = format === undefined && !this.#isMeantForGrpc(headers);
    if (isForListener) {
      limitUpload(stream, flags, this.#calls);
      this.#compatible.emit("stream", stream, headers, flags);
    } else if (headers[":method"] !== "POST") refuse(stream, 405, { allow: "POST" });
    else refuse(stream, 415);
  }

  /** Returns whether a request for a gRPC method has a content type of no transport. */
  #isMeantForGrpc(headers: IncomingHttpHeaders): boolean {
    const { ":path": path = "", ":method": method, "content-type": type = "" } = headers;
    return method === "POST" && this.#methods.has(path) && type !== "" && !/\bjson\b/i.test(type);
  }

  #call(call: Http2Call, headers: IncomingHttpHeaders): void {
    const { ":path": path = "", "grpc-encoding": encoding = "identity" } = headers;
    const method = this.#methods.get(path);
    if (method === undefined) {
      const details = `The server does not implement the method ${shorten(path, 100)}`;
      call.fail({ code: grpcStatus.UNIMPLEMENTED, details });
    } else if (encoding !== "identity" && !isCompression(String(encoding))) {
      const details = `The encoding ${shorten(String(encoding), 100)} is not supported`;
      const metadata = { "grpc-accept-encoding": acceptedEncodings };
      call.fail({ code: grpcStatus.UNIMPLEMENTED, details, metadata });
    } else if (!call.isClosed) method.handle(call);
  }
}

/** Returns the address and port of a caller, which a connection shares with its TLS connection. */
function callerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)}`;
}

/**
 * Returns the format of the messages of a gRPC request, which may be empty; `undefined` for other
 * requests.
 */
function grpcFormat(contentType: string | undefined): string | undefined {
  if (contentType === "application/grpc") return "";
  if (contentType === undefined) return undefined;
  const found = /^application\/grpc(?:\+([^;]*))?(?:;|$)/i.exec(contentType);
  if (found === null) return undefined;
  const [, format = ""] = found;
  return format.trim().toLowerCase();
}

function ignore(): void {
  // The event `close` follows.
}
