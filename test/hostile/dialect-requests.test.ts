import { afterAll, describe, expect, it } from "vitest";
import {
  A2AClient,
  jsonRpcTransport,
  restTransport,
  type MessageSendParams,
} from "../../generated/0.3.0/index.js";
import { grpcTransport } from "../../generated/0.3.0/client/grpc.js";
import { startAgent, stopAgents } from "./agent.js";
import { v03 } from "./subjects.js";

afterAll(stopAgents);

const message = v03.samples.message as never;

describe("a client of 0.3 sets `blocking` explicitly, because agents differ in the default", () => {
  const outcomes: [string, Partial<MessageSendParams>, object | undefined, object | undefined][] = [
    ["if the configuration is absent", {}, { blocking: true }, undefined],
    ["if the configuration has other fields", { configuration: {} }, { blocking: true }, {}],
    [
      "unless the caller has set it",
      { configuration: { blocking: false } },
      { blocking: false },
      { blocking: false },
    ],
  ];

  it.each(outcomes)("the client sets `blocking` %s", async (_, said, written, asIs) => {
    const seen: unknown[] = [];
    const agent = await startAgent(v03, {
      sendMessage(request: MessageSendParams) {
        seen.push(request.configuration);
        return v03.answers.message(message);
      },
    });
    const url = `http://127.0.0.1:${agent.port}`;
    for (const transport of [
      restTransport(url),
      grpcTransport(agent.grpc),
      jsonRpcTransport(`${url}/rpc`),
    ]) {
      const client = new A2AClient({ transport });
      await client.sendMessage({ message, ...said });
      client.close();
    }
    expect(seen).toEqual([written, written, asIs]);
  });
});

describe("a request whose body is one field", () => {
  const webhook = { id: "c1", url: "https://hook.example" };
  const config = { taskId: "t1", pushNotificationConfig: webhook };
  const name = "tasks/t1/pushNotificationConfigs/c1";
  const whole = {
    parent: "tasks/t1",
    configId: "c1",
    config: { name, pushNotificationConfig: webhook },
  };
  const refused = (code: number, status: number): Response =>
    Response.json({ code, message: "What is this?" }, { status });

  /** A client of an agent that takes the bodies that `takes` accepts, and what it has sent. */
  function clientOf(takes: (body: object) => boolean, otherwise = refused(-32602, 400)) {
    const sent: { readonly query: string; readonly body: unknown }[] = [];
    const fetch = (url: string, { body }: RequestInit): Promise<Response> => {
      const parsed = JSON.parse(typeof body === "string" ? body : "") as object;
      sent.push({ query: new URL(url).search, body: parsed });
      return Promise.resolve(takes(parsed) ? Response.json(whole.config) : otherwise.clone());
    };
    return {
      sent,
      client: new A2AClient({ transport: restTransport("http://agent.example", { fetch }) }),
    };
  }

  it.each<[string, Response]>([
    ["refuses the field", refused(-32602, 400)],
    ["fails for the field", Response.json({ message: "unknown exception" }, { status: 500 })],
  ])(
    "the client sends the whole request to an agent that %s, and remembers it",
    async (_, otherwise) => {
      const { client, sent } = clientOf((body) => "config" in body, otherwise);
      expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
      const first = { query: "?configId=c1", body: whole.config };
      expect(sent).toEqual([first, { query: "", body: whole }]);
      await client.createTaskPushNotificationConfig(config);
      expect(sent.slice(2)).toEqual([{ query: "", body: whole }]);
    },
  );

  it("the client sends the request once in each form and throws the first error", async () => {
    const { client, sent } = clientOf(() => false);
    const call = client.createTaskPushNotificationConfig(config);
    await expect(call).rejects.toMatchObject({
      reason: "INVALID_PARAMS",
      message: "What is this?",
    });
    expect(sent.map(({ body }) => body)).toEqual([whole.config, whole, config]);
  });

  it.each([
    ["refuses the requested resource", refused(-32001, 404), "TASK_NOT_FOUND"],
    ["fails for the requested resource", refused(-32603, 500), "INTERNAL"],
  ])("the client sends the request once to an agent that %s", async (_, otherwise, reason) => {
    const { client, sent } = clientOf(() => false, otherwise);
    await expect(client.createTaskPushNotificationConfig(config)).rejects.toMatchObject({ reason });
    expect(sent).toHaveLength(1);
  });
});
