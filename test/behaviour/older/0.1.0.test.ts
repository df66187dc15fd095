import { describe, expect, it } from "vitest";
import {
  connect,
  createAgent,
  jsonRpc,
  Role,
  TaskNotFoundError,
  TaskState,
  type A2AClient,
  type A2AService,
  type AgentCard,
  type Message,
  type Task,
  type TaskPushNotificationConfig,
  type TaskSendParams,
} from "../../../generated/0.1.0/index.js";
import { nodeListener } from "../../../generated/0.1.0/server/node.js";
import { all, refusal } from "../../support/everywhere.js";
import { openPorts } from "../../support/ports.js";
import { call, eventsOf, jsonOf, type RawAnswer } from "../../support/raw.js";

const message: Message = {
  role: Role.User,
  parts: [
    { type: "text", text: "hi" },
    { type: "file", file: { name: "a.bin", bytes: "AAE=" } },
    { type: "data", data: { n: 1 } },
  ],
};

/** Keeps tasks by the ids that callers choose, and gives back what it is sent. */
class Echo implements A2AService {
  readonly #tasks = new Map<string, Task>();
  readonly #webhooks = new Map<string, TaskPushNotificationConfig>();

  sendTask({ id, sessionId, message: { parts } }: TaskSendParams): Task {
    const status = { state: TaskState.Completed };
    const task: Task = { id, ...(sessionId && { sessionId }), status, artifacts: [{ parts, index: 0 }] };
    this.#tasks.set(id, task);
    return task;
  }

  async *sendTaskStreaming(request: TaskSendParams) {
    await Promise.resolve();
    const { id, status, artifacts = [] } = this.sendTask(request);
    yield { id, status: { state: TaskState.Working }, final: false };
    for (const artifact of artifacts) yield { id, artifact };
    yield { id, status, final: true };
  }

  getTask({ id }: { id: string }): Task {
    const task = this.#tasks.get(id);
    if (task === undefined) throw new TaskNotFoundError(undefined, { metadata: { taskId: id } });
    return task;
  }

  cancelTask({ id }: { id: string }): Task {
    return { ...this.getTask({ id }), status: { state: TaskState.Canceled } };
  }

  async *subscribeToTask({ id }: { id: string }) {
    await Promise.resolve();
    yield { id, status: this.getTask({ id }).status, final: true };
  }

  setTaskPushNotification(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
    this.#webhooks.set(config.id, config);
    return config;
  }

  getTaskPushNotification({ id }: { id: string }): TaskPushNotificationConfig {
    const config = this.#webhooks.get(id);
    if (config === undefined) throw new TaskNotFoundError();
    return config;
  }
}

async function play(): Promise<{ url: string; client: A2AClient }> {
  const { http, url } = await openPorts();
  const capabilities = { streaming: true, pushNotifications: true };
  const card: AgentCard = { name: "Echo", url, version: "1", capabilities, skills: [] };
  http.on("request", nodeListener(createAgent({ card, service: new Echo() })));
  return { url, client: await connect(url, { transports: [jsonRpc()] }) };
}

const task = {
  id: "t-1",
  sessionId: "s-1",
  status: { state: "completed" },
  artifacts: [{ parts: message.parts, index: 0 }],
};
const events = [
  { id: "t-1", status: { state: "working" }, final: false },
  { id: "t-1", artifact: { parts: message.parts, index: 0 } },
  { id: "t-1", status: { state: "completed" }, final: true },
];

describe("A2A 0.1.0", () => {
  it("has every operation over JSON-RPC", async () => {
    const { client } = await play();
    const config = { id: "t-1", pushNotificationConfig: { url: "https://a.example/", token: "t" } };
    expect(await client.sendTask({ id: "t-1", sessionId: "s-1", message })).toEqual(task);
    expect(await all(client.sendTaskStreaming({ id: "t-1", sessionId: "s-1", message }))).toEqual(events);
    expect(await client.getTask({ id: "t-1" })).toEqual(task);
    expect(await client.cancelTask({ id: "t-1" })).toMatchObject({ status: { state: "canceled" } });
    expect(await all(client.subscribeToTask({ id: "t-1" }))).toEqual(events.slice(-1));
    expect(await client.setTaskPushNotification(config)).toEqual(config);
    expect(await client.getTaskPushNotification({ id: "t-1" })).toEqual(config);
  });

  it("has its errors as classes, before and within a stream", async () => {
    const { client } = await play();
    const unknown = { name: "TaskNotFoundError", message: "Task not found" };
    expect(await refusal(client.getTask({ id: "none" }))).toEqual(unknown);
    expect(await refusal(all(client.subscribeToTask({ id: "none" })))).toEqual(unknown);
    expect((await refusal(client.sendTask({ id: "t", message: { role: "user", parts: [] } }))).name).toBe(
      "InvalidParamsError",
    );
  });

  it("has its card at agent.json, and nothing at agent-card.json", async () => {
    const { url } = await play();
    expect(await (await fetch(new URL(".well-known/agent.json", url))).json()).toMatchObject({ name: "Echo" });
    expect((await fetch(new URL(".well-known/agent-card.json", url))).ok).toBe(false);
  });

  it("has its methods, states and errors on the wire as they are published", async () => {
    const { url } = await play();
    const rpc = (method: string, params: unknown): Promise<RawAnswer> => call(url, method, params);
    expect(jsonOf(await rpc("tasks/send", { id: "t-1", sessionId: "s-1", message }))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: task,
    });
    const stream = eventsOf(await rpc("tasks/sendSubscribe", { id: "t-1", sessionId: "s-1", message }));
    expect(stream).toEqual(events.map((result) => ({ jsonrpc: "2.0", id: 1, result })));
    expect(jsonOf(await rpc("tasks/get", { id: "t-1" }))).toMatchObject({ result: { id: "t-1" } });
    expect(eventsOf(await rpc("tasks/resubscribe", { id: "none" }))).toMatchObject([{ error: { code: -32001 } }]);
    expect(jsonOf(await rpc("tasks/pushNotification/get", { id: "t" }))).toMatchObject({ error: { code: -32001 } });
    expect(jsonOf(await rpc("message/send", { message }))).toMatchObject({ error: { code: -32601 } });
  });

  it.each([
    ["without parts", { role: "user", parts: [] }, "message.parts"],
    ["of another version", { role: "user", parts: [{ kind: "text", text: "hi" }] }, "message.parts.0.type"],
    ["of another role", { role: "ROLE_USER", parts: message.parts }, "message.role"],
  ])("refuses a message %s, and names the field", async (_what, wrong, field) => {
    const { url } = await play();
    expect(jsonOf(await call(url, "tasks/send", { id: "t", message: wrong }))).toMatchObject({
      error: { code: -32602, data: { details: [{ fieldViolations: [{ field }] }] } },
    });
  });
});
