import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { eventsOf, expectAlive } from "./everywhere.js";
import { v03 } from "./subjects.js";
import { callGrpc, get, grpcOf, post, rpcOf, type HttpReply } from "./wire.js";
import { processorTime } from "../support/processor-time.js";

// HTTP+JSON of 0.3.0 takes ProtoJSON and the JSON of the model. What is a bit of both has to end as one of them.

const proto = { messageId: "m1", role: "ROLE_USER", content: [{ text: "hello" }] };
const model = v03.samples.message;
const answered = { message: proto };
let agent: TestAgent;

beforeAll(async () => {
  agent = await startAgent(v03);
});

afterAll(async () => {
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
  await stopAgents();
});

const sendMessage = (body: unknown): Promise<HttpReply> => post(agent, "/v1/message:send", body);

/** Expects a refusal for invalid params without a word about the code behind it, and gives the fields that it names. */
function refusedFields(reply: HttpReply): readonly string[] {
  const told = v03.httpError(reply.json);
  expect([reply.status, told?.reason]).toEqual([400, "INVALID_PARAMS"]);
  expect(reply.text).not.toMatch(/\.[jt]s:\d|RangeError|TypeError|call stack/);
  return told?.fields ?? [];
}

describe.concurrent("a body in two dialects at once", () => {
  it.each<[string, object]>([
    ["`parts` and `content` that say the same", { ...proto, ...model, role: "ROLE_USER" }],
    ["`parts` beside `content`", { ...proto, parts: [{ kind: "text", text: "other" }] }],
    ["`parts` and `kind` beside `content`", { ...proto, kind: "message", parts: [{ kind: "text", text: "other" }] }],
    ["`parts` that are none beside `content`", { ...proto, parts: 7 }],
    ["`content` beside `parts`", { ...model, content: [{ text: "other" }] }],
    ["`content` that is none beside `parts`", { ...model, content: 7 }],
    ["`kind` in ProtoJSON", { ...proto, kind: "message" }],
    ["`kind` of something else in ProtoJSON", { ...proto, kind: "task" }],
    ["parts with a `kind` in `content`", { ...proto, content: model.parts }],
  ])("counts as the one that is valid: %s", async (_, message) => {
    const reply = await sendMessage({ message });
    expect([reply.status, reply.json]).toEqual([200, answered]);
  });

  it.each<[string, object, string]>([
    ["an enum value of ProtoJSON in the model", { ...model, role: "ROLE_USER" }, "message.parts"],
    ["an enum value of the model in ProtoJSON", { ...proto, role: "user" }, "message.role"],
    ["parts without a `kind` in the model", { ...model, parts: proto.content }, "message.parts.0.kind"],
    ["one part without a `kind`", { ...model, parts: [...model.parts, { text: "b" }] }, "message.parts.1.kind"],
    [
      "a file of ProtoJSON in the model",
      withPart({ kind: "file", file: { fileWithUri: "u" } }),
      "message.parts.0.file",
    ],
    ["a file of the model in ProtoJSON", withContent({ file: { uri: "u" } }), "message.parts.0.file"],
    ["data of the model in ProtoJSON", withContent({ data: { a: 1 } }), "message.content.0.data.data"],
  ])("is refused where it is valid as neither: %s", async (_, message, field) => {
    expect(refusedFields(await sendMessage({ message }))).toContain(field);
  });

  it("is refused where it says twice what can be said once", async () => {
    const twice: [object, string][] = [
      [withContent({ file: { fileWithUri: "u", fileWithBytes: "AAEC" } }), "message.content.0.file"],
      [withContent({ file: { file_with_uri: "u", fileWithUri: "u" } }), "message.content.0.file"],
      [withContent({ text: "a", file: { fileWithUri: "u" } }), "message.content.0"],
      [withContent({ text: "a", data: { data: {} } }), "message.content.0"],
      [{ ...proto, message_id: "m1" }, "message"],
    ];
    for (const [message, field] of twice) expect(refusedFields(await sendMessage({ message }))).toContain(field);
    expect(refusedFields(await sendMessage({ request: proto, message: proto }))).toEqual([""]);
  });

  it("may have a file of two contents in the model, where the schema allows it", async () => {
    const seen: unknown[] = [];
    const other = await startAgent(v03, {
      sendMessage: ({ message }: { message: unknown }) => (seen.push(message), model),
    });
    const message = withPart({ kind: "file", file: { uri: "u", bytes: "AAEC" } });
    expect((await post(other, "/v1/message:send", { message })).json).toEqual(answered);
    expect((await post(other, "/rpc", rpcOf(v03, "SendMessage", { message }))).json).toMatchObject({ result: model });
    expect(seen).toMatchObject([withPart({ file: { bytes: "AAEC" } }), withPart({ file: { bytes: "AAEC" } })]);
    expect(other.faults).toEqual([]);
  });

  it("is answered in ProtoJSON by a stream too", async () => {
    for (const message of [proto, model, { ...proto, kind: "message", parts: 7 }]) {
      const { text } = await post(agent, "/v1/message:stream", { message });
      expect(text).not.toContain('"kind"');
      expect(eventsOf(text)).toMatchObject([{ task: {} }, { artifactUpdate: {} }, { statusUpdate: { final: true } }]);
    }
  });

  function withContent(part: object): object {
    return { ...proto, content: [part] };
  }

  function withPart(part: object): object {
    return { ...model, parts: [part] };
  }
});

