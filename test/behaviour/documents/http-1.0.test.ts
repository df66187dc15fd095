import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bearerTokens } from "../../../examples/echo-agent/auth.js";
import { startEchoAgent, type EchoAgent } from "../../../examples/echo-agent/server.js";
import { jsonOf } from "../../support/raw.js";
import { openApiOf } from "./documents.js";
import { DocumentedApi, type Saying } from "./exchange.js";

let agent: EchoAgent;
let api: DocumentedApi;

const message = (text: string) => ({ messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] });

beforeAll(async () => {
  const authenticate = bearerTokens(new Map([["secret", "owner"]]));
  agent = await startEchoAgent({ authenticate, push: { onError: () => undefined } });
  api = new DocumentedApi(await openApiOf("1.0"), agent.url);
});

afterAll(async () => {
  await agent.close();
});

/** Starts a task, in the space of a tenant if there is one, and gives its id. */
async function newTask(text: string, tenant: object): Promise<string> {
  const body = { message: message(text), configuration: { returnImmediately: true }, ...tenant };
  const { answer } = await api.call("sendMessage", { body, headers: { authorization: "Bearer secret" } });
  return (jsonOf(answer) as { task: { id: string } }).task.id;
}

/** How to come by a request for each operation, by the id of its first route. */
function sayings(tenant: object): Record<string, () => Promise<Saying> | Saying> {
  const on = async (text: string): Promise<Record<string, string>> => ({ id: await newTask(text, tenant) });
  const asked = newTask("ask who?", tenant);
  const config = async (): Promise<Saying> => ({ values: { taskId: await asked, id: "w-1" } });
  const webhook = { url: "http://127.0.0.1:9/hook", id: "w-1", authentication: { scheme: "Bearer", credentials: "x" } };
  const filter = { status: "TASK_STATE_COMPLETED", statusTimestampAfter: "2026-01-01T00:00:00Z" };
  return {
    sendMessage: () => ({
      body: { message: message("hello"), configuration: { historyLength: 1 }, metadata: { a: [1] } },
    }),
    sendStreamingMessage: () => ({ body: { message: message("one two three") } }),
    getTask: async () => ({ values: { ...(await on("hello")), historyLength: "1" } }),
    listTasks: () => ({ values: { ...filter, pageSize: "2", includeArtifacts: "true" } }),
    cancelTask: async () => ({ values: await on("ask what?"), body: { metadata: { why: "test" } } }),
    subscribeToTask: async () => ({ values: await on("slow 30 one two three") }),
    createTaskPushNotificationConfig: async () => ({ values: { taskId: await asked }, body: webhook }),
    getTaskPushNotificationConfig: config,
    listTaskPushNotificationConfigs: async () => ({ values: { taskId: await asked } }),
    deleteTaskPushNotificationConfig: config,
    getExtendedAgentCard: () => ({}),
    discoverAgentCard: () => ({}),
  };
}

describe("an agent of 1.0 over HTTP+JSON", () => {
  it.each(["", "ForTenant", "ByPost", "ForTenantByPost"])("takes and gives what the document says, %s", async (way) => {
    const tenant = way.startsWith("ForTenant") ? { tenant: "t-1" } : {};
    const headers = { authorization: "Bearer secret", "a2a-extensions": "urn:a,urn:b" };
    for (const [id, make] of Object.entries(sayings(tenant))) {
      if (!api.operations.some(({ operationId }) => operationId === id + way)) continue;
      const { values = {}, body } = await make();
      const saying = { values: { ...values, ...tenant }, headers, ...(body === undefined ? {} : { body }) };
      const { answer, problems } = await api.call(id + way, saying);
      expect([id + way, answer.status, problems]).toEqual([id + way, 200, []]);
    }
  });

  it("has answered all of them", () => {
    const ids = api.operations.map(({ operationId }) => operationId);
    const answered = ids.filter((id) => api.answered.has(`${id} 200`));
    expect(answered).toEqual(ids);
    expect(answered.length).toBeGreaterThan(20);
  });

  it.each([
    ["getTask", 404, { values: { id: "nothing" } }],
    ["subscribeToTask", 404, { values: { id: "nothing" } }],
    ["sendStreamingMessage", 400, { body: { message: { parts: [] } } }],
    ["sendMessage", 400, { body: "{" }],
    ["sendMessage", 400, { body: "text", headers: { "content-type": "text/plain" } }],
    ["listTasks", 400, { values: { pageSize: "1000" } }],
    ["getTask", 400, { values: { id: "nothing" }, headers: { "a2a-version": "0.3" } }],
    ["getTask", 401, { values: { id: "nothing" }, headers: { authorization: "Bearer wrong" } }],
    ["sendMessage", 413, { body: `"${"x".repeat(10 * 1024 * 1024)}"` }],
  ] as const)("refuses %s with %i as the document says", async (id, status, saying) => {
    const { answer, problems } = await api.say(id, saying);
    expect([answer.status, problems]).toEqual([status, []]);
    if (status === 401) expect(answer.headers.get("www-authenticate")).not.toBeNull();
  });

  it("says that the card is still the same", async () => {
    const { answer } = await api.call("discoverAgentCard");
    const again = await api.call("discoverAgentCard", {
      headers: { "if-none-match": answer.headers.get("etag") ?? "" },
    });
    expect([again.answer.status, again.problems]).toEqual([304, []]);
  });
});

describe("the check of answers", () => {
  it.each([
    ["a status", { status: 304 }],
    ["a media type", { headers: new Headers({ "content-type": "application/json" }) }],
    ["a body", { text: '{"id":1,"status":{"state":"TASK_STATE_WORKING"}}' }],
    ["a state", { text: '{"id":"1","status":{"state":"working"}}' }],
  ])("sees that %s is wrong", (_, wrong) => {
    const right = {
      status: 200,
      headers: new Headers({ "content-type": "application/a2a+json" }),
      text: '{"id":"1","status":{"state":"TASK_STATE_WORKING"}}',
    };
    expect(api.answerProblems(api.operation("getTask"), right)).toEqual([]);
    expect(api.answerProblems(api.operation("getTask"), { ...right, ...wrong })).not.toEqual([]);
  });
});
