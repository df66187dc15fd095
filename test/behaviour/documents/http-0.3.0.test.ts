import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bearerTokens } from "../../../examples/echo-agent-0.3/auth.js";
import { startEchoAgent, type EchoAgent } from "../../../examples/echo-agent-0.3/server.js";
import { jsonOf } from "../../support/raw.js";
import { openApiOf } from "./documents.js";
import { DocumentedApi, type Saying } from "./exchange.js";

let agent: EchoAgent;
let api: DocumentedApi;

const headers = { authorization: "Bearer secret" };

beforeAll(async () => {
  const authenticate = bearerTokens(new Map([["secret", "owner"]]));
  agent = await startEchoAgent({ authenticate, push: { onError: () => undefined } });
  api = new DocumentedApi(await openApiOf("0.3.0"), agent.url);
});

afterAll(async () => {
  await agent.close();
});

/** What travels in either form: the ProtoJSON of the proto, and the JSON of the schema. */
const forms = {
  ProtoJSON: {
    send: (text: string) => ({
      message: { messageId: "m-1", role: "ROLE_USER", content: [{ text }, { file: { fileWithBytes: "AA==" } }] },
      configuration: { acceptedOutputModes: ["text/plain"], blocking: false },
    }),
    webhook: {
      pushNotificationConfig: { id: "w-1", url: "http://127.0.0.1:9/hook", authentication: { schemes: ["Bearer"] } },
    },
    nothing: {},
  },
  "the JSON of the schema": {
    send: (text: string) => ({
      message: {
        kind: "message",
        messageId: "m-1",
        role: "user",
        parts: [
          { kind: "text", text },
          { kind: "file", file: { bytes: "AA==" } },
        ],
      },
      configuration: { acceptedOutputModes: ["text/plain"], blocking: false },
    }),
    webhook: { pushNotificationConfig: { id: "w-1", url: "http://127.0.0.1:9/hook" } },
    nothing: { metadata: { why: "test" } },
  },
} as const;

/** Starts a task and gives its id. */
async function newTask(text: string): Promise<string> {
  const { answer } = await api.call("sendMessage", { body: forms.ProtoJSON.send(text), headers });
  return (jsonOf(answer) as { task: { id: string } }).task.id;
}

/** How to come by a request for each operation, by its id. */
function sayings({
  send,
  webhook,
  nothing,
}: (typeof forms)[keyof typeof forms]): Record<string, () => Promise<Saying> | Saying> {
  const asked = newTask("ask who?");
  const on = async (text: string, more: Saying = {}): Promise<Saying> => {
    return { ...more, values: { taskId: await newTask(text), ...more.values } };
  };
  const config = async (): Promise<Saying> => ({
    values: { taskId: await asked, pushNotificationConfigId: "w-1" },
  });
  const create = async (): Promise<Saying> => ({ values: { taskId: await asked, configId: "w-1" }, body: webhook });
  return {
    sendMessage: () => ({ body: send("hello there") }),
    sendStreamingMessage: () => ({ body: send("one two three") }),
    getTask: () => on("hello", { values: { historyLength: "1" } }),
    cancelTask: () => on("ask what?", { body: nothing }),
    subscribeToTask: () => on("slow 30 one two three"),
    subscribeToTaskByPost: () => on("slow 30 one two three", { body: nothing }),
    createTaskPushNotificationConfigAlternative: create,
    createTaskPushNotificationConfig: create,
    getTaskPushNotificationConfig: config,
    listTaskPushNotificationConfigs: async () => ({ values: { taskId: await asked } }),
    deleteTaskPushNotificationConfig: config,
    getExtendedAgentCard: () => ({}),
    discoverAgentCard: () => ({}),
  };
}

describe("an agent of 0.3.0 over HTTP+JSON", () => {
  it.each(Object.entries(forms))("takes %s and gives ProtoJSON, as the document says", async (_, form) => {
    const all = sayings(form);
    expect(Object.keys(all).toSorted()).toEqual(api.operations.map(({ operationId }) => operationId).toSorted());
    for (const [id, make] of Object.entries(all)) {
      const { answer, problems } = await api.call(id, { ...(await make()), headers });
      expect([id, answer.status, problems]).toEqual([id, 200, []]);
    }
  });

  it.each([
    ["getTask", 404, { values: { taskId: "nothing" } }],
    ["cancelTask", 404, { values: { taskId: "nothing" }, body: {} }],
    ["sendMessage", 400, { body: { message: { messageId: "m-1", role: "ROLE_USER", content: [] } } }],
    ["sendMessage", 400, { body: "{" }],
    ["sendMessage", 401, { body: {}, headers: { authorization: "Bearer wrong" } }],
    ["sendMessage", 413, { body: `"${"x".repeat(10 * 1024 * 1024)}"` }],
  ] as const)("refuses %s with %i as the document says", async (id, status, saying) => {
    const { answer, problems } = await api.say(id, saying);
    expect([answer.status, problems]).toEqual([status, []]);
  });

  it("is told not to send what is neither", () => {
    const wrong = { message: { messageId: "m-1", role: "user", content: [{ text: "x" }] } };
    expect(api.requestProblems(api.operation("sendMessage"), { body: wrong })).not.toEqual([]);
    expect(api.requestProblems(api.operation("sendMessage"), {})).not.toEqual([]);
  });
});
