import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents, type TestAgent } from "./agent.js";
import { eventsOf, everywhere, expectAlive } from "./everywhere.js";
import type { Body, Subject } from "./subject.js";
import { subjects, v10 } from "./subjects.js";
import { callGrpc, get, post, rest, rpcOf } from "./wire.js";

const deepList = `${"[".repeat(10_000)}1${"]".repeat(10_000)}`;
const deepObject = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;

/** A request to send a message, as text, one member of which is replaced. */
function withMember({ samples: { message } }: Subject, key: string, value: string): string {
  return JSON.stringify({ message: { ...message, [key]: "@@" } }).replace('"@@"', value);
}

/** A request to send a message, as text, with a configuration. */
function configured({ samples: { message } }: Subject, configuration: string): string {
  return `{"message":${JSON.stringify(message)},"configuration":${configuration}}`;
}

/** Values that are wrong in each version, and the field that an error names. */
const common = (subject: Subject): [string, string, string][] => [
  ["a number for text", withMember(subject, "messageId", "7"), "message.messageId"],
  ["a list for text", withMember(subject, "messageId", '["m1"]'), "message.messageId"],
  ["an enum value that is none", withMember(subject, "role", '"ROLE_ADMIN"'), "message.role"],
  ["a number of no enum value", withMember(subject, "role", "9"), "message.role"],
  ["an inherited name as enum value", withMember(subject, "role", '"constructor"'), "message.role"],
  ["an object for a list", withMember(subject, "parts", '{"0":{"text":"a"}}'), "message.parts"],
  ["text for a list", withMember(subject, "parts", '"text"'), "message.parts"],
  ["null in a list", withMember(subject, "parts", "[null]"), "message.parts.0"],
  ["a list for an object", withMember(subject, "metadata", "[]"), "message.metadata"],
  ["a number beyond the doubles", withMember(subject, "metadata", '{"a":1e999}'), "message.metadata"],
  ["metadata nested deep", withMember(subject, "metadata", deepObject), "message.metadata"],
  ["an id nested deep", withMember(subject, "messageId", deepList), "message.messageId"],
  ["a limit that is a fraction", configured(subject, '{"historyLength":1.5}'), "configuration.historyLength"],
];

const own: Readonly<Record<string, (subject: Subject) => [string, string, string][]>> = {
  "1.0": (subject) => [
    ["an empty message", '{"message":{}}', "message.role"],
    ["a message nested deep", `{"message":${deepObject}}`, "message.messageId"],
    ["a limit beyond int32", configured(subject, '{"historyLength":2147483648}'), "configuration.historyLength"],
    [
      "a webhook without url",
      configured(subject, '{"taskPushNotificationConfig":{}}'),
      "configuration.taskPushNotificationConfig.url",
    ],
    ["a lower-case enum value", withMember(subject, "role", '"user"'), "message.role"],
    ["an empty part", withMember(subject, "parts", '[{"text":"a"},{}]'), "message.parts.1"],
    ["two members of a oneof", withMember(subject, "parts", '[{"text":"a","url":"b"}]'), "message.parts.0"],
    ["both names of a field", withMember(subject, "message_id", '"m1"'), "message"],
    ["base64 that is none", withMember(subject, "parts", '[{"raw":"a*b="}]'), "message.parts.0.raw"],
    ["data nested deep", withMember(subject, "parts", `[{"data":${deepList}}]`), "message.parts.0.data"],
  ],
  "0.3.0": (subject) => [
    ["a webhook without url", configured(subject, '{"pushNotificationConfig":{}}'), "configuration.pushNotificationConfig.url"], // prettier-ignore
    ["a kind that there is not", withMember(subject, "parts", '[{"kind":"x","text":"a"}]'), "message.parts.0.kind"],
    ["the kind of another", withMember(subject, "parts", '[{"kind":"file","text":"a"}]'), "message.parts.0.file"],
    ["no kind", withMember(subject, "parts", '[{"kind":"text","text":"a"},{}]'), "message.parts.1.kind"],
    ["a list of kinds", withMember(subject, "parts", '[{"kind":["text"],"text":"a"}]'), "message.parts.0.kind"],
    ["data nested deep", withMember(subject, "parts", `[{"kind":"data","data":${deepObject}}]`), "message.parts.0.data"], // prettier-ignore
    ["data that is a list", withMember(subject, "parts", '[{"kind":"data","data":[1]}]'), "message.parts.0.data"],
    ["a kind nested deep", withMember(subject, "parts", `[{"kind":${deepList}}]`), "message.parts.0.kind"],
  ],
};

