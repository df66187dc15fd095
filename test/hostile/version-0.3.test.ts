import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { processorTime } from "../support/processor-time.js";
import { shareAgent, startAgent, type TestAgent } from "./agent.js";
import { field, messageBytes, numberField } from "./bytes.js";
import { eventsOf, everywhere } from "./everywhere.js";
import { v03 } from "./subjects.js";
import { callGrpc, get, post, rpc, rpcOf } from "./wire.js";

// Unusual but valid requests that only 0.3.0 can have: HTTP+JSON accepts ProtoJSON and the JSON of
// the model, and HTTP+JSON and gRPC name tasks and webhooks by strings such as tasks/{id}.
// malformed/rows-0.3.ts contains invalid requests.

let agent: TestAgent;

// Each call has its own user, because one caller with many large messages is slowed down.
shareAgent(
  (started) => (agent = started),
  v03,
  {},
  { agent: { authenticate: () => ({ id: randomUUID() }) } },
);

const proto = { messageId: "m1", role: "ROLE_USER", content: [{ text: "hello" }] };
const model = v03.samples.message;
const answered = { message: proto };
const webhooks = "/v1/tasks/t1/pushNotificationConfigs";
const config = { url: "http://127.0.0.1/hook" };
const named = (method: string, name: Uint8Array | string) =>
  callGrpc(agent, { method, bytes: field(1, name) });
const { GetTask, CreateTaskPushNotificationConfig } = v03.operations;
const sendMessage = (body: unknown) => post(agent, "/v1/message:send", body);

describe.concurrent("a body of 0.3.0 in two forms at once", () => {
  it.each<[string, object]>([
    ["`parts` and `content` with the same value", { ...proto, ...model, role: "ROLE_USER" }],
    ["`parts` beside `content`", { ...proto, parts: [{ kind: "text", text: "other" }] }],
    [
      "`parts` and `kind` beside `content`",
      { ...proto, kind: "message", parts: [{ kind: "text", text: "other" }] },
    ],
    ["invalid `parts` next to `content`", { ...proto, parts: 7 }],
    ["`content` beside `parts`", { ...model, content: [{ text: "other" }] }],
    ["invalid `content` next to `parts`", { ...model, content: 7 }],
    ["`kind` in ProtoJSON", { ...proto, kind: "message" }],
    ["another `kind` in ProtoJSON", { ...proto, kind: "task" }],
    ["parts with a `kind` in `content`", { ...proto, content: model.parts }],
  ])("the server uses the valid form: %s", async (_, message) => {
    const reply = await sendMessage({ message });
    expect([reply.status, reply.json]).toEqual([200, answered]);
  });

  it("a file may have two contents in the model, because the schema allows it", async () => {
    const seen: unknown[] = [];
    const other = await startAgent(v03, {
      sendMessage: ({ message }: { message: unknown }) => (seen.push(message), model),
    });
    const message = { ...model, parts: [{ kind: "file", file: { uri: "u", bytes: "AAEC" } }] };
    expect((await post(other, "/v1/message:send", { message })).json).toEqual(answered);
    expect((await post(other, "/rpc", rpcOf(v03, "SendMessage", { message }))).json).toMatchObject({
      result: model,
    });
    const parts = [{ kind: "file", file: { bytes: "AAEC" } }];
    expect(seen).toMatchObject([{ parts }, { parts }]);
    expect(other.faults).toEqual([]);
  });

  it("the response to a stream is ProtoJSON", async () => {
    for (const message of [proto, model, { ...proto, kind: "message", parts: 7 }]) {
      const { text } = await post(agent, "/v1/message:stream", { message });
      expect(text).not.toContain('"kind"');
      expect(eventsOf(text)).toMatchObject([
        { task: {} },
        { artifactUpdate: {} },
        { statusUpdate: { final: true } },
      ]);
    }
  });

  it.each(["2147483648", "1e300", "9007199254740993"])(
    "the limit %s is accepted in the model, whose schema does not limit it",
    async (limit) => {
      const configured = `{"message":${JSON.stringify(model)},"configuration":{"historyLength":${limit}}}`;
      expect((await sendMessage(configured)).json).toEqual(answered);
      const asked = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t1","historyLength":${limit}}}`;
      const overRpc = await post(agent, "/rpc", asked);
      expect(overRpc.json).toMatchObject({
        result: { metadata: { historyLength: Number(limit) } },
      });
    },
  );

  it("an ignored member may be nested deeply", async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    for (const message of [proto, model]) {
      const body = `{"message":${JSON.stringify({ ...message, unknown: 0 }).replace('"unknown":0', `"unknown":${deep}`)}}`;
      expect((await sendMessage(body)).json).toEqual(answered);
    }
  });
});

