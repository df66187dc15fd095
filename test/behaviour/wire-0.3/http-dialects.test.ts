import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEchoAgent, type EchoAgent } from "../../../examples/echo-agent-0.3/server.js";
import { fixedEnvironment } from "../../support/environment.js";
import { eventsOf, jsonOf, send, type RawAnswer } from "../../support/raw.js";

let agent: EchoAgent;

beforeAll(async () => {
  agent = await startEchoAgent({ environment: fixedEnvironment() });
});

afterAll(() => agent.close());

const http = (verb: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RawAnswer> =>
  send(verb, new URL(path, agent.url), body, headers);

const protoJson = { messageId: "m-1", role: "ROLE_USER", content: [{ text: "ask Who?" }] };
const model = { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "ask Who?" }] };
const snakeCase = { message_id: "m-1", role: 1, content: [{ text: "ask Who?" }], context_id: null };

/** Starts a task that waits for its user, and gives its id. */
async function pausedTask(): Promise<string> {
  const answer = await http("POST", "v1/message:send", { message: protoJson });
  return (jsonOf(answer) as { task: { id: string } }).task.id;
}

describe("a message over HTTP+JSON", () => {
  it.each([
    ["ProtoJSON", protoJson],
    ["the JSON of JSON-RPC", model],
    ["ProtoJSON with the names and numbers of the proto", snakeCase],
  ])("comes as %s, and is answered in ProtoJSON", async (_what, message) => {
    const answer = await http("POST", "v1/message:send", { message });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    const id = expect.stringMatching(/^id-/) as unknown;
    expect(jsonOf(answer)).toEqual({
      task: {
        id,
        contextId: id,
        status: {
          state: "TASK_STATE_INPUT_REQUIRED",
          timestamp: expect.any(String) as unknown,
          message: { messageId: id, role: "ROLE_AGENT", taskId: id, contextId: id, content: [{ text: "Who?" }] },
        },
        history: [
          { messageId: "m-1", role: "ROLE_USER", taskId: id, contextId: id, content: [{ text: "ask Who?" }] },
          { messageId: id, role: "ROLE_AGENT", taskId: id, contextId: id, content: [{ text: "Who?" }] },
        ],
      },
    });
  });

  it.each([
    [
      "ProtoJSON",
      [{ file: { fileWithUri: "https://a.example/", mimeType: "image/png" } }, { data: { data: { n: 1 } } }],
    ],
    ["the JSON of JSON-RPC", [{ kind: "file", file: { uri: "https://a.example/", mimeType: "image/png" } }, { kind: "data", data: { n: 1 } }]], // prettier-ignore
  ])("has parts of every kind as %s", async (what, parts) => {
    const message = what === "ProtoJSON" ? { ...protoJson, content: parts } : { ...model, parts };
    const { task } = jsonOf(await http("POST", "v1/message:send", { message })) as {
      task: { artifacts: [{ parts: unknown }] };
    };
    expect(task.artifacts[0].parts).toEqual([
      { file: { fileWithUri: "https://a.example/", mimeType: "image/png" } },
      { data: { data: { n: 1 } } },
    ]);
  });

  it.each([
    ["ProtoJSON", { pushNotification: { id: "c", url: "https://a.example/" }, historyLength: 1 }, protoJson],
    [
      "ProtoJSON in snake_case",
      { push_notification: { id: "c", url: "https://a.example/" }, history_length: 1 },
      protoJson,
    ],
    [
      "the JSON of JSON-RPC",
      { pushNotificationConfig: { id: "c", url: "https://a.example/" }, historyLength: 1 },
      model,
    ],
  ])("comes with a configuration as %s", async (_what, configuration, message) => {
    const { task } = jsonOf(await http("POST", "v1/message:send", { message, configuration })) as {
      task: { id: string; history: unknown[] };
    };
    expect(task.history).toHaveLength(1);
    const configs = await http("GET", `v1/tasks/${task.id}/pushNotificationConfigs`);
    const name = `tasks/${task.id}/pushNotificationConfigs/c`;
    expect(jsonOf(configs)).toEqual({
      configs: [{ name, pushNotificationConfig: { id: "c", url: "https://a.example/" } }],
    });
  });

  it("is answered by a wrapped message, and by wrapped events", async () => {
    const message = { ...protoJson, content: [{ text: "message: hi" }] };
    const answer = { message: { role: "ROLE_AGENT", content: [{ text: "hi" }] } };
    expect(jsonOf(await http("POST", "v1/message:send", { message }))).toMatchObject(answer);
    expect(eventsOf(await http("POST", "v1/message:stream", { message }))).toMatchObject([answer]);
    const stream = await http("POST", "v1/message:stream", {
      message: { ...model, parts: [{ kind: "text", text: "hi" }] },
    });
    expect(eventsOf(stream)).toMatchObject([
      { task: { status: { state: "TASK_STATE_SUBMITTED" } } },
      { statusUpdate: { status: { state: "TASK_STATE_WORKING" } } },
      { artifactUpdate: { artifact: { parts: [{ text: "hi" }] }, lastChunk: true } },
      { statusUpdate: { status: { state: "TASK_STATE_COMPLETED" }, final: true } },
    ]);
    expect(stream.text).not.toContain('"kind"');
  });
});

