import { describe, expect, it } from "vitest";
import { A2AClient, restTransport, type Message } from "../../generated/0.3.0/index.js";
import { all } from "../support/everywhere.js";
import { serve } from "../support/http.js";

/** Record of a call that an agent of this test received. */
interface Heard {
  /** HTTP method and path. */
  readonly route: string;
  readonly query: string;
  readonly body: unknown;
}

interface Reply {
  readonly status?: number;
  readonly body: unknown;
}

const task = { kind: "task", id: "t-1", contextId: "c-1", status: { state: "input-required" } };
const [statusUpdate, config] = [
  {
    kind: "status-update",
    taskId: "t-1",
    contextId: "c-1",
    status: { state: "completed" },
    final: true,
  },
  { taskId: "t-1", pushNotificationConfig: { id: "c", url: "https://a.example/" } },
];
const protoTask = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_INPUT_REQUIRED" } };
const protoConfig = {
  name: "tasks/t-1/pushNotificationConfigs/c",
  pushNotificationConfig: { id: "c", url: "https://a.example/" },
};
const protoUpdate = {
  taskId: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_COMPLETED" },
  final: true,
};

const refused: Reply = { status: 400, body: { code: -32602, message: "Invalid parameters" } };
const events = (...list: unknown[]): Reply => ({
  body: list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
});
const userMessage = (text: string): Message => ({
  kind: "message",
  messageId: "m-1",
  role: "user",
  parts: [{ kind: "text", text }],
});
const messageOf = (body: unknown) => (body as { message: Record<string, unknown> }).message;

const unknown: Reply = { status: 404, body: { code: -32601, message: "Method not found" } };
const webhooks = "/v1/tasks/t-1/pushNotificationConfigs";

const modelReplies: Readonly<Record<string, Reply>> = {
  "POST /v1/message:send": { body: task },
  "POST /v1/message:stream": events(task, statusUpdate),
  "POST /v1/tasks/t-1:subscribe": events(task, statusUpdate),
  "GET /v1/tasks/t-1": { body: task },
  "POST /v1/tasks/t-1:cancel": { body: task },
  [`GET ${webhooks}`]: { body: [config] },
  [`POST ${webhooks}`]: { body: config },
  [`GET ${webhooks}/c`]: { body: config },
};

const protoReplies: Readonly<Record<string, Reply>> = {
  "POST /v1/message:send": { body: { task: protoTask } },
  "POST /v1/message:stream": events({ task: protoTask }, { statusUpdate: protoUpdate }),
  "GET /v1/tasks/t-1:subscribe": events({ task: protoTask }, { statusUpdate: protoUpdate }),
  "GET /v1/tasks/t-1": { body: protoTask },
  "POST /v1/tasks/t-1:cancel": { body: protoTask },
  [`GET ${webhooks}`]: { body: { configs: [protoConfig] } },
  [`POST ${webhooks}`]: { body: protoConfig },
  [`GET ${webhooks}/c`]: { body: protoConfig },
};

/** An agent that knows nothing but the JSON of JSON-RPC, over HTTP. */
function modelAgent({ route, body }: Heard) {
  const isModel = !route.includes("message:") || messageOf(body)["kind"] === "message";
  const hasTask =
    route !== `POST ${webhooks}` || (body as { taskId?: string }).taskId !== undefined;
  return isModel && hasTask ? (modelReplies[route] ?? unknown) : refused;
}

/** An agent that knows nothing but ProtoJSON. */
function protoAgent({ route, body }: Heard) {
  const isProto = !route.includes("message:") || Array.isArray(messageOf(body)["content"]);
  return isProto ? (protoReplies[route] ?? unknown) : refused;
}

/** Serves an agent, for a client that speaks HTTP+JSON to it. */
async function play(agent: (heard: Heard) => Reply) {
  const heard: Heard[] = [];
  const { url } = await serve(({ method, url: target, body: text }, response) => {
    const [path = "", query = ""] = (target ?? "").split("?");
    const call = {
      route: `${method} ${path}`,
      query,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
    heard.push(call);
    const { status = 200, body } = agent(call);
    const isStream = typeof body === "string";
    response.writeHead(status, {
      "content-type": isStream ? "text/event-stream" : "application/json",
    });
    response.end(isStream ? body : JSON.stringify(body));
  });
  return { client: new A2AClient({ transport: restTransport(url) }), heard };
}

describe.each([
  ["the JSON of JSON-RPC", modelAgent],
  ["ProtoJSON", protoAgent],
])("an agent that speaks only %s over HTTP", (_what, agent) => {
  it("the agent and a client understand each other in every call", async () => {
    const { client } = await play(agent);
    const named = { id: "t-1", pushNotificationConfigId: "c" };
    expect(await client.sendMessage({ message: userMessage("hi") })).toEqual(task);
    expect(await all(client.sendStreamingMessage({ message: userMessage("hi") }))).toEqual([
      task,
      statusUpdate,
    ]);
    expect(await all(client.subscribeToTask({ id: "t-1" }))).toEqual([task, statusUpdate]);
    expect(await client.getTask({ id: "t-1" })).toEqual(task);
    expect(await client.cancelTask({ id: "t-1" })).toEqual(task);
    expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
    expect(await client.getTaskPushNotificationConfig(named)).toEqual(config);
    expect(await client.listTaskPushNotificationConfigs({ id: "t-1" })).toEqual([config]);
  });
});

describe("a client of 0.3.0 over HTTP+JSON", () => {
  it("the client sends a request only once if the agent accepts ProtoJSON", async () => {
    const { client, heard } = await play(protoAgent);
    await client.sendMessage({
      message: userMessage("one"),
      configuration: { blocking: false, historyLength: 0 },
    });
    expect(heard).toEqual([
      {
        route: "POST /v1/message:send",
        query: "",
        body: {
          message: { messageId: "m-1", role: "ROLE_USER", content: [{ text: "one" }] },
          configuration: { blocking: false, historyLength: 0 },
        },
      },
    ]);
  });

  it("the client subscribes by POST if the agent does not support GET", async () => {
    const { client, heard } = await play(modelAgent);
    await all(client.subscribeToTask({ id: "t-1" }));
    expect(heard.map(({ route }) => route)).toEqual([
      "GET /v1/tasks/t-1:subscribe",
      "POST /v1/tasks/t-1:subscribe",
    ]);
  });
});
