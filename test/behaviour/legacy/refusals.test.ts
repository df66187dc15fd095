import fc from "../../support/properties.js";
import { describe, expect, it } from "vitest";
import { acceptLegacy as acceptLegacy03, createAgent as createAgent03 } from "../../../generated/0.3.0/index.js";
import { fetchHandler as fetchHandler03 } from "../../../generated/0.3.0/server/fetch.js";
import { Ear, type Answer } from "./agent.js";

const present = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };
const message = { ...present, role: "user" };

const fieldsOf = ({ error }: Answer): unknown =>
  JSON.parse(JSON.stringify(error?.data ?? null), (key, value: unknown) => (key === "@type" ? undefined : value));

describe("an agent that does not accept old names", () => {
  it("knows none of them", async () => {
    const ear = new Ear({});
    const named = { "a2a-version": "1.0" };
    expect((await ear.call("message/send", { message: present }, named)).error?.code).toBe(-32601);
    expect((await ear.call("SendMessage", { message }, named)).error?.code).toBe(-32602);
    expect((await ear.call("SendMessage", { message: present })).error?.code).toBe(-32009);
    expect(ear.requests).toEqual([]);
  });
});

describe("an agent that accepts old names", () => {
  it("refuses methods whose params say something else, and says what they are called now", async () => {
    const ear = new Ear();
    const { error } = await ear.call("tasks/send", { id: "t", message });
    expect(error).toMatchObject({
      code: -32601,
      message: "tasks/send is SendMessage since 1.0.0, which takes other params",
    });
    expect((await ear.call("tasks/nope", {})).error?.code).toBe(-32601);
    expect(ear.requests).toEqual([]);
  });

  const configuration = (members: object): object => ({ message, configuration: members });
  const part = (members: object): object => ({ message: { ...message, parts: [members] } });
  const both = { schemes: ["a", "b"] };
  const ids = "tasks/pushNotificationConfig/get";
  it.each<[string, unknown, string, string?]>([
    [
      "both names of a property",
      configuration({ blocking: true, returnImmediately: false }),
      "/configuration expected either returnImmediately or blocking, got an object",
    ],
    [
      "no boolean to negate",
      configuration({ blocking: "yes" }),
      "/configuration expected a boolean in blocking, the opposite of returnImmediately, got an object",
    ],
    [
      "several in place of one",
      configuration({ pushNotificationConfig: { url: "u", authentication: both } }),
      "/configuration/taskPushNotificationConfig/authentication expected a list of one element in schemes, now scheme, got an object",
    ],
    [
      "a property that is elsewhere now",
      { message, historyLength: 1 },
      "/ expected SendMessageConfiguration.historyLength in place of TaskSendParams.historyLength, got an object",
    ],
    ["an id that may be either one's", { id: "c", taskId: "t" }, "/ expected either taskId or id, got an object", ids],
    ["no id", { id: "t" }, "/id expected string, got nothing", ids],
    [
      "two kinds of content",
      part({ text: "a", file: { uri: "u" } }),
      "/message/parts/0 expected exactly one of text, raw, url, data, got an object",
    ],
    [
      "two files in one",
      part({ file: { uri: "u", fileWithUri: "v" } }),
      "/message/parts/0 expected either url or file.fileWithUri, got an object",
    ],
    ["a role of no version", { message: { ...message, role: "USER" } }, "/message/role"],
    ["no params", [], "The params of a request are an object"],
  ])("refuses %s", async (_, params, description, method = "message/send") => {
    const ear = new Ear();
    const answer = await ear.call(method, params);
    expect(answer.error?.code).toBe(-32602);
    const details = fieldsOf(answer) as readonly { readonly fieldViolations?: readonly Record<string, string>[] }[];
    const [violation] = details.flatMap(({ fieldViolations = [] }) => fieldViolations);
    const [, pointer = ""] = /^\/(\S*)/.exec(description) ?? [];
    expect(violation?.["field"]).toBe(pointer.replaceAll("/", "."));
    expect(violation?.["description"]).toContain(description);
    expect([ear.requests, ear.errors]).toEqual([[], []]);
  });

  it.each(["1.0", "0.4", "0.3", "0.3.0", "0.2", "0.1", ""])("takes calls that name version %j", async (version) => {
    const answer = await new Ear().call("tasks/get", { id: "t" }, { "a2a-version": version });
    expect(answer).toHaveProperty("result");
  });

  it.each(["1.1", "2.0", "10.0", "0.x", "-1.0", "zero"])("refuses calls that name version %j", async (version) => {
    const answer = await new Ear().call("tasks/get", { id: "t" }, { "a2a-version": version });
    expect(answer.error?.code).toBe(-32009);
  });

  it("refuses earlier versions where old names are not accepted, as over HTTP+JSON, which has none", async () => {
    const headers = { "a2a-version": "0.3" };
    expect((await new Ear({}).call("GetTask", { id: "t" }, headers)).error?.code).toBe(-32009);
    expect((await new Ear().fetch("http://ear.example/tasks/t", { headers })).status).toBe(400);
  });
});

