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
  type MessageSendParams,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
} from "../../../generated/0.2.1/index.js";
import { nodeListener } from "../../../generated/0.2.1/server/node.js";
import { all, refusal } from "../../support/everywhere.js";
import { openPorts } from "../../support/ports.js";
import { call, eventsOf, jsonOf, type RawAnswer } from "../../support/raw.js";

const message: Message = {
  kind: "message",
  messageId: "m-1",
  role: Role.User,
  parts: [
    { kind: "text", text: "hi" },
    { kind: "file", file: { name: "a.bin", bytes: "AAE=" } },
    { kind: "file", file: { uri: "https://a.example/" } },
    { kind: "data", data: { n: 1 } },
  ],
};
const task: Task = {
  kind: "task",
  id: "t-1",
  contextId: "c-1",
  status: { state: TaskState.InputRequired },
  history: [message],
};
const events: StreamResponse[] = [
  task,
  { kind: "artifact-update", taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a", parts: message.parts } },
  { kind: "status-update", taskId: "t-1", contextId: "c-1", status: { state: TaskState.Completed }, final: true },
];

function known(id: string): void {
  if (id !== "t-1") throw new TaskNotFoundError(undefined, { metadata: { taskId: id } });
}

/** Knows one task. */
const service: A2AService = {
  sendMessage: ({ message: sent }: MessageSendParams) =>
    sent.taskId === undefined ? task : { ...sent, role: "agent" },
  async *sendStreamingMessage() {
    await Promise.resolve();
    yield* events;
  },
  getTask({ id }) {
    known(id);
    return task;
  },
  cancelTask({ id }) {
    known(id);
    return { ...task, status: { state: TaskState.Canceled } };
  },
  async *subscribeToTask({ id }) {
    await Promise.resolve();
    known(id);
    yield* events;
  },
  createTaskPushNotificationConfig: (config) => config,
  getTaskPushNotificationConfig: ({ id }): TaskPushNotificationConfig => ({
    taskId: id,
    pushNotificationConfig: { url: "https://a.example/" },
  }),
};

async function play(): Promise<{ url: string; client: A2AClient }> {
  const { http, url } = await openPorts();
  const card: AgentCard = {
    name: "Echo",
    description: "Knows one task",
    url,
    version: "1",
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  };
  http.on("request", nodeListener(createAgent({ card, service })));
  return { url, client: await connect(url, { transports: [jsonRpc()] }) };
}

describe("A2A 0.2.1", () => {
  it("has every operation over JSON-RPC", async () => {
    const { client } = await play();
    const config = { taskId: "t-1", pushNotificationConfig: { url: "https://a.example/" } };
    expect(await client.sendMessage({ message })).toEqual(task);
    expect(await client.sendMessage({ message: { ...message, taskId: "t-1" } })).toMatchObject({ role: "agent" });
    expect(await all(client.sendStreamingMessage({ message }))).toEqual(events);
    expect(await client.getTask({ id: "t-1" })).toEqual(task);
    expect(await client.cancelTask({ id: "t-1" })).toMatchObject({ status: { state: "canceled" } });
    expect(await all(client.subscribeToTask({ id: "t-1" }))).toEqual(events);
    expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
    expect(await client.getTaskPushNotificationConfig({ id: "t-1" })).toEqual(config);
  });

  it("has its errors as classes", async () => {
    const { client } = await play();
    const unknown = { name: "TaskNotFoundError", message: "Task not found" };
    expect(await refusal(client.getTask({ id: "none" }))).toEqual(unknown);
    expect(await refusal(all(client.subscribeToTask({ id: "none" })))).toEqual(unknown);
    const wrong = { message: { ...message, parts: [] } };
    expect((await refusal(client.sendMessage(wrong))).name).toBe("InvalidParamsError");
  });

  it("has its card at agent.json, and its methods on the wire as they are published", async () => {
    const { url } = await play();
    const rpc = (method: string, params: unknown): Promise<RawAnswer> => call(url, method, params);
    expect(await (await fetch(new URL(".well-known/agent.json", url))).json()).toMatchObject({ name: "Echo" });
    expect(jsonOf(await rpc("message/send", { message }))).toEqual({ jsonrpc: "2.0", id: 1, result: task });
    expect(eventsOf(await rpc("message/stream", { message }))).toHaveLength(3);
    expect(eventsOf(await rpc("tasks/resubscribe", { id: "none" }))).toMatchObject([{ error: { code: -32001 } }]);
    const get = await rpc("tasks/pushNotificationConfig/get", { id: "t-1" });
    expect(jsonOf(get)).toMatchObject({ result: { taskId: "t-1" } });
    expect(jsonOf(await rpc("tasks/send", { id: "t", message }))).toMatchObject({ error: { code: -32601 } });
  });
});
