import { JsonRpcTransport } from "a2a-sdk-0.3/client";
import fc, { arbitrary } from "../../support/properties.js";
import { describe, expect, it } from "vitest";
import { acceptLegacy } from "../../../generated/1.0/index.js";
import { documentText, type OpenRpcDocument } from "../documents/documents.js";
import { readSource } from "../../unit/generator/reading.js";
import { Values } from "../../support/random/values.js";
import { findSource } from "../../support/output.js";
import { Ear } from "./agent.js";

const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] } as const;
const present = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };

/** Requests of 0.3 and of the draft of 0.4, and what they are in 1.0. */
const requests: readonly (readonly [what: string, method: string, params: object, request: object])[] = [
  ["a message", "message/send", { message }, { message: present }],
  ["a streamed message", "message/stream", { message }, { message: present }],
  [
    "files",
    "message/send",
    {
      message: {
        ...message,
        parts: [
          { kind: "file", file: { uri: "http://a.example/b", mimeType: "a/b", name: "b" }, metadata: { a: 1 } },
          { kind: "file", file: { bytes: "AQI=" } },
          { file: { fileWithUri: "http://a.example/c", mimeType: "a/b" } },
          { file: { fileWithBytes: "AQI=", name: "c" } },
        ],
      },
    },
    {
      message: {
        ...present,
        parts: [
          { url: "http://a.example/b", mediaType: "a/b", filename: "b", metadata: { a: 1 } },
          { raw: "AQI=" },
          { url: "http://a.example/c", mediaType: "a/b" },
          { raw: "AQI=", filename: "c" },
        ],
      },
    },
  ],
  [
    "data, whatever is in it",
    "message/send",
    { message: { ...message, parts: [{ kind: "data", data: { role: "user", file: { uri: "x" }, blocking: 1 } }] } },
    { message: { ...present, parts: [{ data: { role: "user", file: { uri: "x" }, blocking: 1 } }] } },
  ],
  [
    "a configuration",
    "message/send",
    {
      message,
      configuration: {
        blocking: false,
        pushNotificationConfig: { url: "http://a.example/", authentication: { schemes: ["Bearer"], credentials: "c" } },
      },
    },
    {
      message: present,
      configuration: {
        returnImmediately: true,
        taskPushNotificationConfig: {
          url: "http://a.example/",
          authentication: { scheme: "Bearer", credentials: "c" },
        },
      },
    },
  ],
  ["the id of a task", "tasks/get", { id: "t", historyLength: 2 }, { id: "t", historyLength: 2 }],
  [
    "filters of the draft",
    "tasks/list",
    { status: "input-required", lastUpdatedTime: "2025-01-01T00:00:00Z" },
    { status: "TASK_STATE_INPUT_REQUIRED", statusTimestampAfter: "2025-01-01T00:00:00Z" },
  ],
  [
    "a push configuration",
    "tasks/pushNotificationConfig/set",
    { taskId: "t", pushNotificationConfig: { id: "c", url: "http://a.example/", token: "s" } },
    { taskId: "t", id: "c", url: "http://a.example/", token: "s" },
  ],
  [
    "a push configuration of 0.1",
    "tasks/pushNotification/set",
    { id: "t", pushNotificationConfig: { url: "http://a.example/" } },
    { taskId: "t", url: "http://a.example/" },
  ],
  [
    "the ids of a push configuration",
    "tasks/pushNotificationConfig/get",
    { id: "t", pushNotificationConfigId: "c" },
    { taskId: "t", id: "c" },
  ],
  [
    "the ids of one to delete",
    "tasks/pushNotificationConfig/delete",
    { id: "t", pushNotificationConfigId: "c" },
    { taskId: "t", id: "c" },
  ],
  ["the task of push configurations", "tasks/pushNotificationConfig/list", { id: "t" }, { taskId: "t" }],
];

