import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, rest, type A2AClient, type AgentCard } from "../../../generated/0.3.0/index.js";
import { all, refusal } from "../../support/everywhere.js";
import { userMessage } from "./sample.js";

/** What an agent of this test hears of a call. */
interface Heard {
  /** The verb and the path. */
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
  { kind: "status-update", taskId: "t-1", contextId: "c-1", status: { state: "completed" }, final: true },
  { taskId: "t-1", pushNotificationConfig: { id: "c", url: "https://a.example/" } },
];
const protoTask = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_INPUT_REQUIRED" } };
const protoConfig = {
  name: "tasks/t-1/pushNotificationConfigs/c",
  pushNotificationConfig: { id: "c", url: "https://a.example/" },
};
const protoUpdate = { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" }, final: true };

const refused: Reply = { status: 400, body: { code: -32602, message: "Invalid parameters" } };
const events = (...list: unknown[]): Reply => ({
  body: list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
});
const messageOf = (body: unknown): Record<string, unknown> => (body as { message: Record<string, unknown> }).message;

/** An agent that knows nothing but the JSON of JSON-RPC, over HTTP. */
function modelAgent({ route, body }: Heard): Reply {
  if (body !== undefined && route.includes("message:") && messageOf(body)["kind"] !== "message") return refused;
  if (route === "POST /v1/message:send") return { body: task };
  if (route === "POST /v1/message:stream") return events(task, statusUpdate);
  if (route === "POST /v1/tasks/t-1:subscribe") return events(task, statusUpdate);
  if (route === "GET /v1/tasks/t-1" || route === "POST /v1/tasks/t-1:cancel") return { body: task };
  if (route === "GET /v1/tasks/t-1/pushNotificationConfigs") return { body: [config] };
  if (route === "POST /v1/tasks/t-1/pushNotificationConfigs") {
    return (body as { taskId?: string }).taskId === undefined ? refused : { body: config };
  }
  if (route === "GET /v1/tasks/t-1/pushNotificationConfigs/c") return { body: config };
  return { status: 404, body: { code: -32601, message: "Method not found" } };
}

/** An agent that knows nothing but ProtoJSON. */
function protoAgent({ route, body }: Heard): Reply {
  if (route.includes("message:") && !Array.isArray(messageOf(body)["content"])) return refused;
  if (route === "POST /v1/message:send") return { body: { task: protoTask } };
  if (route === "POST /v1/message:stream" || route === "GET /v1/tasks/t-1:subscribe") {
    return events({ task: protoTask }, { statusUpdate: protoUpdate });
  }
  if (route === "GET /v1/tasks/t-1" || route === "POST /v1/tasks/t-1:cancel") return { body: protoTask };
  if (route === "GET /v1/tasks/t-1/pushNotificationConfigs") return { body: { configs: [protoConfig] } };
  if (route.endsWith("/pushNotificationConfigs/c") || route.endsWith("/pushNotificationConfigs")) {
    return { body: protoConfig };
  }
  return { status: 404, body: { code: -32601, message: "Method not found" } };
}

/** Serves an agent, and connects a client that speaks HTTP+JSON to it. */
async function play(agent: (heard: Heard) => Reply): Promise<{ client: A2AClient; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const [path = "", query = ""] = (request.url ?? "").split("?");
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      const call = { route: `${request.method} ${path}`, query, body };
      heard.push(call);
      const { status = 200, body: answer } = agent(call);
      const isStream = typeof answer === "string";
      response.writeHead(status, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(isStream ? answer : JSON.stringify(answer));
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const card: AgentCard = {
    protocolVersion: "0.3.0",
    name: "Peer",
    description: "Written by hand",
    version: "1",
    url,
    preferredTransport: "HTTP+JSON",
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  };
  return { client: await connect(card, { transports: [rest()] }), heard };
}

describe.each([
  ["the JSON of JSON-RPC", modelAgent],
  ["ProtoJSON", protoAgent],
])("an agent that speaks only %s over HTTP", (_what, agent) => {
  it("understands every call, and is understood", async () => {
    const { client } = await play(agent);
    const named = { id: "t-1", pushNotificationConfigId: "c" };
    expect(await client.sendMessage({ message: userMessage("hi") })).toEqual(task);
    expect(await all(client.sendStreamingMessage({ message: userMessage("hi") }))).toEqual([task, statusUpdate]);
    expect(await all(client.subscribeToTask({ id: "t-1" }))).toEqual([task, statusUpdate]);
    expect(await client.getTask({ id: "t-1" })).toEqual(task);
    expect(await client.cancelTask({ id: "t-1" })).toEqual(task);
    expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
    expect(await client.getTaskPushNotificationConfig(named)).toEqual(config);
    expect(await client.listTaskPushNotificationConfigs({ id: "t-1" })).toEqual([config]);
  });
});

describe("the client of HTTP+JSON", () => {
  it("asks in ProtoJSON first, and stays with the other form once that is the one that is taken", async () => {
    const { client, heard } = await play(modelAgent);
    await client.sendMessage({ message: userMessage("one") });
    await client.sendMessage({ message: userMessage("two") });
    const forms = heard.map(({ body }) =>
      Object.keys(messageOf(body)).find((key) => key === "content" || key === "parts"),
    );
    expect(forms).toEqual(["content", "parts", "parts"]);
    expect(heard[1]?.body).toEqual({ message: userMessage("one") });
  });

  it("asks only once where ProtoJSON is taken", async () => {
    const { client, heard } = await play(protoAgent);
    await client.sendMessage({ message: userMessage("one"), configuration: { blocking: false, historyLength: 0 } });
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

  it("gives the first refusal where neither form is taken, and begins anew the next time", async () => {
    const { client, heard } = await play(({ body }) => ({
      status: 400,
      body: { code: -32602, message: "content" in messageOf(body) ? "first" : "second" },
    }));
    const send = (): Promise<unknown> => client.sendMessage({ message: userMessage("hi") });
    expect(await refusal(send())).toEqual({ name: "InvalidParamsError", message: "first" });
    expect(await refusal(send())).toEqual({ name: "InvalidParamsError", message: "first" });
    expect(heard).toHaveLength(4);
  });

  it("does not ask again where the refusal is about something else", async () => {
    const { client, heard } = await play(() => ({ status: 400, body: { code: -32004, message: "No" } }));
    expect(await refusal(client.sendMessage({ message: userMessage("hi") }))).toEqual({
      name: "UnsupportedOperationError",
      message: "No",
    });
    expect(heard).toHaveLength(1);
  });

  it("says all that it knows about a webhook, in the path, the query and the body", async () => {
    const { client, heard } = await play(protoAgent);
    await client.createTaskPushNotificationConfig(config);
    expect(heard).toEqual([
      { route: "POST /v1/tasks/t-1/pushNotificationConfigs", query: "configId=c", body: protoConfig },
    ]);
  });

  it("subscribes by POST where GET is not known", async () => {
    const { client, heard } = await play(modelAgent);
    await all(client.subscribeToTask({ id: "t-1" }));
    expect(heard.map(({ route }) => route)).toEqual(["GET /v1/tasks/t-1:subscribe", "POST /v1/tasks/t-1:subscribe"]);
  });
});
