import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { reasonOf } from "../../../support/diagnostics.js";
import { findAsset, pageHeaders } from "./assets.js";
import { forward, type Forwarded } from "./forward.js";
import { admit, type Door } from "./guard.js";
import type { GrpcBridge, GrpcCall } from "./grpc.js";
import { HookInbox } from "./hooks.js";
import { Reach, ReachError } from "./reach.js";
import { readJson, sendJson } from "./json-body.js";
import { callbackPath, signIn, SignIns, type SignInRequest } from "./sign-in.js";

/** Options for {@link startInspector}. */
export interface InspectorOptions {
  /** URLs on the command line. The page opens the first URL. */
  readonly urls: readonly string[];
  /** Port to listen on. Default: a free port. */
  readonly port?: number | undefined;
  /** Loads the bridge for gRPC when a page needs it. */
  readonly loadGrpc?: (() => Promise<GrpcBridge>) | undefined;
}

/** A running inspector. */
export interface Inspector {
  /** URL of the page, with its token. */
  readonly url: string;
  /** Closes the server and all its connections. */
  close(): Promise<void>;
}

/** Dependencies of the routes. */
interface Desk {
  readonly options: InspectorOptions;
  readonly door: Door;
  readonly reach: Reach;
  readonly inbox: HookInbox;
  readonly hookPath: string;
  readonly signIns: SignIns;
}

const host = "127.0.0.1";

/** Starts the server of the inspector on the loopback address. Rejects if the port is in use. */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const server = createServer();
  server.listen(options.port ?? 0, host);
  await once(server, "listening");
  const door = { token: secret(), port: portOf(server) };
  const hookPath = `/hooks/${secret()}`;
  const signIns = new SignIns(`http://${host}:${door.port}`);
  const desk: Desk = {
    options,
    door,
    hookPath,
    signIns,
    reach: new Reach(options.urls),
    inbox: new HookInbox(),
  };
  server.on("request", (request, response) => {
    serve(request, response, desk).catch((error: unknown) => refuse(response, error));
  });
  const [first] = options.urls;
  const hash = first === undefined ? "" : `#${new URLSearchParams({ url: first }).toString()}`;
  return {
    url: `http://${host}:${door.port}/${door.token}/${hash}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function secret(): string {
  return randomBytes(18).toString("base64url");
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

type Route = (
  request: IncomingMessage,
  response: ServerResponse,
  desk: Desk,
) => Promise<void> | void;

/** The routes that require the token, by method and path. */
const routes = new Map<string, Route>([
  ["GET config", (_request, response, desk) => sendJson(response, 200, configOf(desk))],
  ["GET hooks", (_request, response, { inbox }) => inbox.follow(response)],
  ["POST origins", confirmOrigin],
  ["POST fetch", forwardRequest],
  ["POST grpc-call", callGrpc],
  ["POST sign-in", beginSignIn],
]);

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  desk: Desk,
): Promise<void> {
  // Agents only know this path, which does not require the token. Their requests may have the host
  // name of a tunnel.
  if (request.url === desk.hookPath) return desk.inbox.receive(request, response);
  // Issuers redirect the browser to this path, which does not require the token either.
  if (request.url?.split("?")[0] === callbackPath) return desk.signIns.receive(request, response);
  const admitted = admit(request, desk.door);
  for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
  if (!("path" in admitted))
    return void response.writeHead(admitted.status).end(`${admitted.message}\n`);
  const route = routes.get(`${request.method ?? "GET"} ${admitted.path}`);
  if (route !== undefined) return route(request, response, desk);
  const asset =
    request.method === "GET"
      ? findAsset(admitted.path, request.headers["accept-encoding"] ?? "")
      : undefined;
  if (asset === undefined) return void response.writeHead(404).end("Not found\n");
  response.setHeader("content-type", asset.type);
  if (asset.encoding !== undefined) response.setHeader("content-encoding", asset.encoding);
  response.end(asset.body);
}

function configOf({ options, door, hookPath, reach }: Desk): object {
  return {
    url: options.urls[0] ?? "",
    hookUrl: `http://${host}:${door.port}${hookPath}`,
    origins: reach.origins,
    grpc: options.loadGrpc !== undefined,
  };
}

/** Returns the code of an error or of its causes, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; { cause } = cause)
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  return undefined;
}

/** Reports an error to the page, or ends a response that has begun. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const message = reasonOf(error);
  if (error instanceof ReachError)
    sendJson(response, 403, { code: error.code, origin: error.origin, message });
  else sendJson(response, 502, { code: "failed", message, cause: codeOf(error) });
}

async function confirmOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  { reach }: Desk,
): Promise<void> {
  const { url } = await readJson<{ readonly url: string }>(request);
  reach.confirm(url);
  response.writeHead(204).end();
}

/**
 * Returns a signal that is aborted if the page closes the connection before the response is
 * complete.
 */
function leaveSignal(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  // The event also follows a complete response, after which nothing uses the signal.
  response.once("close", () => leaving.abort());
  return leaving.signal;
}

async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { reach }: Desk,
): Promise<void> {
  const wanted = await readJson<Forwarded>(request);
  const { body, ...head } = await forward(wanted, reach, leaveSignal(response));
  // The page treats the agent's response as data. If the response had the agent's headers, the
  // browser could display or store it.
  response.setHeader("x-inspect-head", encodeURIComponent(JSON.stringify(head)));
  response.setHeader("content-type", "application/octet-stream");
  response.writeHead(200).flushHeaders();
  await pipeline(body, response);
}

/** Sends the steps of a sign-in to the page, one JSON document per line. */
async function beginSignIn(
  request: IncomingMessage,
  response: ServerResponse,
  { signIns }: Desk,
): Promise<void> {
  const wanted = await readJson<SignInRequest>(request);
  response.writeHead(200, { "content-type": "application/x-ndjson" }).flushHeaders();
  await signIn(
    wanted,
    signIns,
    (step) => void response.write(`${JSON.stringify(step)}\n`),
    leaveSignal(response),
  );
  response.end();
}

async function callGrpc(
  request: IncomingMessage,
  response: ServerResponse,
  { reach, options }: Desk,
): Promise<void> {
  const call = await readJson<GrpcCall>(request);
  if (options.loadGrpc === undefined) throw new Error("gRPC is not available");
  await reach.resolve(call.target);
  const bridge = await options.loadGrpc();
  const { isStream, responses } = bridge.call(call, leaveSignal(response));
  response
    .writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" })
    .flushHeaders();
  await pipeline(Readable.from(textsOf(responses, isStream)), response);
}

async function* textsOf(
  responses: AsyncIterable<object>,
  isStream: boolean,
): AsyncGenerator<string> {
  for await (const value of responses) {
    const json = JSON.stringify(value);
    yield isStream ? `data: ${json}\n\n` : json;
  }
}