describe("routes over HTTP+JSON", () => {
  it.each(["GET", "POST"])("subscribe by %s", async (verb) => {
    const id = await pausedTask();
    const watching = http(verb, `v1/tasks/${id}:subscribe`);
    // The agent has to see the subscription before the task goes on.
    await new Promise((go) => setTimeout(go, 50));
    await http("POST", "v1/message:send", { message: { ...protoJson, taskId: id, content: [{ text: "blue" }] } });
    expect(eventsOf(await watching)).toMatchObject([
      { task: { id, status: { state: "TASK_STATE_INPUT_REQUIRED" } } },
      { statusUpdate: { taskId: id, status: { state: "TASK_STATE_WORKING" } } },
      { artifactUpdate: { taskId: id, artifact: { parts: [{ text: "blue" }] } } },
      { statusUpdate: { taskId: id, status: { state: "TASK_STATE_COMPLETED" }, final: true } },
    ]);
  });

  it.each(["v1/tasks/{id}/pushNotificationConfigs", "v1/task/{id}/pushNotificationConfigs"])(
    "create webhooks at %s, in both dialects",
    async (route) => {
      const id = await pausedTask();
      const path = route.replace("{id}", id);
      const url = "https://a.example/";
      const name = `tasks/${id}/pushNotificationConfigs/c`;
      const stored = { name, pushNotificationConfig: { id: "c", url } };
      const bodies = [
        { pushNotificationConfig: { id: "c", url } },
        { push_notification_config: { id: "c", url } },
        { name, pushNotificationConfig: { id: "c", url } },
        { taskId: id, pushNotificationConfig: { id: "c", url } },
      ];
      for (const body of bodies) expect(jsonOf(await http("POST", path, body)), JSON.stringify(body)).toEqual(stored);
      const byQuery = await http("POST", `${path}?configId=q`, { pushNotificationConfig: { url } });
      expect(jsonOf(byQuery)).toMatchObject({ name: `tasks/${id}/pushNotificationConfigs/q` });
    },
  );

  it("read, list and delete webhooks", async () => {
    const id = await pausedTask();
    const path = `v1/tasks/${id}/pushNotificationConfigs`;
    await http("POST", path, { pushNotificationConfig: { id: "c", url: "https://a.example/" } });
    const stored = { name: `tasks/${id}/pushNotificationConfigs/c`, pushNotificationConfig: { id: "c" } };
    expect(jsonOf(await http("GET", `${path}/c`))).toMatchObject(stored);
    expect(jsonOf(await http("GET", path))).toMatchObject({ configs: [stored] });
    const deleted = await http("DELETE", `${path}/c`);
    expect([deleted.status, jsonOf(deleted)]).toEqual([200, {}]);
    expect(jsonOf(await http("GET", path))).toEqual({ configs: [] });
    expect((await http("GET", `${path}/c`)).status).toBe(404);
  });

  it("read and cancel a task, with and without a body, and give the card", async () => {
    const id = await pausedTask();
    const read = jsonOf(await http("GET", `v1/tasks/${id}?historyLength=1`));
    expect(read).toMatchObject({ id, history: [{ role: "ROLE_AGENT" }] });
    expect(jsonOf(await http("GET", `v1/tasks/${id}?history_length=1`))).toEqual(read);
    expect(jsonOf(await http("POST", `v1/tasks/${id}:cancel`))).toMatchObject({
      status: { state: "TASK_STATE_CANCELLED" },
    });
    const other = await pausedTask();
    const canceled = await http("POST", `v1/tasks/${other}:cancel`, { name: `tasks/${other}` });
    expect(jsonOf(canceled)).toMatchObject({ id: other, status: { state: "TASK_STATE_CANCELLED" } });
    const third = await pausedTask();
    expect((await http("POST", `v1/tasks/${third}:cancel`, { id: third })).status).toBe(200);
    const card = jsonOf(await http("GET", "v1/card"));
    expect(card).toMatchObject({ name: "Echo agent", preferredTransport: "JSONRPC", protocolVersion: "0.3.0" });
  });
});

describe("errors over HTTP+JSON", () => {
  const refused = async (verb: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await http(verb, path, body, headers);
    return [answer.status, jsonOf(answer)];
  };

  it("have the code of JSON-RPC, a text and data in their body, and a status of HTTP", async () => {
    expect(await refused("GET", "v1/tasks/none")).toEqual([
      404,
      { code: -32001, message: "Task not found", data: { taskId: "none" } },
    ]);
    expect(await refused("GET", "v1/none")).toEqual([501, { code: -32601, message: "Method not found" }]);
    expect(await refused("PUT", "v1/card")).toMatchObject([405, { code: -32601 }]);
    expect(await refused("POST", "v1/message:send", "{")).toMatchObject([400, { code: -32700 }]);
    expect(await refused("POST", "v1/message:send", "{}", { "content-type": "text/plain" })).toMatchObject([
      expect.any(Number),
      { code: -32005 },
    ]);
    const id = await pausedTask();
    await http("POST", `v1/tasks/${id}:cancel`);
    expect(await refused("POST", `v1/tasks/${id}:cancel`)).toMatchObject([400, { code: -32002, data: { taskId: id } }]);
    expect(await refused("GET", `v1/tasks/${id}:subscribe`)).toMatchObject([400, { code: -32004 }]);
    expect(await refused("GET", `v1/tasks/${id}?historyLength=many`)).toMatchObject([400, { code: -32602 }]);
  });

  it("of streams come before the stream begins", async () => {
    const message = { ...protoJson, taskId: "none" };
    const answer = await http("POST", "v1/message:stream", { message }, { accept: "text/event-stream" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(jsonOf(answer)).toMatchObject({ code: -32001 });
  });
});
