import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adaptedOutput } from "../../support/adapted.js";
import { call, jsonOf, send } from "../../support/raw.js";
import { startScripted, type Scripted } from "../../support/scripted.js";
import { v03, v1 } from "../interop/dialect.js";
import { messageOf } from "./samples.js";

const old = v03.message(messageOf("x"));
const present = v1.message(messageOf("x"));
const namedBy = (version: string): Record<string, string> =>
  version === "" ? {} : { "a2a-version": version };
const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };

let agent: Scripted;

beforeAll(async () => {
  const { own, adapters } = await adaptedOutput();
  agent = await startScripted("1.0", {
    output: own,
    versions: Object.values(adapters).map((one) => one.served),
  });
});
beforeEach(() => {
  agent.request = undefined;
});
afterAll(() => agent.close());

/**
 * The response of an agent that serves 0.2, 0.3, 1.0 and 1.1 to a call: its error in the form of
 * 1.0 or of earlier versions.
 */
type Row = [
  version: string,
  method: string,
  params: object,
  code: number,
  form: "old" | "present",
  says: string,
];

const unserved = "is not supported: the agent serves";
const none = "The path is unknown in version";
const unnamed = "without the header A2A-Version, a call has version";
const serves = "the agent serves 1.0, 0.2, 0.3, 1.1; JSON-RPC is served at the path /";
const configured = (authentication: object): object => ({
  message: old,
  configuration: { pushNotificationConfig: { url: "https://example.org", authentication } },
});

