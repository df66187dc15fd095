import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as pb from "../../generated/1.0/protobuf.js";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { expectAlive, message } from "./everywhere.js";
import { begin, channel, metadataOf, rpc, send, version, type HttpSend } from "./wire.js";

let agent: TestAgent;

beforeAll(async () => {
  agent = await startAgent();
});

afterAll(stopAgents);

/** How long the mutations of one transport may take, in milliseconds, and where their chance begins. */
const budget = { interruptAfterTimeLimit: 1000, numRuns: 100_000, seed: 20_26, markInterruptAsFailure: false };

const full = {
  ...message,
  contextId: "c1",
  taskId: "t1",
  parts: [{ text: "a", mediaType: "text/plain" }, { raw: "AAEC" }, { data: { a: [1, null, true] } }],
  metadata: { k: "v", list: [1, { b: null }] },
};
const configuration = {
  acceptedOutputModes: ["text/plain"],
  historyLength: 3,
  taskPushNotificationConfig: { url: "http://hook", authentication: { scheme: "Bearer" } },
};

/** Good requests, by the operation that takes them. */
const seeds: [name: string, params: object, encode: (params: never) => Uint8Array][] = [
  ["SendMessage", { message: full, configuration, metadata: { a: 1 } }, pb.encodeSendMessageRequest],
  ["SendStreamingMessage", { message: full, tenant: "acme" }, pb.encodeSendMessageRequest],
  ["GetTask", { id: "t1", historyLength: 2 }, pb.encodeGetTaskRequest],
  [
    "ListTasks",
    { contextId: "c", pageSize: 5, statusTimestampAfter: "2026-01-01T00:00:00Z" },
    pb.encodeListTasksRequest,
  ],
  ["CancelTask", { id: "t1", metadata: { a: {} } }, pb.encodeCancelTaskRequest],
  ["SubscribeToTask", { id: "t1" }, pb.encodeSubscribeToTaskRequest],
];

const seed = fc.constantFrom(...seeds);
const hostile = fc.constantFrom<unknown>(
  null,
  "",
  "__proto__",
  "ROLE_USER",
  [],
  {},
  [[]],
  0,
  -1,
  1.5,
  1e308,
  true,
  "\ud800",
  "1e400",
  [null],
  { a: { a: {} } },
);
const key = fc.constantFrom(
  "__proto__",
  "constructor",
  "id",
  "message",
  "parts",
  "text",
  "task_id",
  "role",
  "",
  "metadata",
);

type Json = Record<string, unknown>;

/** Walks into a document, choosing a member by each step, and gives the last object and the key chosen in it. */
function walk(document: Json, steps: readonly number[]): { parent: Json; key: string } {
  const [step = 0, ...others] = steps;
  const keys = Object.keys(document);
  const key = keys[step % (keys.length || 1)] ?? "";
  const next = document[key];
  const inner = others.length > 0 && typeof next === "object" && next !== null;
  return inner ? walk(next as Json, others) : { parent: document, key };
}

/** Removes, replaces, or adds a member somewhere in a document. */
const edited = (document: object): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), fc.oneof(hostile, fc.jsonValue()), key, fc.nat(3))
    .map(([steps, value, name, kind]) => {
      const copy = JSON.parse(JSON.stringify(document)) as Json;
      const { parent, key: chosen } = walk(copy, steps);
      const member = { value, enumerable: true, configurable: true, writable: true };
      if (kind === 0) Reflect.deleteProperty(parent, chosen);
      else Reflect.defineProperty(parent, kind === 1 && !Array.isArray(parent) ? name : chosen, member);
      return copy;
    });

/** Cuts, doubles, and replaces bytes. */
const damaged = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc.array(fc.tuple(fc.nat(3), fc.nat(bytes.length), fc.nat(255)), { minLength: 1, maxLength: 6 }).map((edits) => {
    let result = Buffer.from(bytes);
    for (const [kind, place, byte] of edits) {
      const at = Math.min(place, result.length);
      if (kind === 0 && at < result.length) result[at] = byte;
      else if (kind === 1) result = Buffer.concat([result.subarray(0, at), Buffer.from([byte]), result.subarray(at)]);
      else if (kind === 2) result = Buffer.concat([result.subarray(0, at), result.subarray(at + 1 + (byte % 8))]);
      else result = Buffer.concat([result, result.subarray(at)]);
    }
    return result;
  });

