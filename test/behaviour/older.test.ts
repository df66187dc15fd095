import { describe, expect, it } from "vitest";
import { connect, rest } from "../../generated/0.4-draft/index.js";
import { call, eventsOf, jsonOf, send } from "../support/raw.js";
import { scriptedFor } from "../support/scripted.js";

// Wire formats that only a version before 1.0 has. wire-0.3 covers 0.3.0.

const user = { messageId: "m-1", role: "user", parts: [{ text: "hi" }] };
const task = {
  id: "t-1",
  contextId: "c-1",
  status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: "2026-01-01T00:00:00Z" },
  history: [{ ...user, role: "ROLE_USER" }],
};

describe("the events of 0.1.0", () => {
  it("an event is the result of a separate JSON-RPC response", async () => {
    const agent = await scriptedFor("0.1.0");
    const message = { role: "user", parts: [{ type: "text", text: "hi" }] };
    const events = [
      { id: "t-1", status: { state: "working" }, final: false },
      { id: "t-1", artifact: { parts: message.parts, index: 0 } },
    ];
    agent.response = events;
    const stream = await call(agent.url, "tasks/sendSubscribe", {
      id: "t-1",
      sessionId: "s-1",
      message,
    });
    expect(eventsOf(stream)).toEqual(events.map((result) => ({ jsonrpc: "2.0", id: 1, result })));
    expect(agent.request).toEqual({ id: "t-1", sessionId: "s-1", message });
  });
});

describe("statements of early texts of 0.1 that its schema does not contain", () => {
  it("the response to agent/getCard is the card, even if the service does not implement it", async () => {
    const agent = await scriptedFor("0.1.0");
    const cardOf = async () => jsonOf(await call(agent.url, "agent/getCard", {}));
    agent.response = { ...agent.card, name: "Its own" };
    expect(await cardOf()).toMatchObject({ result: { name: "Its own" } });
    const { output } = agent;
    const handler = output.fetchHandler(output.createAgent({ card: agent.card, service: {} }));
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "agent/getCard" });
    const headers = { "content-type": "application/json" };
    const response = await handler(
      new Request("http://agent.test/", { method: "POST", headers, body }),
    );
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: agent.card });
  });

  it("a webhook may have its URL next to the id of the task", async () => {
    const agent = await scriptedFor("0.1.0");
    const webhook = { url: "https://client.test/hook" };
    agent.response = { id: "t-1", pushNotificationConfig: webhook };
    await call(agent.url, "tasks/pushNotification/set", { id: "t-1", ...webhook });
    expect(agent.request).toEqual({ id: "t-1", pushNotificationConfig: webhook });
    const refused = await call(agent.url, "tasks/pushNotification/set", { id: "t-1", url: "here" });
    expect(jsonOf(refused)).toMatchObject({ error: { code: -32602 } });
  });

  it("a task in the state created is submitted", async () => {
    const { output } = await scriptedFor("0.1.0");
    const fetch = async (): Promise<Response> =>
      Response.json({ jsonrpc: "2.0", id: 1, result: { id: "t-1", status: { state: "created" } } });
    const client = await output.connect({ url: "http://agent.test" }, { fetch });
    expect(await client.getTask({ id: "t-1" })).toEqual({
      id: "t-1",
      status: { state: "submitted" },
    });
  });
});

it.each(["0.2.1", "0.2.6"])(
  "the extended card of %s is served at the path in its text",
  async (version) => {
    const agent = await scriptedFor(version, { card: { supportsAuthenticatedExtendedCard: true } });
    agent.response = { ...agent.card, name: "For you" };
    const route = new URL("agent/authenticatedExtendedCard", agent.url);
    expect(jsonOf(await send("GET", route))).toMatchObject({ name: "For you" });
    const client = await agent.output.connect({
      ...agent.card,
      url: new URL("a2a", agent.url).href,
    });
    expect(await client.getExtendedAgentCard()).toMatchObject({ name: "For you" });
  },
);

it.each(["0.4-draft", "0.3.0", "0.2.6"])(
  "a card of %s is served with its transport, which is JSON-RPC by default",
  async (version) => {
    const { url, card } = await scriptedFor(version, { card: { preferredTransport: undefined } });
    const served = await send(
      "GET",
      new URL(`.well-known/${version === "0.2.6" ? "agent" : "agent-card"}.json`, url),
    );
    expect(jsonOf(served)).toEqual({ ...card, preferredTransport: "JSONRPC" });
  },
);