describe("an agent of 1.0 that accepts old names", () => {
  it.each(requests)("reads %s (%s)", async (_, method, params, request) => {
    const ear = new Ear();
    if (method === "message/stream") {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const init = { method: "POST", body, headers: { "content-type": "application/json" } };
      expect(await (await ear.fetch("http://ear.example/", init)).text()).toContain('"result"');
    } else expect((await ear.call(method, params)).error).toBeUndefined();
    expect(ear.requests).toEqual([request]);
    expect(ear.errors).toEqual([]);
  });

  it("reads old params of a present method too, and present params of an old one", async () => {
    const ear = new Ear();
    await ear.call("SendMessage", { message });
    await ear.call("message/send", { message: present });
    await ear.call("SendMessage", { message: present }, { "a2a-version": "1.0" });
    expect(ear.requests).toEqual([{ message: present }, { message: present }, { message: present }]);
  });

  it("answers in the present form", async () => {
    const { result } = await new Ear().call("message/send", { message });
    expect(result).toEqual({ message: { messageId: "r", role: "ROLE_AGENT", parts: [{ text: "ok" }] } });
  });

  it("takes what the SDK for 0.3 sends", async () => {
    const ear = new Ear();
    const client = new JsonRpcTransport({ endpoint: "http://ear.example/", fetchImpl: ear.fetch });
    await client.sendMessage({ message: { ...message, parts: [...message.parts] }, configuration: { blocking: true } });
    await client.getTask({ id: "t" });
    await client.setTaskPushNotificationConfig({ taskId: "t", pushNotificationConfig: { url: "http://a.example/" } });
    await client.getTaskPushNotificationConfig({ id: "t", pushNotificationConfigId: "c" });
    await client.listTaskPushNotificationConfig({ id: "t" });
    await client.deleteTaskPushNotificationConfig({ id: "t", pushNotificationConfigId: "c" });
    for await (const event of client.sendMessageStream({ message: { ...message, parts: [...message.parts] } }))
      expect(event).toHaveProperty("message");
    expect(ear.requests).toEqual([
      { message: present, configuration: {} },
      { id: "t" },
      { taskId: "t", url: "http://a.example/" },
      { taskId: "t", id: "c" },
      { taskId: "t" },
      { taskId: "t", id: "c" },
      { message: present },
    ]);
  });

  it("leaves every present request as it is", async () => {
    const values = new Values(readSource(findSource("1.0")));
    const [plain, legacy] = [new Ear({}), new Ear()];
    const named = { "a2a-version": "1.0" };
    await fc.assert(
      fc.asyncProperty(
        arbitrary((random) => values.of("SendMessageRequest", random)),
        async (request) => {
          expect(await legacy.call("SendMessage", request, named)).toEqual(
            await plain.call("SendMessage", request, named),
          );
          expect(legacy.requests.pop()).toEqual(plain.requests.pop());
        },
      ),
      { numRuns: 60 },
    );
    expect(legacy.used).toEqual([]);
  });
});

describe("the hook of an agent that accepts old names", () => {
  it("hears of each name once, with what the manifest says about it", async () => {
    const ear = new Ear();
    const configuration = { blocking: true };
    for (let count = 0; count < 3; count++) await ear.call("message/send", { message, configuration });
    expect(ear.used).toEqual([
      { kind: "methods", old: "message/send", now: "SendMessage", since: "1.0.0", until: "2.0.0" },
      { kind: "values", old: "Role.user", now: "Role.ROLE_USER", since: "1.0.0", until: "2.0.0" },
      {
        kind: "properties",
        old: "SendMessageConfiguration.blocking",
        now: "SendMessageConfiguration.returnImmediately",
        since: "1.0.0",
        until: "2.0.0",
        note: "The opposite of it.",
      },
    ]);
  });

  it("counts for each agent by itself", async () => {
    const used: string[] = [];
    const legacy = acceptLegacy({ onUse: ({ old }) => used.push(old) });
    for (const ear of [new Ear({ legacy }), new Ear({ legacy })]) await ear.call("tasks/get", { id: "t" });
    expect(used).toEqual(["tasks/get", "tasks/get"]);
  });

  it("may throw, which is reported and does not harm the request", async () => {
    const fault = new Error("hook");
    const ear = new Ear({
      legacy: acceptLegacy({
        onUse: () => {
          throw fault;
        },
      }),
    });
    expect(await ear.call("tasks/get", { id: "t" })).toHaveProperty("result");
    expect(ear.errors).toEqual([fault]);
  });

  it("hears nothing of callers that are not let in", async () => {
    const used: string[] = [];
    const ear = new Ear({
      legacy: acceptLegacy({ onUse: ({ old }) => used.push(old) }),
      authenticate: () => {
        throw new TypeError("no");
      },
    });
    expect(await ear.call("tasks/get", { id: "t" })).toHaveProperty("error");
    expect(used).toEqual([]);
  });
});

describe("the old methods that the OpenRPC document of 1.0 lists", async () => {
  const document = JSON.parse(await documentText("1.0", "openrpc")) as OpenRpcDocument;
  const methods = document.methods.filter(({ deprecated }) => deprecated === true);
  const samples = new Map<string, unknown>([
    ["message", present],
    ["url", "http://a.example/"],
  ]);

  it("are some, and none that is refused", () => {
    const names = methods.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["message/send", "tasks/pushNotificationConfig/get"]));
    expect(names).not.toContain("tasks/send");
  });

  it.each(methods)("are taken with the params that it names: $name", async ({ name, params }) => {
    const required = params.filter((param) => param.required);
    const given = Object.fromEntries(required.map((param) => [param.name, samples.get(param.name) ?? "t"]));
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: given });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    const text = await (await new Ear().fetch("http://ear.example/", init)).text();
    const unsupported = /"code":-3200[47]/;
    expect(text).toMatch(text.includes('"result"') ? /"result"/ : unsupported);
  });
});
