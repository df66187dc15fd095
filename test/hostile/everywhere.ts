import { expect } from "vitest";
import * as pb from "../../generated/1.0/protobuf.js";
import type { TestAgent } from "./agent.js";
import { callGrpc, metadataOf, rpc, send, version, type HttpReply } from "./wire.js";

/** How an error reached the caller. */
export interface Refusal {
  /** The code on JSON-RPC, HTTP+JSON and gRPC. */
  readonly codes: readonly [jsonRpc: number, http: number, grpc: number];
  readonly message: string;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

/** What a call gave: a list of events for a stream. */
export type Outcome =
  { readonly value: unknown; readonly error?: undefined } | { readonly value?: undefined; readonly error: Refusal };

interface Binding {
  /** The HTTP+JSON route, with what is left of the request. */
  readonly route: (request: Body) => { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly encode: (request: never) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  readonly streams?: boolean;
}

type Body = Readonly<Record<string, unknown>>;

const post = (path: string) => (body: Body) => ({ method: "POST", path, body });
const taskPath = ({ id = "" }: Body): string => `/tasks/${encodeURIComponent(String(id))}`;

const bindings = {
  SendMessage: {
    route: post("/message:send"),
    encode: pb.encodeSendMessageRequest,
    decode: pb.decodeSendMessageResponse,
  },
  SendStreamingMessage: {
    route: post("/message:stream"),
    encode: pb.encodeSendMessageRequest,
    decode: pb.decodeStreamResponse,
    streams: true,
  },
  GetTask: {
    route: (request) => ({ method: "GET", path: taskPath(request) }),
    encode: pb.encodeGetTaskRequest,
    decode: pb.decodeTask,
  },
  SubscribeToTask: {
    route: (request) => ({ method: "GET", path: `${taskPath(request)}:subscribe` }),
    encode: pb.encodeSubscribeToTaskRequest,
    decode: pb.decodeStreamResponse,
    streams: true,
  },
  CreateTaskPushNotificationConfig: {
    route: ({ taskId, ...body }) => post(`/tasks/${String(taskId)}/pushNotificationConfigs`)(body),
    encode: pb.encodeTaskPushNotificationConfig,
    decode: pb.decodeTaskPushNotificationConfig,
  },
  GetExtendedAgentCard: {
    route: () => ({ method: "GET", path: "/extendedAgentCard" }),
    encode: pb.encodeGetExtendedAgentCardRequest,
    decode: pb.decodeAgentCard,
  },
} satisfies Record<string, Binding>;

export type OperationName = keyof typeof bindings;

/** A message that every agent takes. */
export const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hello" }] } as const;

/** Calls an operation over all three transports, expects one outcome, and gives it. */
export async function everywhere(
  agent: TestAgent,
  name: OperationName,
  request: Body,
  headers: Readonly<Record<string, string>> = version,
): Promise<Outcome> {
  const [overRpc, overHttp, overGrpc] = await Promise.all([
    viaJsonRpc(agent, name, request, headers),
    viaRest(agent, name, request, headers),
    viaGrpc(agent, name, request, headers),
  ]);
  expect(overHttp.outcome, "HTTP+JSON against JSON-RPC").toEqual(overRpc.outcome);
  expect(overGrpc.outcome, "gRPC against JSON-RPC").toEqual(overRpc.outcome);
  const { outcome } = overRpc;
  if ("value" in outcome) return outcome;
  return { error: { ...outcome, codes: [overRpc.code, overHttp.code, overGrpc.code] } };
}

interface Half {
  readonly code: number;
  readonly outcome: { readonly value: unknown } | Omit<Refusal, "codes">;
}

async function viaJsonRpc(agent: TestAgent, name: OperationName, request: Body, headers: Body): Promise<Half> {
  const reply = await sendJson(agent, "POST", "/rpc", headers, rpc(name, request));
  if (isStream(reply)) return { code: 0, outcome: { value: eventsOf(reply.text).map(({ result }) => result) } };
  const { result, error } = reply.json as { result?: unknown; error?: { code: number; message: string; data: [] } };
  if (error === undefined) return { code: 0, outcome: { value: result } };
  return { code: error.code, outcome: { message: error.message, details: error.data } };
}

async function viaRest(agent: TestAgent, name: OperationName, request: Body, headers: Body): Promise<Half> {
  const route: Binding["route"] = bindings[name].route;
  const { method, path, body } = route(request);
  const reply = await sendJson(agent, method, path, headers, body);
  if (isStream(reply)) return { code: 0, outcome: { value: eventsOf(reply.text) } };
  if (reply.status < 300) return { code: 0, outcome: { value: reply.json } };
  const { error } = reply.json as { error: { code: number; message: string; details: [] } };
  expect(error.code).toBe(reply.status);
  return { code: reply.status, outcome: { message: error.message, details: error.details } };
}

async function viaGrpc(agent: TestAgent, name: OperationName, request: Body, headers: Body): Promise<Half> {
  const { encode, decode, streams = false }: Binding = bindings[name];
  const metadata = metadataOf(headers as Record<string, string>);
  const { code, status, messages } = await callGrpc(agent, name, encode(request as never), metadata);
  if (code !== 0) return { code, outcome: { message: status.message, details: status.details } };
  return { code, outcome: { value: streams ? messages.map(decode) : messages.map(decode)[0] } };
}

function sendJson(agent: TestAgent, method: string, path: string, headers: Body, body?: unknown): Promise<HttpReply> {
  if (body === undefined) return send(agent, { method, path, headers: headers as Record<string, string> });
  const all = { "content-type": "application/json", ...headers };
  return send(agent, { method, path, headers: all, body: JSON.stringify(body) });
}

function isStream({ headers }: HttpReply): boolean {
  return headers["content-type"] === "text/event-stream";
}

/** The data of each event, as JSON. */
export function eventsOf(text: string): { readonly result?: unknown; readonly error?: unknown }[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice(6)) as object);
}

/** The reason that an error names first. */
export function reasonOf({ error }: Outcome): unknown {
  return error?.details[0]?.["reason"];
}

/** Expects that the agent still answers over all three transports. */
export async function expectAlive(agent: TestAgent): Promise<void> {
  expect(await everywhere(agent, "SendMessage", { message })).toEqual({ value: { message } });
}
