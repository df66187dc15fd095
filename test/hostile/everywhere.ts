import { expect } from "vitest";
import type { TestAgent } from "./agent.js";
import type { Body, OperationName, Told } from "./subject.js";
import { callGrpc, grpcOf, metadataOf, rpcOf, send, type HttpReply } from "./wire.js";

/** How an error reached the caller. */
export interface Refusal extends Told {
  /** The code on JSON-RPC, HTTP+JSON and gRPC. */
  readonly codes: readonly [jsonRpc: number, http: number, grpc: number];
}

/** Result of a call in the model: a list of events for a stream. */
export type Outcome =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: Refusal };

/** How many transports {@link everywhere} calls. */
export const transports = 3;

/** Calls an operation over all three transports, expects one outcome, and gives it. */
export async function everywhere(
  agent: TestAgent,
  name: OperationName,
  request: Body,
  headers: Readonly<Record<string, string>> = agent.subject.headers,
): Promise<Outcome> {
  const [overRpc, overHttp, overGrpc] = await Promise.all([
    viaJsonRpc(agent, name, request, headers),
    viaRest(agent, name, request, headers),
    viaGrpc(agent, name, request, headers),
  ]);
  expect(overHttp.outcome, "HTTP+JSON against JSON-RPC").toEqual(overRpc.outcome);
  const { outcome } = overRpc;
  const isWhole = "value" in outcome || agent.subject.grpcDetails;
  const carried = isWhole ? outcome : { ...outcome, fields: [], rest: undefined };
  expect(overGrpc.outcome, "gRPC against JSON-RPC").toEqual(carried);
  if ("value" in outcome) return outcome;
  return { error: { ...outcome, codes: [overRpc.code, overHttp.code, overGrpc.code] } };
}

interface Half {
  readonly code: number;
  readonly outcome: { readonly value: unknown } | Told;
}

async function viaJsonRpc(
  agent: TestAgent,
  name: OperationName,
  request: Body,
  headers: Body,
): Promise<Half> {
  const reply = await sendJson(agent, "POST", "/rpc", headers, rpcOf(agent.subject, name, request));
  const events = isStream(reply) ? eventsOf(reply.text) : undefined;
  const isError =
    events !== undefined && agent.subject.errorEvents && events[0]?.error !== undefined;
  if (events !== undefined && !isError)
    return { code: 0, outcome: { value: events.map(({ result }) => result) } };
  const { result, error } = (isError ? events[0] : reply.json) as {
    result?: unknown;
    error?: Body;
  };
  if (error === undefined) return { code: 0, outcome: { value: result } };
  return { code: Number(error["code"]), outcome: agent.subject.rpcError(error, reply.status) };
}

async function viaRest(
  agent: TestAgent,
  name: OperationName,
  request: Body,
  headers: Body,
): Promise<Half> {
  const { place, read } = agent.subject.operations[name];
  const { method, path, body } = place(request);
  const reply = await sendJson(agent, method, path, headers, body);
  if (isStream(reply)) return { code: 0, outcome: { value: eventsOf(reply.text).map(read) } };
  if (reply.status < 300) return { code: 0, outcome: { value: read(reply.json) } };
  const told = agent.subject.httpError(reply.json, reply.status);
  if (told === undefined) throw new Error(`No protocol error: ${reply.text}`);
  return { code: reply.status, outcome: told };
}

async function viaGrpc(
  agent: TestAgent,
  name: OperationName,
  request: Body,
  headers: Body,
): Promise<Half> {
  const { decode, streams } = agent.subject.operations[name];
  const metadata = metadataOf(headers as Record<string, string>);
  const reply = await callGrpc(agent, { ...grpcOf(agent.subject, name, request), metadata });
  if (reply.code !== 0) return { code: reply.code, outcome: agent.subject.grpcError(reply) };
  const values = reply.messages.map(decode);
  return { code: 0, outcome: { value: streams ? values : values[0] } };
}

function sendJson(agent: TestAgent, method: string, path: string, headers: Body, body?: unknown) {
  if (body === undefined)
    return send(agent, { method, path, headers: headers as Record<string, string> });
  const all = { "content-type": "application/json", ...headers };
  return send(agent, { method, path, headers: all, body: JSON.stringify(body) });
}

/** Tells whether an answer is a stream of events. */
export function isStream({ headers }: HttpReply): boolean {
  return headers["content-type"] === "text/event-stream";
}

/** The data of each event, as JSON. */
export function eventsOf(text: string): { readonly result?: unknown; readonly error?: unknown }[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice(6)) as object);
}

/** The response in the answer of the JSON-RPC endpoint: its body, or its only event. */
export function responseOf(reply: HttpReply): unknown {
  return isStream(reply) ? eventsOf(reply.text)[0] : reply.json;
}

/** The reason that an error names first. */
export function reasonOf({ error }: Outcome): unknown {
  return error?.reason;
}

/** Expects that the agent still answers over all three transports. */
export async function expectAlive(agent: TestAgent): Promise<void> {
  const { samples, answers } = agent.subject;
  const { message } = samples;
  expect(await everywhere(agent, "SendMessage", { message })).toEqual({
    value: answers.message(message),
  });
}