describe("a large body of unions of 0.3.0", () => {
  const many = (item: string) =>
    new Array<string>(Math.ceil(2 ** 20 / item.length)).fill(item).join(",");
  const ofModel = (item: string) =>
    `{"message":{"kind":"message","messageId":"m1","role":"user","parts":[${many(item)}]}}`;
  const ofProto = (item: string) =>
    `{"message":{"messageId":"m1","role":"ROLE_USER","content":[${many(item)}]}}`;

  it.each<[string, string, number]>([
    ["valid parts of the model", ofModel('{"kind":"text","text":"x"}'), 200],
    ["valid parts of ProtoJSON", ofProto('{"text":"x"}'), 200],
    ["parts that only have a kind", ofModel('{"kind":"file"}'), 400],
    ["kinds in ProtoJSON", ofProto('{"kind":"file"}'), 400],
    ["unknown kinds", ofModel('{"kind":"constructor"}'), 400],
    ["kinds in kinds", ofModel('{"kind":{"kind":{"kind":"text"}}}'), 400],
  ])("the server responds quickly to %s", async (_, body, status) => {
    const started = processorTime();
    const reply = await sendMessage(body);
    expect(processorTime() - started).toBeLessThan(10_000);
    expect(reply.status).toBe(status);
    expect(reply.text.length).toBeLessThan(status === 400 ? 20_000 : 2_000_000);
  });
});