describe.concurrent("a body nested deep", () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const lists = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const inside = (message: object, key: string, value: string): string =>
    `{"message":${JSON.stringify({ ...message, [key]: 0 }).replace(`"${key}":0`, `"${key}":${value}`)}}`;

  it.each<[string, string, string]>([
    ["metadata in ProtoJSON", inside(proto, "metadata", deep), "message.metadata"],
    ["metadata in the model", inside(model, "metadata", deep), "message.metadata"],
    ["content", inside(proto, "content", lists), "message.content.0"],
    ["parts", inside(model, "parts", lists), "message.parts.0"],
    ["data in ProtoJSON", inside(proto, "content", `[{"data":{"data":${deep}}}]`), "message.content.0.data.data"],
    ["data in the model", inside(model, "parts", `[{"kind":"data","data":${deep}}]`), "message.parts.0.data"],
    ["the role", inside(proto, "role", lists), "message.role"],
    ["the message", `{"message":${deep},"x":${deep}}`, "message.messageId"],
  ])("is refused with its field: %s", async (_, body, field) => {
    expect(refusedFields(await sendMessage(body))).toContain(field);
  });

  it("is taken where it is ignored", async () => {
    for (const message of [proto, model]) {
      expect((await sendMessage(inside(message, "unknown", deep))).json).toEqual(answered);
    }
  });
});

describe("a large body of unions", () => {
  const many = (item: string): string => new Array<string>(Math.ceil(2 ** 20 / item.length)).fill(item).join(",");
  const ofModel = (item: string): string =>
    `{"message":{"kind":"message","messageId":"m1","role":"user","parts":[${many(item)}]}}`;
  const ofProto = (item: string): string =>
    `{"message":{"messageId":"m1","role":"ROLE_USER","content":[${many(item)}]}}`;

  it.each<[string, string, number]>([
    ["good parts of the model", ofModel('{"kind":"text","text":"x"}'), 200],
    ["good parts of ProtoJSON", ofProto('{"text":"x"}'), 200],
    ["parts with nothing but a kind", ofModel('{"kind":"file"}'), 400],
    ["kinds in ProtoJSON", ofProto('{"kind":"file"}'), 400],
    ["kinds that there are not", ofModel('{"kind":"constructor"}'), 400],
    ["kinds in kinds", ofModel('{"kind":{"kind":{"kind":"text"}}}'), 400],
  ])("is answered in time: %s", async (_, body, status) => {
    const started = processorTime();
    const reply = await sendMessage(body);
    expect(processorTime() - started).toBeLessThan(2000);
    expect(reply.status).toBe(status);
    if (status === 400) expect([refusedFields(reply).length > 0, reply.text.length < 20_000]).toEqual([true, true]);
  });
});

