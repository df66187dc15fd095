import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { field, messageBytes, numberField } from "./bytes.js";
import { expectAlive } from "./everywhere.js";
import { v03 } from "./subjects.js";
import { callGrpc, type GrpcReply } from "./wire.js";
import { processorTime } from "../support/processor-time.js";

// What protobuf can say and the model of 0.3.0 cannot: unknown enum numbers, and unions with several members or none.

let agent: TestAgent;

beforeAll(async () => {
  agent = await startAgent(v03);
});

afterAll(async () => {
  expect(agent.faults).toEqual([]);
  await expectAlive(agent);
  await stopAgents();
});

const sendBytes = (bytes: Uint8Array): Promise<GrpcReply> => callGrpc(agent, { method: "SendMessage", bytes });
const text = field(1, "hi");
const file = (...members: Uint8Array[]): Buffer => field(2, Buffer.concat(members));
const [uri, bytes, mimeType] = [field(1, "http://a"), field(2, "ab"), field(3, "text/plain")];
const data = field(3, field(1, field(1, Buffer.concat([field(1, "a"), field(2, numberField(1, 0))]))));

/** The parts of the message that comes back. */
async function partsOf(...parts: Uint8Array[]): Promise<unknown> {
  const { code, message, messages } = await sendBytes(messageBytes(v03, ...parts));
  if (code !== 0) return [code, message];
  return (v03.operations.SendMessage.decode(messages[0] ?? new Uint8Array()) as { parts: unknown }).parts;
}

describe.concurrent("a oneof with several members", () => {
  it.each<[string, Uint8Array, object]>([
    ["text, then a file", Buffer.concat([text, file(uri)]), { kind: "file", file: { uri: "http://a" } }],
    ["a file, then text", Buffer.concat([file(uri), text]), { kind: "text", text: "hi" }],
    ["data, then text", Buffer.concat([data, text]), { kind: "text", text: "hi" }],
    ["text, then data", Buffer.concat([text, data]), { kind: "data", data: { a: null } }],
    ["text twice", Buffer.concat([text, field(1, "ho")]), { kind: "text", text: "ho" }],
    ["a file of both", file(uri, bytes), { kind: "file", file: { bytes: "YWI=" } }],
    ["a file of both the other way", file(bytes, uri), { kind: "file", file: { uri: "http://a" } }],
    ["a file in two halves", Buffer.concat([file(mimeType), file(uri)]), { kind: "file", file: { mimeType: "text/plain", uri: "http://a" } }], // prettier-ignore
    [
      "a file in halves that differ",
      Buffer.concat([file(uri), file(bytes)]),
      { kind: "file", file: { bytes: "YWI=" } },
    ],
  ])("has the last one: %s", async (_, part, expected) => {
    expect(await partsOf(part)).toEqual([expected]);
  });
});

describe.concurrent("a union that the model does not have", () => {
  it.each<[string, Uint8Array, string]>([
    ["an empty part", new Uint8Array(), "/message/parts/0/kind"],
    ["a part of an unknown member", field(9, "x"), "/message/parts/0/kind"],
    ["a file of nothing", file(), "/message/parts/0/file"],
    ["a file of a media type", file(mimeType), "/message/parts/0/file"],
    ["data of nothing", field(3, ""), "/message/parts/0/data"],
  ])("is refused with its place: %s", async (_, part, place) => {
    const reply = await sendBytes(messageBytes(v03, part));
    expect([reply.code, v03.grpcError(reply).reason]).toEqual([3, "INVALID_PARAMS"]);
    expect(reply.message).toContain(place);
  });

  it.each<[string, number | bigint]>([
    ["one that nobody knows", 99],
    ["the one for none", 0],
    ["one below 0", -1n],
    ["one beyond int32", 2n ** 31n],
  ])("may be an enum number: %s", async (_, role) => {
    const message = Buffer.concat([field(1, "m1"), numberField(4, role), field(5, text)]);
    const reply = await sendBytes(field(1, message));
    expect([reply.code, v03.grpcError(reply).reason]).toEqual([3, "INVALID_PARAMS"]);
    expect(reply.message).toContain("/message/role");
  });
});

describe.concurrent("bytes of 0.3.0", () => {
  it("are refused wherever they are cut off", async () => {
    const good = messageBytes(v03, text, file(uri, mimeType), data);
    expect((await sendBytes(good)).code).toBe(0);
    const cut = Array.from({ length: good.length - 1 }, (_, index) => good.subarray(0, index + 1));
    const codes = await Promise.all(cut.map(async (part) => (await sendBytes(part)).code));
    expect(new Set(codes)).toEqual(new Set([3]));
  });

  it("may have keys that objects inherit", async () => {
    const entry = (key: string): Buffer => field(1, Buffer.concat([field(1, key), field(2, field(3, "x"))]));
    const keys = ["__proto__", "constructor", "toString"];
    const metadata = field(6, Buffer.concat(keys.map(entry)));
    const message = Buffer.concat([field(1, "m1"), numberField(4, 1), field(5, text), metadata]);
    const { messages } = await sendBytes(field(1, message));
    const answer = v03.operations.SendMessage.decode(messages[0] ?? new Uint8Array()) as { metadata: object };
    expect(Object.entries(answer.metadata)).toEqual(keys.map((key) => [key, "x"]));
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("may hold a great many parts", async () => {
    const started = processorTime();
    expect(await partsOf(...new Array<Uint8Array>(50_000).fill(text))).toHaveLength(50_000);
    const reply = await sendBytes(messageBytes(v03, ...new Array<Uint8Array>(50_000).fill(new Uint8Array())));
    expect([reply.code, reply.message.length < 2000]).toEqual([3, true]);
    expect(processorTime() - started).toBeLessThan(4000);
  });
});
