import { describe, expect, it } from "vitest";
import { grpc } from "../../../generated/0.4-draft/client/grpc.js";
import {
  connect,
  createAgent,
  jsonRpc,
  rest,
  Role,
  TaskNotCancelableError,
  TaskNotFoundError,
  TaskState,
  type A2AClient,
  type A2AService,
  type AgentCard,
  type Message,
  type StreamResponse,
  type Task,
} from "../../../generated/0.4-draft/index.js";
import { grpcService } from "../../../generated/0.4-draft/server/grpc.js";
import { nodeListener } from "../../../generated/0.4-draft/server/node.js";
import { all, refusal } from "../../support/everywhere.js";
import { openPorts } from "../../support/ports.js";
import { call, eventsOf, jsonOf, send } from "../../support/raw.js";

const transports = [
  ["JSONRPC", jsonRpc],
  ["HTTP+JSON", rest],
  ["GRPC", grpc],
] as const;

const message: Message = {
  messageId: "m-1",
  role: Role.User,
  parts: [
    { text: "hi", metadata: { lang: "en" } },
    { file: { fileWithBytes: "AAE=", mimeType: "image/png", name: "a.png" } },
    { data: { data: { n: 1 } } },
  ],
};
const task: Task = {
  id: "t-1",
  contextId: "c-1",
  status: { state: TaskState.InputRequired, timestamp: "2026-01-01T00:00:00Z" },
  history: [message],
};
const events: StreamResponse[] = [
  { task },
  { artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: { artifactId: "a", parts: message.parts ?? [] } } },
  { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: TaskState.Canceled }, final: true } },
];
const config = {
  name: "tasks/t-1/pushNotificationConfigs/c",
  pushNotificationConfig: { id: "c", url: "https://a.example/" },
};

function known(name: string | undefined): void {
  if (name !== "tasks/t-1") throw new TaskNotFoundError(undefined, { metadata: { taskId: name ?? "" } });
}

/** Knows one task with one webhook. `seen` gets what requests ask for. */
function serviceOf(seen: unknown[]): A2AService {
  return {
    sendMessage({ message: sent }) {
      seen.push(sent.role);
      return sent.taskId === undefined ? { task } : { message: { ...sent, role: Role.Agent } };
    },
    async *sendStreamingMessage() {
      await Promise.resolve();
      yield* events;
    },
    getTask({ name }) {
      known(name);
      return task;
    },
    listTasks(request) {
      seen.push(request.status);
      return { tasks: [task], nextPageToken: "", totalSize: 1 };
    },
    cancelTask({ name }) {
      known(name);
      throw new TaskNotCancelableError(undefined, { metadata: { taskId: "t-1" } });
    },
    async *subscribeToTask({ name }) {
      await Promise.resolve();
      known(name);
      yield* events;
    },
    createTaskPushNotificationConfig(request) {
      known(request.parent);
      seen.push(request.configId);
      return config;
    },
    getTaskPushNotificationConfig: ({ name = "" }) => ({ ...config, name }),
    listTaskPushNotificationConfigs({ parent }) {
      known(parent);
      return { configs: [config] };
    },
    deleteTaskPushNotificationConfig: () => undefined,
  };
}

interface Scene {
  readonly url: string;
  readonly client: A2AClient;
  readonly card: AgentCard;
  readonly seen: unknown[];
}

async function play(transport = jsonRpc): Promise<Scene> {
  const { http, grpc: server, url, grpcUrl } = await openPorts();
  const card: AgentCard = {
    protocolVersion: "0.4",
    name: "Echo",
    url,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { url, transport: "HTTP+JSON" },
      { url: grpcUrl, transport: "GRPC" },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: true,
  };
  const seen: unknown[] = [];
  const service = { ...serviceOf(seen), getExtendedAgentCard: () => ({ ...card, name: "More" }) };
  const agent = createAgent({ card, service });
  const { definition, implementation } = grpcService(agent);
  server.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  return { url, card, seen, client: await connect(url, { transports: [transport()] }) };
}