describe.concurrent("keys and kinds that objects inherit", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

  it.each(names)("are no kind, role or member: %s", async (name) => {
    expect(refusedFields(await sendMessage({ message: { ...model, kind: name } }))).toEqual(["message.kind"]);
    const parts = [{ kind: name, text: "a" }];
    expect(refusedFields(await sendMessage({ message: { ...model, parts } }))).toEqual(["message.parts.0.kind"]);
    expect(refusedFields(await sendMessage({ message: { ...proto, role: name } }))).toEqual(["message.role"]);
    const part = `{"${name}":{"text":"a"}}`;
    const content = JSON.stringify({ message: { ...proto, content: [0] } }).replace("[0]", `[${part}]`);
    expect(refusedFields(await sendMessage(content))).not.toEqual([]);
    expect(refusedFields(await sendMessage(`{"${name}":${JSON.stringify({ message: proto })}}`))).toEqual(["message"]);
  });

  it("stay keys in metadata and in maps of the card, on every transport", async () => {
    const scheme = { type: "apiKey", in: "header", name: "x" };
    const keyed = (value: string): object =>
      JSON.parse(`{${names.map((name) => `"${name}":${value}`).join(",")}}`) as object;
    const [schemes, metadata] = [keyed(JSON.stringify(scheme)), keyed("1")];
    const security = [JSON.parse('{"__proto__":["a"],"constructor":[]}') as object];
    const card = { ...v03.samples.card, securitySchemes: schemes, security };
    const hostile = await startAgent(v03, { getExtendedAgentCard: () => card });
    const { operations } = v03;
    const overHttp = await get(hostile, "/v1/card");
    const overRpc = await post(hostile, "/rpc", rpcOf(v03, "GetExtendedAgentCard", {}));
    const overGrpc = await callGrpc(hostile, grpcOf(v03, "GetExtendedAgentCard", {}));
    for (const value of [
      operations.GetExtendedAgentCard.read(overHttp.json),
      operations.GetExtendedAgentCard.decode(overGrpc.messages[0] ?? new Uint8Array()),
      (overRpc.json as { result: unknown }).result,
    ]) {
      const found = value as typeof card;
      expect(Object.keys(found.securitySchemes)).toEqual(names);
      expect(found.securitySchemes.constructor).toEqual(scheme);
      expect(JSON.stringify(found.security)).toBe('[{"__proto__":["a"],"constructor":[]}]');
    }
    const text = JSON.stringify({ message: { ...proto, metadata } });
    expect(((await sendMessage(text)).json as { message: { metadata: object } }).message.metadata).toEqual(metadata);
    expect(hostile.faults).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe.concurrent("a limit beyond int32", () => {
  it.each(["2147483648", "-2147483649", "1e300", "9007199254740993"])(
    "is refused where proto says int32: %s",
    async (limit) => {
      const configured = (message: object): string =>
        `{"message":${JSON.stringify(message)},"configuration":{"historyLength":${limit}}}`;
      expect(refusedFields(await sendMessage(configured(proto)))).toEqual(["configuration.historyLength"]);
      expect(refusedFields(await get(agent, `/v1/tasks/t1?historyLength=${limit}`))).toEqual(["historyLength"]);
      // The schema of the model knows no such limit.
      expect((await sendMessage(configured(model))).json).toEqual(answered);
      const asked = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t1","historyLength":${limit}}}`;
      const overRpc = await post(agent, "/rpc", asked);
      expect(overRpc.json).toMatchObject({ result: { metadata: { historyLength: Number(limit) } } });
    },
  );

  it.each(["1.5", "1e999", "true", "[1]", "{}", '"x"'])(
    "is refused in either dialect where it is none: %s",
    async (limit) => {
      for (const message of [proto, model]) {
        const body = `{"message":${JSON.stringify(message)},"configuration":{"historyLength":${limit}}}`;
        expect(refusedFields(await sendMessage(body))).toEqual(["configuration.historyLength"]);
      }
    },
  );
});
