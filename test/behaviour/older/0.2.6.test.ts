import { describe, expect, it } from "vitest";
import { grpc } from "../../../generated/0.2.6/client/grpc.js";
import {
  connect,
  createAgent,
  jsonRpc,
  MethodNotFoundError,
  rest,
  Role,
  TaskNotFoundError,
  TaskState,
  type A2AClient,
  type A2AService,
  type AgentCard,
  type Message,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
} from "../../../generated/0.2.6/index.js";
import { grpcService } from "../../../generated/0.2.6/server/grpc.js";
import { nodeListener } from "../../../generated/0.2.6/server/node.js";
import { all, refusal } from "../../support/everywhere.js";
import { openPorts } from "../../support/ports.js";
import { call, jsonOf, send } from "../../support/raw.js";

const transports = [
  ["JSONRPC", jsonRpc],
  ["HTTP+JSON", rest],
  ["GRPC", grpc],
] as const;

const message: Message = {
  kind: "message",
  messageId: "m-1",
  role: Role.User,
  parts: [
    { kind: "text", text: "hi" },
    { kind: "file", file: { bytes: "AAE=", mimeType: "image/png" } },
    { kind: "file", file: { uri: "https://a.example/" } },
    { kind: "data", data: { n: 1 } },
  ],
};
const task: Task = {
  kind: "task",
  id: "t-1",
  contextId: "c-1",
  status: { state: TaskState.AuthRequired, timestamp: "2026-01-01T00:00:00Z" },
  history: [message],
};
const events: StreamResponse[] = [
  task,
  { kind: "artifact-update", taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a", parts: message.parts } },
  { kind: "status-update", taskId: "t-1", contextId: "c-1", status: { state: TaskState.Canceled }, final: true },
];
const config: TaskPushNotificationConfig = {
  taskId: "t-1",
  pushNotificationConfig: { id: "c", url: "https://a.example/", authentication: { schemes: ["Basic"] } },
};

function known(id: string): void {
  if (id !== "t-1") throw new TaskNotFoundError(undefined, { metadata: { taskId: id } });
}

/** Knows one task with one webhook. */
const service: A2AService = {
  sendMessage: ({ message: sent }) => (sent.taskId === undefined ? task : { ...sent, role: Role.Agent }),
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
  createTaskPushNotificationConfig: (given) => given,
  getTaskPushNotificationConfig: ({ id }) => ({ ...config, taskId: id }),
  listTaskPushNotificationConfigs: () => [config],
  deleteTaskPushNotificationConfig: ({ id }) => known(id),
};

function cardOf(url: string, grpcUrl: string): AgentCard {
  return {
    protocolVersion: "0.2.6",
    name: "Echo",
    description: "Knows one task",
    url,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { url, transport: "HTTP+JSON" },
      { url: grpcUrl, transport: "GRPC" },
    ],
    version: "1",
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: true,
    security: [{ key: [] }],
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
}

async function play(transport = jsonRpc): Promise<{ url: string; client: A2AClient; card: AgentCard }> {
  const { http, grpc: server, url, grpcUrl } = await openPorts();
  const card = cardOf(url, grpcUrl);
  const agent = createAgent({ card, service: { ...service, getExtendedAgentCard: () => ({ ...card, name: "More" }) } });
  const { definition, implementation } = grpcService(agent);
  server.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  return { url, card, client: await connect(url, { transports: [transport()] }) };
}

describe.each(transports)("A2A 0.2.6 over %s", (binding, transport) => {
  it("has every operation", async () => {
    const { client, card } = await play(transport);
    const named = { id: "t-1", pushNotificationConfigId: "c" };
    expect(await client.sendMessage({ message })).toEqual(task);
    expect(await client.sendMessage({ message: { ...message, taskId: "t-1" } })).toMatchObject({ role: "agent" });
    expect(await all(client.sendStreamingMessage({ message }))).toEqual(events);
    expect(await client.getTask({ id: "t-1" })).toEqual(task);
    expect(await client.cancelTask({ id: "t-1" })).toMatchObject({ status: { state: "canceled" } });
    expect(await all(client.subscribeToTask({ id: "t-1" }))).toEqual(events);
    expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
    expect(await client.getTaskPushNotificationConfig(named)).toEqual(config);
    expect(await client.listTaskPushNotificationConfigs({ id: "t-1" })).toEqual([config]);
    expect(await client.deleteTaskPushNotificationConfig(named)).toBeUndefined();
    // Before 0.3, JSON-RPC has no method for the extended card.
    if (binding === "JSONRPC") await expect(client.getExtendedAgentCard({})).rejects.toThrow("GetAgentCard");
    else expect(await client.getExtendedAgentCard({})).toEqual({ ...card, name: "More" });
    client.close();
  });

  it("has its errors as classes", async () => {
    const { client } = await play(transport);
    const unknown = { name: "TaskNotFoundError", message: "Task not found" };
    expect(await refusal(client.getTask({ id: "none" }))).toEqual(unknown);
    expect(await refusal(all(client.subscribeToTask({ id: "none" })))).toEqual(unknown);
    const wrong = await refusal(client.sendMessage({ message: { ...message, parts: [] } }));
    expect(wrong).toEqual({ name: "InvalidParamsError", message: expect.stringContaining("/message/parts") as string });
    client.close();
  });
});

describe("A2A 0.2.6 on the wire", () => {
  it("has its card at agent.json", async () => {
    const { url, card } = await play();
    expect(await (await fetch(new URL(".well-known/agent.json", url))).json()).toEqual(card);
    expect((await fetch(new URL(".well-known/agent-card.json", url))).ok).toBe(false);
  });

  it("has ProtoJSON over HTTP, and takes the JSON of JSON-RPC", async () => {
    const { url } = await play();
    const answer = {
      task: {
        id: "t-1",
        contextId: "c-1",
        status: { state: "TASK_STATE_AUTH_REQUIRED", timestamp: "2026-01-01T00:00:00Z" },
        history: [
          {
            messageId: "m-1",
            role: "ROLE_USER",
            content: [
              { text: "hi" },
              { file: { fileWithBytes: "AAE=", mimeType: "image/png" } },
              { file: { fileWithUri: "https://a.example/" } },
              { data: { data: { n: 1 } } },
            ],
          },
        ],
      },
    };
    const proto = { messageId: "m-1", role: "ROLE_USER", content: [{ text: "hi" }] };
    // The proto has another name for the message than the schema, and that until 0.3.0 in ProtoJSON too.
    for (const body of [{ message }, { request: proto }]) {
      expect(jsonOf(await send("POST", new URL("v1/message:send", url), body))).toEqual(answer);
    }
  });

  it("has no method for the extended card over JSON-RPC", async () => {
    const { url } = await play();
    const answer = await call(url, "agent/getAuthenticatedExtendedCard");
    expect(jsonOf(answer)).toMatchObject({ error: { code: MethodNotFoundError.row.jsonRpc } });
  });
});
