import { describe, expect, it } from "vitest";
import {
  createAgent,
  type A2AService,
  type AgentCard,
  type ListTasksRequest,
  type SendMessageRequest,
  type Task,
} from "../../../generated/1.0/index.js";
import { fetchHandler } from "../../../generated/1.0/server/fetch.js";
import { Role } from "../../../generated/1.0/models.js";

const task: Task = { id: "t1", contextId: "c1", status: { state: "TASK_STATE_WORKING" } };

/** An agent that answers everything, and what has reached it. */
function agentWith(capabilities: AgentCard["capabilities"], isCardMade = false) {
  const seen: unknown[] = [];
  const answer = <T>(request: unknown, response: T): T => {
    seen.push(request);
    return response;
  };
  const service: A2AService = {
    sendMessage: (request) => answer(request, { task }),
    async *sendStreamingMessage(request) {
      yield await Promise.resolve(answer(request, { task }));
    },
    getTask: (request) => answer(request, task),
    listTasks: (request) => answer(request, { tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 }),
  };
  const card: AgentCard = {
    name: "Agent",
    description: "Answers",
    version: "1",
    supportedInterfaces: [{ url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities,
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const agent = createAgent({ card: isCardMade ? () => Promise.resolve(card) : card, service });
  const handle = fetchHandler(agent, { jsonRpc: { path: "/rpc" }, rest: { path: "/rest" } });
  const headers = { "content-type": "application/json", "a2a-version": "1.0" };
  const json = async (path: string, body?: object): Promise<Answer> => {
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    return (await (await handle(new Request(`http://127.0.0.1${path}`, init))).json()) as Answer;
  };
  const call = (method: string, params: object): Promise<Answer> =>
    json("/rpc", { jsonrpc: "2.0", id: 1, method, params });
  return { seen, json, call };
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

describe("a number with a range", () => {
  it.each<[ListTasksRequest, string | undefined]>([
    [{}, undefined],
    [{ pageSize: 1 }, undefined],
    [{ pageSize: 100, historyLength: 0 }, undefined],
    [{ pageSize: 0 }, "/pageSize expected 1 to 100, got 0"],
    [{ pageSize: 101 }, "/pageSize expected 1 to 100, got 101"],
    [{ pageSize: -1, historyLength: -1 }, "/historyLength expected at least 0, got -1"],
  ])("of %j is refused with %j", async (request, problem) => {
    const { call, json, seen } = agentWith({});
    const query = Object.entries(request).map(([key, value]) => `${key}=${String(value)}`);
    const answers = [await call("ListTasks", request), await json(`/rest/tasks?${query.join("&")}`)];
    if (problem === undefined) {
      expect(answers).toMatchObject([{ result: { tasks: [] } }, { tasks: [] }]);
      expect(seen).toEqual([request, request]);
    } else {
      expect(answers).toMatchObject([{ error: { code: -32602 } }, { error: { code: 400 } }]);
      for (const { error } of answers) expect(error?.message).toContain(problem);
      expect(seen).toEqual([]);
    }
  });

  it("may stand inside of an object", async () => {
    const { call, seen } = agentWith({});
    const message = { messageId: "m", role: Role.User, parts: [{ text: "hi" }] };
    const answer = await call("SendMessage", { message, configuration: { historyLength: -1 } });
    expect(answer.error?.message).toContain("/configuration/historyLength expected at least 0, got -1");
    expect(seen).toEqual([]);
  });
});

describe("a field that takes a capability", () => {
  const message = { messageId: "m", role: Role.User, parts: [{ text: "hi" }] };
  const request: SendMessageRequest = {
    message,
    configuration: { taskPushNotificationConfig: { url: "https://example.org/hook" } },
  };

  it.each([false, true])("is refused where the card does not declare it (made for each caller: %s)", async (isMade) => {
    const { call, json, seen } = agentWith({ streaming: true }, isMade);
    expect(await call("SendMessage", request)).toMatchObject({ error: { code: -32003 } });
    expect(await call("SendStreamingMessage", request)).toMatchObject({ error: { code: -32003 } });
    expect(await json("/rest/message:send", request)).toMatchObject({
      error: { code: 400, details: [{ reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" }] },
    });
    expect(seen).toEqual([]);
  });

  it("reaches the service where the card declares it, and calls without it always do", async () => {
    const declared = agentWith({ pushNotifications: true });
    expect(await declared.call("SendMessage", request)).toMatchObject({ result: { task } });
    const undeclared = agentWith({});
    expect(await undeclared.call("SendMessage", { message, configuration: {} })).toMatchObject({ result: { task } });
    expect([declared.seen, undeclared.seen]).toEqual([[request], [{ message, configuration: {} }]]);
  });
});
