import { describe, expect, it } from "vitest";
import { A2AClient, restTransport, type Message } from "../../generated/0.3.0/index.js";
import { all, refusal } from "../support/everywhere.js";
import { openPorts } from "../support/ports.js";

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
const userMessage = (text: string): Message => ({
  ...{ kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text }] },
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

/** Serves an agent, for a client that speaks HTTP+JSON to it. */
async function play(agent: (heard: Heard) => Reply): Promise<{ client: A2AClient; heard: Heard[] }> {
  const heard: Heard[] = [];
  const { http, url } = await openPorts();
  http.on("request", (request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const [path = "", query = ""] = (request.url ?? "").split("?");
      const call = {
        route: `${request.method} ${path}`,
        query,
        body: text === "" ? undefined : (JSON.parse(text) as unknown),
      };
      heard.push(call);
      const { status = 200, body } = agent(call);
      const isStream = typeof body === "string";
      response.writeHead(status, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(isStream ? body : JSON.stringify(body));
    });
  });
  return { client: new A2AClient({ transport: restTransport(url) }), heard };
}

describe.each([
  ["the JSON of JSON-RPC", modelAgent],
  ["ProtoJSON", protoAgent],
])("an agent that speaks only %s over HTTP", (_what, agent) => {
  it("understands every call of a client, and is understood", async () => {
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

describe("a client of 0.3.0 over HTTP+JSON", () => {
  it("sends ProtoJSON first, and stays with the other form once that is the one that is accepted", async () => {
    const { client, heard } = await play(modelAgent);
    await client.sendMessage({ message: userMessage("one") });
    await client.sendMessage({ message: userMessage("two") });
    const forms = heard.map(({ body }) =>
      Object.keys(messageOf(body)).find((key) => key === "content" || key === "parts"),
    );
    expect(forms).toEqual(["content", "parts", "parts"]);
    expect(heard[1]?.body).toEqual({ message: userMessage("one"), configuration: { blocking: true } });
  });

  it("sends a request only once where ProtoJSON is accepted", async () => {
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

  it("throws the first error where neither form is accepted, and begins anew the next time", async () => {
    const { client, heard } = await play(({ body }) => ({
      status: 400,
      body: { code: -32602, message: "content" in messageOf(body) ? "first" : "second" },
    }));
    const send = (): Promise<unknown> => client.sendMessage({ message: userMessage("hi") });
    expect(await refusal(send())).toEqual({ name: "InvalidParamsError", message: "first" });
    expect(await refusal(send())).toEqual({ name: "InvalidParamsError", message: "first" });
    expect(heard).toHaveLength(4);
  });

  it("does not send a request again where the error is about something else", async () => {
    const { client, heard } = await play(() => ({ status: 400, body: { code: -32004, message: "No" } }));
    expect(await refusal(client.sendMessage({ message: userMessage("hi") }))).toEqual({
      name: "UnsupportedOperationError",
      message: "No",
    });
    expect(heard).toHaveLength(1);
  });

  it("sends all that it knows about a webhook, in the path, the query and the body", async () => {
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