describe("a message of 0.2.6 over HTTP+JSON", () => {
  it("the message may have the JSON of JSON-RPC or ProtoJSON, and the response is ProtoJSON", async () => {
    const agent = await scriptedFor("0.2.6");
    agent.response = {
      kind: "task",
      id: "t-1",
      contextId: "c-1",
      status: { state: "auth-required" },
    };
    const message = {
      kind: "message",
      messageId: "m-1",
      role: "user",
      parts: [{ kind: "text", text: "hi" }],
    };
    const proto = { messageId: "m-1", role: "ROLE_USER", content: [{ text: "hi" }] };
    // The proto has another name for the message than the schema, and that until 0.3.0 in ProtoJSON
    // too.
    for (const body of [{ message }, { request: proto }]) {
      const response = await send("POST", new URL("v1/message:send", agent.url), body);
      const status = { state: "TASK_STATE_AUTH_REQUIRED" };
      expect(jsonOf(response)).toEqual({ task: { id: "t-1", contextId: "c-1", status } });
      expect(agent.request).toEqual({ message });
    }
  });
});

describe("an enum value of the draft of 0.4", () => {
  it("the server reads an enum value as examples spell it, and writes it as the proto defines it", async () => {
    const agent = await scriptedFor("0.4-draft");
    agent.response = { task };
    const replies = [
      await call(agent.url, "message/send", { message: user }),
      await send("POST", new URL("v1/message:send", agent.url), { message: user }),
    ];
    for (const { text } of replies)
      expect(text).toMatch(/"TASK_STATE_INPUT_REQUIRED".*"ROLE_USER"/);
    expect(agent.request).toEqual({ message: { ...user, role: "ROLE_USER" } });
    agent.response = { tasks: [], nextPageToken: "", totalSize: 0 };
    await call(agent.url, "tasks/list", { status: "input-required" });
    expect(agent.request).toEqual({ status: "TASK_STATE_INPUT_REQUIRED" });
    await send("GET", new URL("v1/tasks?status=input-required", agent.url));
    expect(agent.request).toEqual({ status: "TASK_STATE_INPUT_REQUIRED" });
  });

  it("the client reads an enum value as examples spell it", async () => {
    const fetch = async (): Promise<Response> =>
      Response.json({ task: { ...task, status: { state: "input-required" }, history: [user] } });
    const card = { url: "http://127.0.0.1:9", preferredTransport: "HTTP+JSON" };
    const client = await connect(card, { transports: [rest({ fetch })] });
    const { status, history } = task;
    expect(await client.sendMessage({ message: { messageId: "m-1" } })).toMatchObject({
      task: { status: { state: status.state }, history },
    });
  });
});

describe("the draft of 0.4 on the wire", () => {
  it.each(["messageId", "role", "parts"])(
    "the server refuses a message without %s, which only the text requires",
    async (field) => {
      const { url } = await scriptedFor("0.4-draft");
      for (const value of [
        undefined,
        { messageId: "", role: "ROLE_UNSPECIFIED", parts: [] }[field],
      ]) {
        const answer = jsonOf(
          await call(url, "message/send", { message: { ...user, [field]: value } }),
        );
        expect(answer).toMatchObject({
          error: {
            code: -32602,
            data: { details: [{ fieldViolations: [{ field: `message.${field}` }] }] },
          },
        });
      }
    },
  );

  it("the errors have names over HTTP+JSON", async () => {
    const agent = await scriptedFor("0.4-draft");
    const refused = async (error: string, verb: string, path: string): Promise<unknown> => {
      const thrown = Reflect.get(agent.output, error) as new (
        message: undefined,
        more: object,
      ) => Error;
      agent.response = new thrown(undefined, { metadata: { taskId: "t-1" } });
      const response = await send(verb, new URL(path, agent.url));
      return { status: response.status, ...(jsonOf(response) as object) };
    };
    const [message, details] = [expect.any(String) as string, { taskId: "t-1" }];
    expect(await refused("TaskNotFoundError", "GET", "v1/tasks/t-1")).toEqual({
      status: 404,
      error: { code: "TASK_NOT_FOUND", message, details },
    });
    expect(await refused("TaskNotCancelableError", "POST", "v1/tasks/t-1:cancel")).toEqual({
      status: 409,
      error: { code: "TASK_NOT_CANCELABLE", message, details },
    });
  });

  it.each([
    ["GET", "subscribe"],
    ["POST", "subscribe"],
    ["POST", "resubscribe"],
  ])("a stream is served at %s :%s", async (verb, action) => {
    const agent = await scriptedFor("0.4-draft");
    agent.response = [{ task }];
    expect(eventsOf(await send(verb, new URL(`v1/tasks/t-1:${action}`, agent.url)))).toEqual([
      { task },
    ]);
  });
});
