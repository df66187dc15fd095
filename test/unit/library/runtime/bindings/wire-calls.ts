import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { onTestFinished } from "vitest";
import type { WireServerOptions } from "../../../../../library/runtime/bindings/http2/server.js";
import type {
  WireCall,
  WireMethod,
  WireMethods,
} from "../../../../../library/runtime/bindings/http2/server-call.js";
import { listenWire } from "../protocol/sample-grpc.js";

/** Returns a message with its prefix. */
export function framed(message: string | Uint8Array, flag = 0): Buffer {
  const bytes = Buffer.from(message);
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Splits a response into its messages. */
export function messagesOf(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    messages.push(bytes.subarray(at + 5, end).toString());
    at = end;
  }
  return messages;
}

type Kind = Partial<Pick<WireMethod, "requestStream" | "responseStream">>;

/** Returns methods at `/test/NAME`. */
export function methodsOf(
  methods: Readonly<Record<string, Kind & { readonly handle: (call: WireCall) => unknown }>>,
): WireMethods {
  return new Map(
    Object.entries(methods).map(([name, method]) => [
      `/test/${name}`,
      {
        ...{ name, requestStream: false, responseStream: false, ...method },
        handle: (call: WireCall) => void method.handle(call),
      },
    ]),
  );
}

/** A method that repeats its request. */
export const echo = {
  handle(call: WireCall) {
    void Promise.resolve(call.one()).then(
      (bytes) => call.respond(framed(bytes)),
      (error: unknown) =>
        call.fail({ code: 3, details: error instanceof Error ? error.message : "" }),
    );
  },
};

/** Response of a call. */
export interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly messages: readonly string[];
  /** The DATA frames, as far as the client can distinguish them. */
  readonly chunks: readonly Buffer[];
  readonly code: number | undefined;
}

/** Opens a connection that closes with the test. */
export function session(authority: string, options: Parameters<typeof connect>[1] = {}) {
  const opened = connect(authority, options);
  opened.on("error", () => undefined);
  onTestFinished(() => opened.destroy());
  return opened;
}

/** Waits until the server has received everything that the client has sent before. */
export function received(client: ReturnType<typeof session>): Promise<unknown> {
  return new Promise((resolve) => client.ping(resolve));
}

/** Starts a call, and returns its stream and its reply. */
export function start(
  client: ReturnType<typeof session>,
  path: string,
  headers: OutgoingHttpHeaders = {},
) {
  const stream = client.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  const reply = new Promise<Reply>((resolve) => {
    let head: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on("response", (received) => (head = received));
    stream.on("trailers", (received: IncomingHttpHeaders) => (trailers = received));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", () => undefined);
    stream.on("close", () => {
      const status = trailers["grpc-status"] ?? head["grpc-status"];
      const code = status === undefined ? undefined : Number(status);
      const messages = code === undefined ? [] : messagesOf(Buffer.concat(chunks));
      resolve({ headers: head, trailers, messages, chunks, code });
    });
  });
  return { stream, reply };
}

/** Makes a call with bytes. */
export function send(
  client: ReturnType<typeof session>,
  path: string,
  bytes: Uint8Array = new Uint8Array(),
  headers: OutgoingHttpHeaders = {},
): Promise<Reply> {
  const { stream, reply } = start(client, path, headers);
  stream.end(bytes);
  return reply;
}

/** Starts a server with methods, and opens a connection to it. */
export async function serve(
  methods: Parameters<typeof methodsOf>[0] = { echo },
  options: WireServerOptions = {},
) {
  const { port, server } = await listenWire(methodsOf(methods), options, (request, response) => {
    response.end(`${request.httpVersion} ${String(request.url)}`);
  });
  return { port, server, client: session(`http://127.0.0.1:${port}`) };
}