describe("requests over JSON-RPC that are refused", () => {
  it.each<Row>([
    [
      "1.0",
      "message/send",
      { message: old },
      -32601,
      "present",
      "message/send is a method of 0.2, 0.3, not of 1.0",
    ],
    [
      "1.1",
      "tasks/get",
      { id: "t" },
      -32601,
      "present",
      "tasks/get is a method of 0.2, 0.3, not of 1.1",
    ],
    [
      "0.3",
      "SendMessage",
      { message: present },
      -32601,
      "old",
      "SendMessage is a method of 1.0, 1.1, not of 0.3",
    ],
    ["", "SendMessage", { message: present }, -32601, "old", `${unnamed} 0.3`],
    ["0.3", "tasks/list", {}, -32601, "old", "tasks/list is not a method of 1.0, 0.2, 0.3, 1.1"],
    [
      "",
      "message/send",
      { message: present },
      -32602,
      "old",
      '/message/role expected Role (agent, user), got "ROLE_USER"',
    ],
    ["1.0", "SendMessage", { message: old }, -32602, "present", 'ROLE_AGENT), got "user"'],
    [
      "9.9",
      "SendMessage",
      { message: present },
      -32009,
      "present",
      `Version 9.9 ${unserved} 1.0, 0.2, 0.3, 1.1`,
    ],
    ["9.9", "message/send", { message: old }, -32009, "present", `Version 9.9 ${unserved}`],
    ["2.0", "talk", {}, -32009, "present", `Version 2.0 ${unserved}`],
    [
      "constructor",
      "SendMessage",
      { message: present },
      -32009,
      "present",
      `Version constructor ${unserved}`,
    ],
    [
      "0.3, 1.0",
      "message/send",
      { message: old },
      -32009,
      "present",
      `Version 0.3, 1.0 ${unserved}`,
    ],
    // Values that the version of the agent cannot represent.
    [
      "",
      "tasks/get",
      { id: "t", historyLength: 1e300 },
      -32602,
      "old",
      "TaskQueryParams of version 1.0: /historyLength",
    ],
    [
      ...(["", "message/send"] as const),
      { message: { ...old, parts: [{ kind: "file", file: { uri: "u", bytes: "AA==" } }] } },
      ...([-32602, "old", "expected exactly one of text, raw, url, data"] as const),
    ],
  ])(
    "a request of version %j for %s is refused with %j",
    async (version, method, params, code, form, says) => {
      agent.response = { task };
      const answer = await call(agent.url, method, params, namedBy(version));
      const { error } = jsonOf(answer) as {
        error: { code: number; message: string; data?: unknown };
      };
      expect([answer.status, error.code]).toEqual([200, code]);
      expect(error.message).toContain(says);
      // Since 1.0 errors have a list of details.
      expect(Array.isArray(error.data)).toBe(form === "present");
      expect(agent.request).toBeUndefined();
    },
  );

  it("a request that is nested too deeply is refused, and keys that objects inherit are plain keys", async () => {
    agent.response = { task };
    const sent = (metadata: string): Promise<{ text: string }> =>
      send(
        "POST",
        agent.url,
        `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":${JSON.stringify(old).slice(0, -1)},"metadata":${metadata}}}}`,
      );
    const deep = await sent(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
    expect([deep.text.includes("-32602"), agent.request]).toEqual([true, undefined]);
    const metadata = '{"__proto__":{"polluted":true},"constructor":{"a":1},"toString":[]}';
    expect((await sent(metadata)).text).toContain('"state":"working"');
    expect(
      JSON.stringify((agent.request as { message: { metadata: object } }).message.metadata),
    ).toBe(metadata);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("requests over HTTP+JSON that are refused", () => {
  it.each([
    ["0.3", "GET", "tasks/t", 404, "application/json", { code: -32601 }],
    ["", "POST", "message:send", 404, "application/json", { code: -32601 }],
    [
      "",
      "POST",
      "v1/tasks/t",
      405,
      "application/json",
      { code: -32601, message: "The path only supports GET" },
    ],
    ["", "GET", "v1/tasks/t?historyLength=x", 400, "application/json", { code: -32602 }],
    [
      "",
      "GET",
      "nowhere",
      404,
      "application/json",
      { message: `${none} 0.3; ${unnamed} 0.3; ${serves}` },
    ],
    [
      "1.0",
      "GET",
      "v1/nowhere",
      404,
      "application/a2a+json",
      { error: { status: "NOT_FOUND", message: `${none} 1.0; ${serves}` } },
    ],
    [
      "",
      "GET",
      "nowhere?A2A-Version=1.0",
      404,
      "application/a2a+json",
      { error: { status: "NOT_FOUND" } },
    ],
    [
      "9.9",
      "GET",
      "tasks/t",
      400,
      "application/a2a+json",
      { error: { message: expect.stringContaining(unserved) as unknown } },
    ],
    [
      "2.0",
      "GET",
      "a/b/c/d",
      400,
      "application/a2a+json",
      { error: { message: expect.stringContaining(unserved) as unknown } },
    ],
  ])(
    "a request of version %j is refused: %s %s",
    async (version, verb, path, status, type, body) => {
      const given = verb === "POST" ? { message: present } : undefined;
      const answer = await send(verb, new URL(`./${path}`, agent.url), given, namedBy(version));
      expect([answer.status, answer.headers.get("content-type")]).toEqual([status, type]);
      expect(jsonOf(answer)).toMatchObject(body);
      expect(agent.request).toBeUndefined();
    },
  );
});

it("a response that the caller's version cannot represent causes an error and is never sent in part", async () => {
  const status = { ...task.status, message: { ...present, role: "ROLE_UNSPECIFIED" } };
  agent.response = { ...task, status };
  const { error } = jsonOf(await call(agent.url, "tasks/get", { id: "t" })) as {
    error?: { code: number };
  };
  expect(error?.code).toBe(-32006);
  agent.response = [{ task }, { statusUpdate: { taskId: "t", contextId: "c", status } }];
  const { text } = await call(agent.url, "tasks/resubscribe", { id: "t" });
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  expect(events).toHaveLength(2);
  expect(events[1]).toContain('"error":{"code":-32006');
});

describe("a webhook of 0.3 without a scheme", () => {
  const seen = () => agent.request;
  const webhook = { configuration: { taskPushNotificationConfig: { url: "https://example.org" } } };
  const none = "configuration.taskPushNotificationConfig.authentication";

  it.each([{ schemes: [] }, { schemes: [], credentials: "c" }])(
    "the webhook has no authentication in 1.0: %j",
    async (given) => {
      agent.response = { task };
      await call(agent.url, "message/send", configured(given), namedBy("0.3"));
      expect(seen()).toMatchObject(webhook);
      expect(seen()).not.toHaveProperty(none);
    },
  );

  it.each([{}, { schemes: [] }])(
    "the webhook has no authentication in 1.0 if it is sent over HTTP+JSON: %j",
    async (given) => {
      agent.response = { task };
      const message = { messageId: "m", role: "ROLE_USER", content: [{ text: "x" }] };
      const configuration = {
        pushNotification: { url: "https://example.org", authentication: given },
      };
      await send(
        "POST",
        new URL("./v1/message:send", agent.url),
        { message, configuration },
        namedBy("0.3"),
      );
      expect(seen()).toMatchObject(webhook);
      expect(seen()).not.toHaveProperty(none);
    },
  );
});