describe.each(subjects)("A2A $version", (subject) => {
  const { samples, answers, base, operations } = subject;
  const { message } = samples;
  let agent: TestAgent;

  beforeAll(async () => {
    agent = await startAgent(subject);
  });

  afterEach(async () => {
    expect(agent.faults).toEqual([]);
    await expectAlive(agent);
  });

  afterAll(stopAgents);

  const overJsonRpc = (params: string, more = "") =>
    post(
      agent,
      "/rpc",
      `{"jsonrpc":"2.0","id":1,"method":"${operations.SendMessage.jsonRpc}",${more}"params":${params}}`,
    );

  describe("a request with values of the wrong kind", () => {
    it.each([...common(subject), ...(own[subject.version]?.(subject) ?? [])])(
      "names the field, the same on both HTTP bindings: %s",
      async (_, request, field) => {
        const [overRpc, overRest] = await Promise.all([
          overJsonRpc(request),
          post(agent, `${base}/message:send`, request),
        ]);
        const { error = {} } = overRpc.json as { error?: Body };
        expect([error["code"], overRest.status]).toEqual([-32602, 400]);
        const told = subject.httpError(overRest.json);
        expect(told).toEqual(subject.rpcError(error, 200));
        expect(told?.fields).toContain(field);
        expect(overRest.text).not.toMatch(/\.ts:|\.js:|RangeError|TypeError/);
      },
    );
  });

  describe("keys that objects inherit", () => {
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then"];
    const hostile = `{${names.map((name) => `"${name}":{"polluted":true,"get":1}`).join(",")}}`;

    it("mean nothing where fields are expected, and stay data in metadata", async () => {
      const metadata: unknown = JSON.parse(hostile);
      const extra = hostile.slice(1, -1);
      const text = JSON.stringify({ ...message, metadata }).replace(/}$/, `,${extra}}`);
      for (const request of [`{"message":${text}}`, `{${extra},"message":${text},"configuration":${hostile}}`]) {
        const overRpc = await overJsonRpc(request, `${extra},`);
        const overRest = await post(agent, `${base}/message:send`, request);
        const expected = JSON.stringify(answers.message({ ...message, metadata }));
        expect(sorted((overRpc.json as { result: unknown }).result)).toEqual(sorted(JSON.parse(expected)));
        expect(sorted(operations.SendMessage.read(overRest.json))).toEqual(sorted(JSON.parse(expected)));
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as Body)["polluted"]).toBeUndefined();
    });

    it("arrive the same over every transport", async () => {
      const metadata = JSON.parse(hostile) as object;
      const { value } = await everywhere(agent, "SendMessage", { message: { ...message, metadata } });
      expect(sorted(value)).toEqual(sorted(answers.message({ ...message, metadata })));
    });

    it("are no parameters of a query", async () => {
      const query = names.map((name) => `${name}=1&${name}.polluted=1&tenant.${name}=1&name.${name}=1`).join("&");
      for (const path of [`${base}/tasks/t1:cancel?${query}`, `${base}/tasks/t1/pushNotificationConfigs?${query}`]) {
        const reply = await post(agent, path, path.includes(":") ? "{}" : restWebhook());
        expect([path, reply.status]).toEqual([path, 200]);
      }
      expect((await get(agent, `${base}/tasks/t1?${query}`)).json).toMatchObject({ id: "t1" });
      expect(({} as Body)["polluted"]).toBeUndefined();
    });

    const restWebhook = (): unknown => operations.CreateTaskPushNotificationConfig.place(samples.webhook).body;
  });

  describe("a value that only one side could lose", () => {
    it.each<[string, string]>([
      ["lone surrogates in JSON", "\ud800"],
      ["null bytes", "a\0b"],
      ["line separators", "a\u2028\r\n\n\ndata: b"],
      ["emoji", "😀".repeat(100)],
    ])("passes through a stream unharmed: %s", async (_, text) => {
      const parts = [samples.textPart(text)];
      const reply = await rest(agent, "SendStreamingMessage", { message: { ...message, parts } });
      expect(reply.text).toMatch(/^(?:data: [^\r\n]+\n\n){3}$/);
      const event = operations.SendStreamingMessage.read(eventsOf(reply.text)[1]);
      expect(JSON.stringify(event)).toContain(JSON.stringify({ parts }).slice(1, -1));
    });

    it("is refused by gRPC where bytes are no request", async () => {
      for (const bytes of [[0xff, 0xff, 0xff], [0x12, 0x7f, 0x00], [0x00], [0x0a, 0x02, 0xff, 0xfe, 0x07]]) {
        const reply = await callGrpc(agent, { method: "SendMessage", bytes: Uint8Array.from(bytes) });
        expect([reply.code, subject.grpcError(reply).reason]).toEqual([3, "INVALID_PARAMS"]);
      }
    });
  });
});

/** Objects as lists of entries, so that keys such as `__proto__` are compared too, and order is not. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, member]) => [key, sorted(member)]);
}

describe("names in snake_case in version 1.0", () => {
  afterAll(stopAgents);

  const snake = {
    message: {
      message_id: "m1",
      role: 1,
      parts: [{ text: "hi", media_type: "text/plain" }],
      reference_task_ids: ["t0"],
    },
    configuration: { return_immediately: true, accepted_output_modes: [], history_length: null },
  };
  const camel = {
    message: {
      messageId: "m1",
      role: "ROLE_USER",
      parts: [{ text: "hi", mediaType: "text/plain" }],
      referenceTaskIds: ["t0"],
    },
  };

  it("are taken on both HTTP bindings, and never given", async () => {
    const agent = await startAgent(v10);
    expect((await post(agent, "/rpc", rpcOf(v10, "SendMessage", snake))).json).toMatchObject({ result: camel });
    expect((await post(agent, "/message:send", snake)).json).toEqual(camel);
  });

  it("are taken in queries", async () => {
    const agent = await startAgent(v10);
    const query = "context_id=c9&page_size=7&include_artifacts=true&status=TASK_STATE_WORKING";
    const params = { context_id: "c9", page_size: "7" };
    const { json } = await post(agent, "/rpc", { jsonrpc: "2.0", id: 1, method: "ListTasks", params });
    expect(json).toMatchObject({ result: { pageSize: 7, tasks: [{ metadata: { contextId: "c9" } }] } });
    expect((await get(agent, `/tasks?${query}`)).json).toMatchObject({
      pageSize: 7,
      tasks: [{ metadata: { contextId: "c9", includeArtifacts: true, status: "TASK_STATE_WORKING" } }],
    });
  });
});