const jsonBody = (document: object): fc.Arbitrary<string | Uint8Array> =>
  fc.oneof(
    { weight: 3, arbitrary: edited(document).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: damaged(Buffer.from(JSON.stringify(document))) },
  );

const codes = new Set([-32700, -32600, -32601, -32602, -32005, -32009]);

it("JSON-RPC answers anything with what is right or the fault of the caller", async () => {
  const request = seed.chain(([name, params]) => jsonBody(rpc(name, params)));
  await fc.assert(
    fc.asyncProperty(request, async (body) => {
      const headers = { "content-type": "application/json", ...version };
      const { status, headers: answered, text, json } = await send(agent, { path: "/rpc", headers, body });
      expect(status).toBe(200);
      if (answered["content-type"] === "text/event-stream") {
        expect(text).not.toContain('"error":');
      } else {
        expect(json).toMatchObject({ jsonrpc: "2.0" });
        const { error } = json as { error?: { code: number } };
        if (error !== undefined) expect(codes).toContain(error.code);
      }
    }),
    budget,
  );
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
});

const segment = fc.oneof(
  fc.constantFrom("t1", "..", "%2e", "%", "%ff", "a:b", "message:send", "tasks", "t1:cancel", "t1:subscribe", "*", ""),
  fc.webSegment(),
);
const path = fc.oneof(
  fc.constantFrom("/message:send", "/message:stream", "/tasks", "/tasks/t1", "/tasks/t1:cancel", "/tasks/t1:subscribe"),
  fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`),
);
const parameter = fc.tuple(
  fc.constantFrom(
    "historyLength",
    "history_length",
    "tenant",
    "id",
    "pageSize",
    "status",
    "A2A-Version",
    "__proto__",
    "a.b",
    "",
  ),
  fc.oneof(
    fc.constantFrom("1", "", "%", "%ff", "1.0", "acme", "TASK_STATE_WORKING", "true", ","),
    fc.webQueryParameters(),
  ),
);

it("HTTP+JSON answers anything with what is right or the fault of the caller", async () => {
  const request = fc.record({
    method: fc.constantFrom("GET", "POST", "DELETE", "PUT"),
    path: fc.tuple(path, fc.array(parameter, { maxLength: 3 })).map(([target, query]) => {
      const text = query.map(([name, value]) => `${name}=${value}`).join("&");
      return text === "" ? target : `${target}?${text}`;
    }),
    body: seed.chain(([, params]) => fc.oneof(jsonBody(params), fc.constant(""), fc.constant(JSON.stringify(params)))),
    type: fc.constantFrom("application/json", "application/json", "application/a2a+json", "text/plain"),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ type, ...sent }) => {
      const headers = { "content-type": type, ...version };
      const { status, headers: answered, json } = await send(agent, { ...(sent as HttpSend), headers });
      expect([200, 400, 404, 405, 415]).toContain(status);
      if (answered["content-type"] !== "text/event-stream") expect(json).toBeTypeOf("object");
      if (status !== 200) expect(json).toHaveProperty("error.details.0.domain", "a2a-protocol.org");
    }),
    budget,
  );
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
});

it("gRPC answers anything with what is right or the fault of the caller", async () => {
  const client = channel(agent);
  const request = seed.chain(([name, params, encode]) => fc.tuple(fc.constant(name), damaged(encode(params as never))));
  await fc.assert(
    fc.asyncProperty(request, async ([name, bytes]) => {
      const code = await new Promise((resolve) => {
        const call = begin(client, name, bytes, metadataOf(), Date.now() + 5000);
        call.on("data", () => undefined).on("error", () => undefined);
        call.on("status", ({ code }) => resolve(code));
      });
      expect([0, 3]).toContain(code);
    }),
    budget,
  );
  client.close();
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
});
