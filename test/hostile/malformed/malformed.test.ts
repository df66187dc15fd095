import { describe, expect, it, vi } from "vitest";
import { shareAgent, type TestAgent } from "../agent.js";
import { responseOf } from "../everywhere.js";
import type { Body, Subject, Told } from "../subject.js";
import { subjects } from "../subjects.js";
import { callGrpc, send } from "../wire.js";
import type { Malformed, Reason } from "./row.js";
import { bodyRows, bytesRows, envelopeRows, routeRows, valueRows } from "./rows.js";
import { rows03 } from "./rows-0.3.js";

/**
 * The code of each error on JSON-RPC, and its status on HTTP+JSON; gRPC has the same for all that
 * can come over it.
 */
const codes: Readonly<Record<Reason, readonly [jsonRpc: number, http: number]>> = {
  JSON_PARSE: [-32700, 400],
  INVALID_REQUEST: [-32600, 400],
  METHOD_NOT_FOUND: [-32601, 404],
  INVALID_PARAMS: [-32602, 400],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 400],
};

/** Internal details that errors must not reveal. */
const inside = /\.[jt]s:\d|RangeError|TypeError|call stack/;

interface Sent extends Malformed {
  readonly agent: TestAgent;
  readonly subject: Subject;
}

function expectTold({ reason, field }: Malformed, told: Told | undefined) {
  expect(told?.reason).toBe(reason);
  expect(JSON.stringify(told).length).toBeLessThan(20_000);
  const isNamed = (named: string) => named === field || named.startsWith(`${String(field)}.`);
  if (typeof field === "string")
    expect(told?.fields.some(isNamed), JSON.stringify(told?.fields)).toBe(true);
  else if (field !== undefined && field.length > 0) expect(told?.fields).toEqual(field);
  else if (field !== undefined) expect(told?.fields).not.toEqual([]);
}

async function overJsonRpc({ agent, subject, jsonRpc, ...row }: Sent) {
  if (jsonRpc === undefined) return undefined;
  const reply = await send(agent, jsonRpc);
  const usual = row.reason === "CONTENT_TYPE_NOT_SUPPORTED" ? 415 : 200;
  expect(reply.status).toBe(row.status ?? usual);
  expect(reply.text).not.toMatch(inside);
  const { error = {}, ...response } = responseOf(reply) as { error?: Body };
  expect(response).toEqual({ jsonrpc: "2.0", id: row.id });
  expect(error["code"]).toBe(codes[row.reason][0]);
  const told = subject.rpcError(error, reply.status);
  expectTold(row, told);
  return told;
}

async function overHttp({ agent, subject, http, ...row }: Sent) {
  if (http === undefined) return undefined;
  const reply = await send(agent, http);
  expect(reply.status).toBe(row.status ?? codes[row.reason][1]);
  expect(reply.headers["content-type"]).toBe(subject.mediaTypes[0]);
  expect(reply.text).not.toMatch(inside);
  const told = subject.httpError(reply.json, reply.status);
  expectTold(row, told);
  return told;
}

const resourceExhausted = 8;

/**
 * Repeats a call until the agent admits it. On a busy machine, large requests take more than the
 * caller's share of the agent's time.
 */
async function admitted(call: () => ReturnType<typeof callGrpc>) {
  return vi.waitFor(async () => {
    const reply = await call();
    if (reply.code === resourceExhausted) throw new Error(reply.message);
    return reply;
  });
}

async function overGrpc({ agent, subject, grpc, ...row }: Sent) {
  if (grpc === undefined) return;
  const reply = await admitted(() => callGrpc(agent, grpc));
  expect(reply.code).toBe(row.reason === "METHOD_NOT_FOUND" ? 12 : 3);
  expect(reply.message).not.toMatch(inside);
  expect(reply.message.length).toBeLessThan(8_000);
  if (row.reason === "METHOD_NOT_FOUND") return;
  const told = subject.grpcError(reply);
  if (subject.grpcDetails) return expectTold(row, told);
  expect(told.reason).toBe(row.reason);
  for (const field of [row.field ?? []].flat())
    expect(reply.message).toContain(`/${field.replaceAll(".", "/")}`);
}

const named = ({ jsonRpc, http, grpc }: Malformed) =>
  [jsonRpc && "JSON-RPC", http && "HTTP+JSON", grpc && "gRPC"].filter(Boolean).join(", ");

describe.each(subjects)("an agent of $version", (subject) => {
  const own = subject.version === "0.3.0" ? rows03(subject) : [];
  const shared = [bodyRows, envelopeRows, valueRows, routeRows, bytesRows].flatMap((rows) =>
    rows(subject),
  );
  const rows = [...shared, ...own];
  let agent: TestAgent;

  shareAgent((started) => (agent = started), subject, {}, { limits: { maxBodyBytes: 4_000_000 } });

  for (const row of rows) {
    it.concurrent(`the agent refuses ${row.title} over ${named(row)}`, async () => {
      const sent = { ...row, agent, subject };
      const [overRpc, overRest] = await Promise.all([
        overJsonRpc(sent),
        overHttp(sent),
        overGrpc(sent),
      ]);
      // The bindings differ in how they say it, and in nothing else, unless the operation cannot be
      // known yet.
      if (overRpc !== undefined && overRest !== undefined && row.id === 1)
        expect({ ...overRest, rest: undefined }).toEqual({ ...overRpc, rest: undefined });
    });
  }
});