describe("hostile requests to an agent that accepts old names", () => {
  const hostile = [
    '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"__proto__":{"message":{}}}}',
    '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"__proto__","parts":[{"file":{"__proto__":{"uri":"u"}}}]}}}',
    '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"constructor","parts":[{"file":[{"uri":"u"}]}]}}}',
    '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"configuration":{"__proto__":{"blocking":true}}}}',
  ];

  it.each(hostile)("%s is refused", async (body) => {
    const ear = new Ear();
    expect([-32601, -32602]).toContain((await ear.send(body)).error?.code);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(ear.requests).toEqual([]);
    expect(ear.errors).toEqual([]);
  });

  it("survives lists in lists beyond any depth", async () => {
    const ear = new Ear();
    const depth = 5000;
    const parts = "[".repeat(depth) + "]".repeat(depth);
    const answer = await ear.send(
      `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":${parts}}}}`,
    );
    expect(answer.error?.code).toBe(-32602);
    expect(ear.errors).toEqual([]);
  });

  it("gets nothing but answers, whatever the params are", async () => {
    const key = fc.constantFrom(
      ...["message", "role", "parts", "file", "uri", "bytes", "kind", "configuration", "blocking", "schemes"],
      ...["pushNotificationConfig", "authentication", "id", "taskId", "url", "__proto__", "constructor", "text"],
    );
    const leaf = fc.constantFrom<unknown>("user", "ROLE_USER", "x", "", 0, true, null);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        leaf,
        fc.array(tie("tree"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc
        .array(fc.tuple(key, tie("tree")), { maxLength: 5 })
        .map(
          (entries) =>
            JSON.parse(
              `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
            ) as object,
        ),
    }));
    const method = fc.constantFrom("message/send", "SendMessage", "tasks/pushNotificationConfig/get", "tasks/list");
    const ear = new Ear();
    await fc.assert(
      fc.asyncProperty(method, tree, async (name, params) => {
        const { error } = await ear.call(name, params);
        expect([undefined, -32602]).toContain(error?.code);
      }),
      { numRuns: 300 },
    );
    expect(ear.errors).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe("an agent of 0.3 that accepts old names", () => {
  const card = {
    name: "Ear",
    description: "Listens.",
    protocolVersion: "0.3.0",
    version: "1.0.0",
    url: "http://ear.example/",
    capabilities: { pushNotifications: true },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  };
  const requests: unknown[] = [];
  const agent = createAgent03({
    card,
    legacy: acceptLegacy03(),
    service: {
      sendMessage: (request) => {
        requests.push(request);
        return { kind: "message", messageId: "r", role: "agent", parts: [] };
      },
      createTaskPushNotificationConfig: (request) => {
        requests.push(request);
        return request;
      },
    },
  });
  const handler = fetchHandler03(agent);
  const call = async (method: string, params: object): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    return (await (await handler(new Request("http://ear.example/", init))).json()) as Answer;
  };

  it("tells the members of a union apart by the old name of their constant", async () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "file", file: { uri: "u" } },
      { kind: "data", data: {} },
    ];
    const base = { kind: "message", messageId: "m", role: "user" };
    expect((await call("message/send", { message: { ...base, parts } })).error).toBeUndefined();
    await call("tasks/pushNotification/set", { id: "t", pushNotificationConfig: { url: "http://u/" } });
    const read = [
      { kind: "text", text: "a" },
      { kind: "file", file: { uri: "u" } },
      { kind: "data", data: {} },
    ];
    expect(requests).toEqual([
      { message: { ...base, parts: read } },
      { taskId: "t", pushNotificationConfig: { url: "http://u/" } },
    ]);
    const both = [{ type: "text", kind: "text", text: "a" }];
    expect((await call("message/send", { message: { ...base, parts: both } })).error?.code).toBe(-32602);
  });
});
