import { Client, credentials, Metadata, type ClientOptions } from "@grpc/grpc-js";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { decodeStatus, type Status } from "../../library/runtime/bindings/grpc/status.js";
import type { TestAgent } from "./agent.js";
import type { OperationName, Subject } from "./subject.js";

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON, or `undefined` if it is not JSON. */
  readonly json: unknown;
}

export interface HttpSend {
  readonly method?: string;
  /** Path and query, which are sent unchanged. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** Sends a request over HTTP on a separate connection and reads the whole response. */
export function send(
  { port }: { readonly port: number },
  { method = "POST", path, headers, body }: HttpSend,
) {
  return new Promise<HttpReply>((resolve, reject) => {
    // Node gives the body of a GET no length by itself, and it would read as a second request.
    const framing =
      body === undefined || headers?.["transfer-encoding"]
        ? {}
        : { "content-length": Buffer.byteLength(body) };
    const all = { ...framing, ...headers };
    const sent = httpRequest({ port, host: "127.0.0.1", method, path, agent: false, headers: all });
    sent.on("error", reject);
    sent.on("response", (response: IncomingMessage) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: parsed(text),
        }),
      );
    });
    sent.end(body);
  });
}

/** Posts a body as JSON, in the version of the agent; `headers` replaces headers. */
export function post(
  agent: TestAgent,
  path: string,
  body: unknown,
  headers: HttpSend["headers"] = {},
) {
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", ...agent.subject.headers, ...headers };
  return send(agent, { path, headers: all, body: text });
}

/** Gets a path, in the version of the agent. */
export function get(agent: TestAgent, path: string, headers: HttpSend["headers"] = {}) {
  return send(agent, { method: "GET", path, headers: { ...agent.subject.headers, ...headers } });
}

/** Sends a request of the model over HTTP+JSON, as the version writes it there. */
export function rest(
  agent: TestAgent,
  name: OperationName,
  request: object,
  headers: HttpSend["headers"] = {},
) {
  const { method, path, body } = agent.subject.operations[name].place({ ...request });
  if (body !== undefined && method === "POST") return post(agent, path, body, headers);
  return send(agent, { method, path, headers: { ...agent.subject.headers, ...headers } });
}

/** Makes a Web request that posts a body, in the version of the agent. */
export function webPost(
  { subject }: { readonly subject: Subject },
  path: string,
  body: unknown,
  init: RequestInit = {},
) {
  const headers = { "content-type": "application/json", ...subject.headers };
  return new Request(`http://agent${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers,
    ...init,
  });
}

/** The head of a POST as HTTP/1.1 writes it, up to its last line. */
export function headOf(
  { subject }: { readonly subject: Subject },
  path: string,
  ...lines: readonly string[]
): string {
  const version = Object.entries(subject.headers).map(([name, value]) => `${name}: ${value}`);
  const all = ["host: a", "content-type: application/json", ...version, ...lines];
  return `POST ${path} HTTP/1.1\r\n${all.map((line) => `${line}\r\n`).join("")}\r\n`;
}

/** Makes a JSON-RPC request. */
export function rpc(method: unknown, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** Makes a JSON-RPC request of an operation. */
export function rpcOf(
  { operations }: Subject,
  name: OperationName,
  params?: unknown,
  id: unknown = 1,
): object {
  return rpc(operations[name].jsonRpc, params, id);
}

/** Opens a bare connection and sends text or bytes over it. */
export function open(
  { port }: { readonly port: number },
  ...pieces: (string | Uint8Array)[]
): Socket {
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

/** Opens a channel to the agent. `end` of the result closes it. */
export function channel({ grpc }: { readonly grpc: string }, options: ClientOptions = {}): Client {
  return new Client(grpc, credentials.createInsecure(), options);
}

export function metadataOf(values: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values)) metadata.set(key, value);
  return metadata;
}

/** A call over gRPC. */
export interface GrpcSend {
  /** The name of the method. */
  readonly method: string;
  readonly bytes: Uint8Array;
  readonly metadata?: Metadata;
  readonly deadline?: number;
}

/** Makes the call of an operation with a request of the model. */
export function grpcOf({ operations }: Subject, name: OperationName, request: object): GrpcSend {
  return { method: operations[name].grpc, bytes: operations[name].encode({ ...request }) };
}

/** Starts a call with bytes. A unary response is a stream of one message. */
export function begin(
  client: Client,
  { grpcService, headers }: Subject,
  { method, bytes, metadata = metadataOf(headers), deadline }: GrpcSend,
) {
  const options = deadline === undefined ? {} : { deadline };
  return client.makeServerStreamRequest(
    `/${grpcService}/${method}`,
    asIs,
    asIs,
    bytes,
    metadata,
    options,
  );
}

/** Makes a gRPC call over a channel and returns its status. */
export function codeOf(client: Client, subject: Subject, sent: GrpcSend): Promise<number> {
  return new Promise((resolve) => {
    const call = begin(client, subject, sent);
    call.on("data", () => undefined).on("error", () => undefined);
    call.on("status", ({ code }) => resolve(code));
  });
}

/** Makes a gRPC call and reads the whole answer. */
export async function callGrpc(agent: TestAgent, sent: GrpcSend): Promise<GrpcReply> {
  const client = channel(agent);
  try {
    return await new Promise<GrpcReply>((resolve) => {
      const call = begin(client, agent.subject, sent);
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