describe.each(transports)("the draft of A2A 0.4 over %s", (_binding, transport) => {
  it("has every operation", async () => {
    const { client, card, seen } = await play(transport);
    const [name, webhook] = ["tasks/t-1", { name: config.name }];
    expect(await client.sendMessage({ message })).toEqual({ task });
    expect(await client.sendMessage({ message: { ...message, taskId: "t-1" } })).toMatchObject({
      message: { role: "ROLE_AGENT" },
    });
    expect(await all(client.sendStreamingMessage({ message }))).toEqual(events);
    expect(await client.getTask({ name })).toEqual(task);
    expect(await client.listTasks({ status: TaskState.Working })).toMatchObject({ tasks: [task], totalSize: 1 });
    expect(await refusal(client.cancelTask({ name }))).toMatchObject({ name: "TaskNotCancelableError" });
    expect(await all(client.subscribeToTask({ name }))).toEqual(events);
    expect(await client.createTaskPushNotificationConfig({ parent: name, configId: "c", config })).toEqual(config);
    expect(await client.getTaskPushNotificationConfig(webhook)).toEqual(config);
    expect((await client.listTaskPushNotificationConfigs({ parent: name })).configs).toEqual([config]);
    expect(await client.deleteTaskPushNotificationConfig(webhook)).toBeUndefined();
    expect(await client.getExtendedAgentCard({})).toEqual({ ...card, name: "More" });
    expect(seen).toEqual(["ROLE_USER", "ROLE_USER", "TASK_STATE_WORKING", "c"]);
    client.close();
  });

  it("has its errors as classes", async () => {
    const { client } = await play(transport);
    expect((await refusal(client.getTask({ name: "tasks/none" }))).name).toBe("TaskNotFoundError");
    expect((await refusal(all(client.subscribeToTask({ name: "tasks/none" })))).name).toBe("TaskNotFoundError");
    expect((await refusal(client.sendMessage({ message: { ...message, parts: [] } }))).name).toBe("InvalidParamsError");
    client.close();
  });
});

describe("enum values of the draft", () => {
  const old = { messageId: "m-1", role: "user", parts: [{ text: "hi" }] };

  it("are taken as examples spell them, and answered as the proto names them", async () => {
    const { url, seen } = await play();
    const answers = [
      await call(url, "message/send", { message: old }),
      await send("POST", new URL("v1/message:send", url), { message: old }),
    ];
    for (const answer of answers) {
      expect(answer.text).toContain('"TASK_STATE_INPUT_REQUIRED"');
      expect(answer.text).toContain('"ROLE_USER"');
    }
    await call(url, "tasks/list", { status: "input-required" });
    await send("GET", new URL("v1/tasks?status=input-required", url));
    expect(seen).toEqual(["ROLE_USER", "ROLE_USER", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_INPUT_REQUIRED"]);
  });

  it("are refused where they are none, and the field named", async () => {
    const { url } = await play();
    const refused = await call(url, "message/send", { message: { ...old, role: "USER" } });
    expect(jsonOf(refused)).toMatchObject({
      error: { code: -32602, data: { details: [{ fieldViolations: [{ field: "message.role" }] }] } },
    });
  });

  it("are read by the client as examples spell them", async () => {
    const body = JSON.stringify({ task: { ...task, status: { state: "input-required" }, history: [old] } });
    const answer = (): Promise<Response> =>
      Promise.resolve(new Response(body, { headers: { "content-type": "application/json" } }));
    const card = { url: "http://127.0.0.1:9", preferredTransport: "HTTP+JSON" };
    const client = await connect(card, { transports: [rest({ fetch: answer })] });
    const { task: read } = await client.sendMessage({ message });
    expect(read).toMatchObject({ status: { state: TaskState.InputRequired }, history: [{ role: Role.User }] });
  });
});

describe("the draft of A2A 0.4 on the wire", () => {
  it("has errors with names over HTTP", async () => {
    const { url } = await play();
    const refused = async (verb: string, path: string, body?: unknown): Promise<unknown[]> => {
      const answer = await send(verb, new URL(path, url), body);
      return [answer.status, jsonOf(answer)];
    };
    expect(await refused("GET", "v1/tasks/none")).toEqual([
      404,
      { error: { code: "TASK_NOT_FOUND", message: "Task not found", details: { taskId: "tasks/none" } } },
    ]);
    expect(await refused("POST", "v1/tasks/t-1:cancel")).toEqual([
      409,
      { error: { code: "TASK_NOT_CANCELABLE", message: expect.any(String) as string, details: { taskId: "t-1" } } },
    ]);
    expect(await refused("POST", "v1/message:send", {})).toMatchObject([
      400,
      { error: { code: expect.any(String) as string } },
    ]);
  });

  it("has plain errors over JSON-RPC, those of streams as their only event", async () => {
    const { url } = await play();
    expect(jsonOf(await call(url, "tasks/get", { name: "tasks/none" }))).toMatchObject({
      error: { code: -32001, message: "Task not found", data: { taskId: "tasks/none" } },
    });
    const stream = await call(url, "tasks/resubscribe", { name: "tasks/none" });
    expect([stream.status, eventsOf(stream)]).toMatchObject([200, [{ error: { code: -32001 } }]]);
  });

  it.each([
    ["GET", "subscribe"],
    ["POST", "subscribe"],
    ["POST", "resubscribe"],
  ])("subscribes by %s to :%s", async (verb, action) => {
    const { url } = await play();
    const answer = await send(verb, new URL(`v1/tasks/t-1:${action}`, url));
    expect(eventsOf(answer)).toEqual(JSON.parse(JSON.stringify(events)));
  });

  it("has its card at agent-card.json", async () => {
    const { url, card } = await play();
    expect(await (await fetch(new URL(".well-known/agent-card.json", url))).json()).toEqual(card);
  });
});
