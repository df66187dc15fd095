import fc from "../support/properties.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { expectAlive, isStream, responseOf } from "./everywhere.js";
import type { Body, OperationName, Subject } from "./subject.js";
import { subjects } from "./subjects.js";
import { begin, channel, grpcOf, rpcOf, send, type HttpSend } from "./wire.js";

afterAll(stopAgents);

/** How long the mutations of one transport may take, in milliseconds, and where their chance begins. */
const budget = { interruptAfterTimeLimit: 500, numRuns: 100_000, seed: 20_26, markInterruptAsFailure: false };

const metadata = { k: "v", list: [1, { b: null }] };

/** Messages and configurations with as much in them as there is. */
const full: Readonly<Record<string, { readonly message: object; readonly configuration: object }>> = {
  "1.0": {
    message: { parts: [{ text: "a", mediaType: "text/plain" }, { raw: "AAEC" }, { data: { a: [1, null, true] } }] },
    configuration: { taskPushNotificationConfig: { url: "http://hook", authentication: { scheme: "Bearer" } } },
  },
  "0.3.0": {
    message: {
      parts: [
        { kind: "text", text: "a" },
        { kind: "file", file: { bytes: "AAEC", mimeType: "text/plain" } },
        { kind: "data", data: { a: [1, null, true] } },
      ],
    },
    configuration: { pushNotificationConfig: { url: "http://hook", authentication: { schemes: ["Bearer"] } } },
  },
};

type Seed = readonly [name: OperationName, params: object];

/** Good requests, by the operation that takes them. */
function seedsOf({ version, samples }: Subject): Seed[] {
  const own = full[version];
  const message = { ...samples.message, contextId: "c1", taskId: "t1", metadata, ...own?.message };
  const configuration = { acceptedOutputModes: ["text/plain"], historyLength: 3, ...own?.configuration };
  return [
    ["SendMessage", { message, configuration, metadata: { a: 1 } }],
    ["SendStreamingMessage", { message }],
    ["GetTask", { id: "t1", historyLength: 2 }],
    ["CancelTask", { id: "t1", metadata: { a: {} } }],
    ["SubscribeToTask", { id: "t1" }],
    ["CreateTaskPushNotificationConfig", samples.webhook],
  ];
}

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
  "kind",
  "content",
  "name",
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

/** The codes of errors that are the fault of the caller. */
const codes = new Set([-32700, -32600, -32601, -32602, -32005, -32009]);

const segment = fc.oneof(
  fc.constantFrom("t1", "..", "%2e", "%", "%ff", "a:b", "message:send", "tasks", "t1:cancel", "t1:subscribe", "*", ""),
  fc.webSegment(),
);
const path = fc.oneof(
  fc.constantFrom("/message:send", "/message:stream", "/tasks", "/tasks/t1", "/tasks/t1:cancel", "/tasks/t1:subscribe"),
  fc.constantFrom("/tasks/t1/pushNotificationConfigs", "/tasks/t1/pushNotificationConfigs/p1", "/card"),
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
    "name",
    "parent",
    "configId",
    "pushNotificationConfig.id",
    "",
  ),
  fc.oneof(
    fc.constantFrom("1", "", "%", "%ff", "1.0", "acme", "TASK_STATE_WORKING", "true", ","),
    fc.webQueryParameters(),
  ),
);

describe.each(subjects)("A2A $version", (subject) => {
  const { base, operations } = subject;
  const seed = fc.constantFrom(...seedsOf(subject));
  let agent: TestAgent;

  beforeAll(async () => {
    agent = await startAgent(subject);
  });

  it("JSON-RPC answers anything with what is right or the fault of the caller", async () => {
    const request = seed.chain(([name, params]) => jsonBody(rpcOf(subject, name, params)));
    await fc.assert(
      fc.asyncProperty(request, async (body) => {
        const headers = { "content-type": "application/json", ...subject.headers };
        const reply = await send(agent, { path: "/rpc", headers, body });
        expect(reply.status).toBe(200);
        if (isStream(reply) && !reply.text.includes('"error":')) return;
        expect(isStream(reply) && !subject.errorEvents).toBe(false);
        const response = responseOf(reply) as { error?: { code: number } };
        expect(response).toMatchObject({ jsonrpc: "2.0" });
        if (response.error !== undefined) expect(codes).toContain(response.error.code);
      }),
      budget,
    );
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  it("HTTP+JSON answers anything with what is right or the fault of the caller", async () => {
    const request = fc.record({
      method: fc.constantFrom("GET", "POST", "DELETE", "PUT"),
      path: fc
        .tuple(fc.constantFrom(base, base, base, ""), path, fc.array(parameter, { maxLength: 3 }))
        .map(([before, target, query]) => {
          const text = query.map(([name, value]) => `${name}=${value}`).join("&");
          return text === "" ? before + target : `${before}${target}?${text}`;
        }),
      body: seed.chain(([name, params]) => {
        const { body = params } = operations[name].place(params as Body);
        const bodies = fc.constantFrom(body as object, params);
        return fc.oneof(
          bodies.chain(jsonBody),
          fc.constant(""),
          bodies.map((good) => JSON.stringify(good)),
        );
      }),
      type: fc.constantFrom("application/json", "application/json", "application/a2a+json", "text/plain"),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ type, ...sent }) => {
        const headers = { "content-type": type, ...subject.headers };
        const { status, headers: answered, json } = await send(agent, { ...(sent as HttpSend), headers });
        expect([200, 400, 405, subject.unknownRoute]).toContain(status);
        if (answered["content-type"] !== "text/event-stream") expect(json).toBeTypeOf("object");
        if (status !== 200) expect(subject.httpError(json, status)?.reason).toBeTypeOf("string");
      }),
      budget,
    );
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  it("gRPC answers anything with what is right or the fault of the caller", async () => {
    const client = channel(agent);
    const request = seed.chain(([name, params]) => {
      const { bytes, method } = grpcOf(subject, name, params);
      return fc.record({ method: fc.constant(method), bytes: damaged(bytes) });
    });
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        const code = await new Promise((resolve) => {
          const call = begin(client, subject, { ...sent, deadline: Date.now() + 5000 });
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
});
