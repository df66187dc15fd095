import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEchoAgent, type EchoAgent } from "../../../examples/echo-agent-0.3/server.js";
import { fixedEnvironment } from "../../support/environment.js";
import { call, eventsOf, jsonOf, send, type RawAnswer } from "../../support/raw.js";

let agent: EchoAgent;

beforeAll(async () => {
  agent = await startEchoAgent({ environment: fixedEnvironment() });
});

afterAll(() => agent.close());

const rpc = (method: string, params?: unknown): Promise<RawAnswer> => call(agent.url, method, params);
const message = { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "hi" }] };

describe("results over JSON-RPC", () => {
  it("are bare: a task, a message, a list, null", async () => {
    const sent = jsonOf(await rpc("message/send", { message })) as { result: { id: string } };
    expect(sent).toMatchObject({ jsonrpc: "2.0", id: 1, result: { kind: "task", status: { state: "completed" } } });
    const quick = { message: { ...message, parts: [{ kind: "text", text: "message: hi" }] } };
    expect(jsonOf(await rpc("message/send", quick))).toMatchObject({ result: { kind: "message", role: "agent" } });
    const { id } = sent.result;
    expect(jsonOf(await rpc("tasks/get", { id }))).toMatchObject({ result: { kind: "task", id } });
    expect(jsonOf(await rpc("tasks/pushNotificationConfig/list", { id }))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: [],
    });
    const deleted = await rpc("tasks/pushNotificationConfig/delete", { id, pushNotificationConfigId: "none" });
    expect(jsonOf(deleted)).toEqual({ jsonrpc: "2.0", id: 1, result: null });
    expect(jsonOf(await rpc("agent/getAuthenticatedExtendedCard"))).toMatchObject({ result: { name: "Echo agent" } });
  });

  it("of a stream come one by one, each in a response of its own", async () => {
    const events = eventsOf(await rpc("message/stream", { message }));
    expect(events).toMatchObject([
      { jsonrpc: "2.0", id: 1, result: { kind: "task" } },
      { jsonrpc: "2.0", id: 1, result: { kind: "status-update", final: false } },
      { jsonrpc: "2.0", id: 1, result: { kind: "artifact-update" } },
      { jsonrpc: "2.0", id: 1, result: { kind: "status-update", final: true } },
    ]);
  });

  it("read the names of JSON in snake_case, and leave out what is null", async () => {
    const { kind, role, parts } = message;
    const snakeCase = { kind, role, parts, message_id: "m-9", context_id: "talk", task_id: null };
    const answer = jsonOf(await rpc("message/send", { message: snakeCase, configuration: { history_length: 1 } }));
    expect(answer).toMatchObject({ result: { contextId: "talk", history: [{ messageId: "m-9", contextId: "talk" }] } });
  });

  it("give the oldest webhook where a request names none", async () => {
    const { result } = jsonOf(await rpc("message/send", { message })) as { result: { id: string } };
    for (const id of ["a", "b"]) {
      const pushNotificationConfig = { id, url: "https://a.example/" };
      await rpc("tasks/pushNotificationConfig/set", { taskId: result.id, pushNotificationConfig });
    }
    const read = jsonOf(await rpc("tasks/pushNotificationConfig/get", { id: result.id }));
    expect(read).toMatchObject({ result: { taskId: result.id, pushNotificationConfig: { id: "a" } } });
  });
});

describe("errors over JSON-RPC", () => {
  it.each([
    ["tasks/get", { id: "none" }, -32001],
    ["tasks/cancel", { id: "none" }, -32001],
    ["tasks/none", {}, -32601],
    ["message/send", {}, -32602],
    ["tasks/get", [], -32602],
    ["tasks/list", {}, -32601],
    ["SendMessage", { message }, -32601],
  ])("come with HTTP status 200: %s %j", async (method, params, code) => {
    const answer = await rpc(method, params);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(jsonOf(answer)).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code, message: /./ } });
  });

  it.each([
    ["{", -32700],
    ["[]", -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"tasks/get"}', -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"tasks/get"}]', -32600],
  ])("come for what is no request: %s", async (body, code) => {
    const answer = await send("POST", agent.url, body);
    expect([answer.status, jsonOf(answer)]).toMatchObject([200, { error: { code } }]);
  });

  it("carry data as they are, without types", async () => {
    expect(jsonOf(await rpc("tasks/get", { id: "none" }))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32001, message: "Task not found", data: { taskId: "none" } },
    });
  });

  it.each([
    ["message/stream", { message: { ...message, taskId: "none" } }, -32001],
    ["message/stream", { message: { ...message, parts: [] } }, -32602],
    ["message/stream", {}, -32602],
    ["tasks/resubscribe", { id: "none" }, -32001],
  ])("of a stream are its only event: %s %j", async (method, params, code) => {
    const answer = await rpc(method, params);
    expect(answer.status).toBe(200);
    expect(eventsOf(answer)).toMatchObject([{ jsonrpc: "2.0", id: 1, error: { code } }]);
  });
});
