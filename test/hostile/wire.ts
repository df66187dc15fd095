import { Client, credentials, Metadata, type ClientOptions } from "@grpc/grpc-js";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { decodeStatus, type Status } from "../../generated/1.0/runtime/grpc.js";
import type { TestAgent } from "./agent.js";

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON; `undefined` where it is none. */
  readonly json: unknown;
}

export interface HttpSend {
  readonly method?: string;
  /** Path and query; sent as they are. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** What every good call carries. */
export const version = { "a2a-version": "1.0" };

/** Sends a request over HTTP on a connection of its own and reads the whole answer. */
export function send({ port }: { readonly port: number }, { method = "POST", path, headers, body }: HttpSend) {
  return new Promise<HttpReply>((resolve, reject) => {
    // Node gives the body of a GET no length by itself, and it would read as a second request.
    const framing =
      body === undefined || headers?.["transfer-encoding"] ? {} : { "content-length": Buffer.byteLength(body) };
    const all = { ...framing, ...headers };
    const sent = httpRequest({ port, host: "127.0.0.1", method, path, agent: false, headers: all });
    sent.on("error", reject);
    sent.on("response", (response: IncomingMessage) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) }),
      );
    });
    sent.end(body);
  });
}

/** Posts a body as JSON in version 1.0; `headers` replaces headers. */
export function post(agent: TestAgent, path: string, body: unknown, headers: HttpSend["headers"] = {}) {
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return send(agent, { path, headers: { "content-type": "application/json", ...version, ...headers }, body: text });
}

/** Gets a path in version 1.0. */
export function get(agent: TestAgent, path: string, headers: HttpSend["headers"] = {}) {
  return send(agent, { method: "GET", path, headers: { ...version, ...headers } });
}

/** Makes a JSON-RPC request. */
export function rpc(method: unknown, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** Opens a bare connection and sends text or bytes over it. */
export function open({ port }: { readonly port: number }, ...pieces: (string | Uint8Array)[]): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  for (const piece of pieces) socket.write(piece);
  return socket;
}

/** Reads a connection to its end. */
export async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8");
  for await (const chunk of socket) text += String(chunk);
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface GrpcReply {
  readonly code: number;
  readonly message: string;
  readonly status: Status;
  readonly trailers: Metadata;
  /** The messages of the answer. */
  readonly messages: readonly Buffer[];
}

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes);

/** Opens a channel to the agent; `end` of what comes back closes it. */
export function channel({ grpc }: { readonly grpc: string }, options: ClientOptions = {}): Client {
  return new Client(grpc, credentials.createInsecure(), options);
}

export function metadataOf(values: Readonly<Record<string, string>> = version): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values)) metadata.set(key, value);
  return metadata;
}

/** Begins a call with bytes; unary answers are streams of one message to it. */
export function begin(client: Client, method: string, bytes: Uint8Array, metadata = metadataOf(), deadline?: number) {
  const options = deadline === undefined ? {} : { deadline };
  return client.makeServerStreamRequest(`/lf.a2a.v1.A2AService/${method}`, asIs, asIs, bytes, metadata, options);
}

/** Makes a gRPC call with bytes and reads the whole answer. */
export async function callGrpc(
  agent: { readonly grpc: string },
  method: string,
  bytes: Uint8Array,
  metadata?: Metadata,
  deadline?: number,
): Promise<GrpcReply> {
  const client = channel(agent);
  try {
    return await new Promise<GrpcReply>((resolve) => {
      const call = begin(client, method, bytes, metadata, deadline);
      const messages: Buffer[] = [];
      call.on("data", (message: Buffer) => messages.push(message));
      call.on("error", () => undefined);
      call.on("status", ({ code, details, metadata: trailers }) => {
        const packed = trailers.get("grpc-status-details-bin")[0];
        const status = decodeStatus(typeof packed === "object" ? packed : new Uint8Array());
        resolve({ code, message: details, status, trailers, messages });
      });
    });
  } finally {
    client.close();
  }
}