describe.concurrent("keys that objects inherit in 0.3.0", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

  it("inherited keys remain keys in maps of the card, over every transport", async () => {
    const scheme = { type: "apiKey", in: "header", name: "x" };
    const schemes = names.map((name) => `"${name}":${JSON.stringify(scheme)}`).join(",");
    const security = [JSON.parse('{"__proto__":["a"],"constructor":[]}') as object];
    const card = {
      ...v03.samples.card,
      securitySchemes: JSON.parse(`{${schemes}}`) as object,
      security,
    };
    const hostile = await startAgent(v03, { getExtendedAgentCard: () => card });
    const { value } = await everywhere(hostile, "GetExtendedAgentCard", {});
    const found = value as typeof card;
    expect(Object.keys(found.securitySchemes)).toEqual(names);
    expect(found.securitySchemes.constructor).toEqual(scheme);
    expect(JSON.stringify(found.security)).toBe('[{"__proto__":["a"],"constructor":[]}]');
    expect(hostile.faults).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe.concurrent("an id of 0.3.0 in a path", () => {
  it.each([
    ["..", ".."],
    ["%2e%2e", ".."],
    ["%20", " "],
    ["%E2%82%AC%F0%9F%98%80", "€😀"],
    ["a%00b", "a\0b"],
    ["%0d%0aset-cookie:x", "\r\nset-cookie:x"],
    ["__proto__", "__proto__"],
    ["tasks", "tasks"],
    ["{id}", "{id}"],
    ["*", "*"],
    ["a+b", "a+b"],
    ["x".repeat(7000), "x".repeat(7000)],
    // A name may have several segments, so an escaped slash in a segment remains escaped.
    ["a%2Fb", "a%2Fb"],
    ["..%2F..%2Fetc", "..%2F..%2Fetc"],
    ["tasks%2Ft2", "tasks%2Ft2"],
    ["%2F", "%2F"],
    ["%252F", "%2F"],
  ])("the id of a task or webhook is read unchanged: %s", async (segment, id) => {
    expect((await get(agent, `/v1/tasks/${segment}`)).json).toMatchObject({ id });
    expect((await get(agent, `${webhooks}/${segment}`)).json).toMatchObject({
      name: `tasks/t1/pushNotificationConfigs/${id}`,
      pushNotificationConfig: { id },
    });
    expect((await get(agent, `/v1/tasks/${segment}/pushNotificationConfigs/c`)).json).toMatchObject(
      {
        name: `tasks/${id}/pushNotificationConfigs/c`,
      },
    );
    expect((await get(agent, `/v1/tasks/${segment}`)).headers["set-cookie"]).toBeUndefined();
  });
});

describe.concurrent("a resource name of 0.3.0 in a body", () => {
  const name = "tasks/t1/pushNotificationConfigs/c";

  it.each<[string, object]>([
    ["it is equal", { name, pushNotificationConfig: config }],
    ["it is null", { name: null, pushNotificationConfig: config }],
    ["it is empty", { name: "", pushNotificationConfig: config }],
    ["the task is equal", { taskId: "t1", pushNotificationConfig: config }],
  ])("the name is accepted if %s", async (_, body) => {
    const { json } = await post(agent, webhooks, body);
    expect(json).toMatchObject({
      name: expect.stringMatching(/^tasks\/t1\/pushNotificationConfigs\/./) as unknown,
    });
  });
});

describe.concurrent("a resource name of 0.3.0 over gRPC", () => {
  it.each([
    "..",
    "a%2Fb",
    "a b",
    "ä€😀",
    "a\n",
    "a\0",
    "{id}",
    "__proto__",
    "*",
    "x".repeat(1_000_000),
  ])("the name contains the id unchanged: %s", async (id) => {
    const [bytes = new Uint8Array()] = (await named("GetTask", `tasks/${id}`)).messages;
    expect((GetTask.decode(bytes) as { id: string }).id === id).toBe(true);
    const both = await named(
      "GetTaskPushNotificationConfig",
      `tasks/${id}/pushNotificationConfigs/${id}`,
    );
    expect(
      CreateTaskPushNotificationConfig.decode(both.messages[0] ?? new Uint8Array()),
    ).toMatchObject({
      taskId: id,
      pushNotificationConfig: { id },
    });
  });

  it("the name may be repeated with the same value", async () => {
    const twice = Buffer.concat([field(1, "tasks/a"), field(1, "tasks/a")]);
    expect((await callGrpc(agent, { method: "GetTask", bytes: twice })).code).toBe(0);
  });

  it.each([
    ["c", "tasks/a/pushNotificationConfigs/c"],
    ["c", ""],
    ["..", ""],
  ])("the name agrees with the id %j and the name %j of a webhook", async (id, name) => {
    const given = [field(1, name), field(2, field(2, "http://127.0.0.1/hook"))];
    const bytes = Buffer.concat([
      field(1, "tasks/a"),
      field(2, id),
      field(3, Buffer.concat(given)),
    ]);
    expect(
      (await callGrpc(agent, { method: "CreateTaskPushNotificationConfig", bytes })).code,
    ).toBe(0);
  });

  it("other fields are unchanged: a limit beyond int32 or as a string", async () => {
    const limits: [Uint8Array, number | undefined][] = [
      [numberField(2, 2n ** 40n + 5n), 5],
      [field(2, "5"), undefined],
    ];
    for (const [limit, historyLength] of limits) {
      const bytes = Buffer.concat([field(1, "tasks/t1"), limit]);
      const { messages } = await callGrpc(agent, { method: "GetTask", bytes });
      const metadata = historyLength === undefined ? {} : { historyLength };
      expect(GetTask.decode(messages[0] ?? new Uint8Array())).toMatchObject({ metadata });
    }
  });
});

describe("an id of a webhook of 0.3.0 that fits no resource name", () => {
  it("the id does no harm if the service creates it, and the error is not revealed", async () => {
    const other = await startAgent(v03, {
      getTaskPushNotificationConfig: () => ({
        taskId: "t1",
        pushNotificationConfig: { ...config, id: "a/b" },
      }),
    });
    const reply = await get(other, `${webhooks}/c`);
    expect(v03.httpError(reply.json)).toBeDefined();
    expect(reply.text).not.toMatch(/\.[jt]s:\d/);
  });
});

describe.concurrent("an id of 0.3.0 over JSON-RPC", () => {
  it.each([
    "a/b",
    "..",
    "ä€😀",
    "\ud800",
    "a\0\r\nb",
    "__proto__",
    "tasks/t1",
    "x".repeat(1_000_000),
  ])("the id is read unchanged: %j", async (id) => {
    const read = await post(agent, "/rpc", rpc("tasks/get", { id }));
    expect((read.json as { result: { id: string } }).result.id === id).toBe(true);
    const asked = { id, pushNotificationConfigId: id };
    const webhook = await post(agent, "/rpc", rpc("tasks/pushNotificationConfig/get", asked));
    expect(webhook.json).toMatchObject({ result: { taskId: id, pushNotificationConfig: { id } } });
  });
});

describe.concurrent("a oneof of 0.3.0 with several members", () => {
  const sendBytes = (bytes: Uint8Array) => callGrpc(agent, { method: "SendMessage", bytes });
  const text = field(1, "hi");
  const file = (...members: Uint8Array[]) => field(2, Buffer.concat(members));
  const [uri, bytes, mimeType] = [field(1, "http://a"), field(2, "ab"), field(3, "text/plain")];
  const data = field(
    3,
    field(1, field(1, Buffer.concat([field(1, "a"), field(2, numberField(1, 0))]))),
  );

  /** Parts of the returned message. */
  async function partsOf(...parts: Uint8Array[]) {
    const { code, message, messages } = await sendBytes(messageBytes(v03, ...parts));
    if (code !== 0) return [code, message];
    return (
      v03.operations.SendMessage.decode(messages[0] ?? new Uint8Array()) as { parts: unknown }
    ).parts;
  }

  it.each<[string, Uint8Array, object]>([
    [
      "text, then a file",
      Buffer.concat([text, file(uri)]),
      { kind: "file", file: { uri: "http://a" } },
    ],
    ["a file, then text", Buffer.concat([file(uri), text]), { kind: "text", text: "hi" }],
    ["data, then text", Buffer.concat([data, text]), { kind: "text", text: "hi" }],
    ["text, then data", Buffer.concat([text, data]), { kind: "data", data: { a: null } }],
    ["text twice", Buffer.concat([text, field(1, "ho")]), { kind: "text", text: "ho" }],
    ["a file with both members", file(uri, bytes), { kind: "file", file: { bytes: "YWI=" } }],
    [
      "a file with both members in reverse order",
      file(bytes, uri),
      { kind: "file", file: { uri: "http://a" } },
    ],
    ["a file in two halves", Buffer.concat([file(mimeType), file(uri)]), { kind: "file", file: { mimeType: "text/plain", uri: "http://a" } }], // prettier-ignore
    [
      "a file in contradicting halves",
      Buffer.concat([file(uri), file(bytes)]),
      { kind: "file", file: { bytes: "YWI=" } },
    ],
  ])("the server uses the last member: %s", async (_, part, expected) => {
    expect(await partsOf(part)).toEqual([expected]);
  });

  it("a oneof may be next to keys that objects inherit", async () => {
    const entry = (key: string) =>
      field(1, Buffer.concat([field(1, key), field(2, field(3, "x"))]));
    const keys = ["__proto__", "constructor", "toString"];
    const metadata = field(6, Buffer.concat(keys.map(entry)));
    const message = Buffer.concat([field(1, "m1"), numberField(4, 1), field(5, text), metadata]);
    const { messages } = await sendBytes(field(1, message));
    const answer = v03.operations.SendMessage.decode(messages[0] ?? new Uint8Array()) as {
      metadata: object;
    };
    expect(Object.entries(answer.metadata)).toEqual(keys.map((key) => [key, "x"]));
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("a oneof with several members may be in many parts", async () => {
    const started = processorTime();
    expect(await partsOf(...new Array<Uint8Array>(50_000).fill(text))).toHaveLength(50_000);
    const reply = await sendBytes(
      messageBytes(v03, ...new Array<Uint8Array>(50_000).fill(new Uint8Array())),
    );
    expect([reply.code, reply.message.length < 2000]).toEqual([3, true]);
    expect(processorTime() - started).toBeLessThan(10_000);
  });
});
