import { describe, expect, it } from "vitest";
import {
  A2AClient,
  type AgentCard,
  connect,
  jsonRpc,
  jsonRpcTransport,
  rest,
} from "../../../../generated/1.0/index.js";
import { grpc } from "../../../../generated/1.0/client/grpc.js";
import { withCapabilityCheck, followTask } from "../../../../generated/1.0/kit/client/index.js";
import { type StreamResponse, TaskState, type Task } from "../../../../generated/1.0/models.js";
import { aCard } from "../../../support/cards.js";
import { all } from "../../../support/everywhere.js";
import { bindings, scriptedFor, type Binding } from "../../../support/scripted.js";

const transports = { JSONRPC: jsonRpc, "HTTP+JSON": rest, GRPC: grpc };
const task: Task = { id: "t", contextId: "c", status: { state: TaskState.Working } };
const request = {
  message: { messageId: "1", role: "ROLE_USER" as const, parts: [{ text: "go" }] },
};
const bare = { capabilities: {} };

const connected = (url: string, binding: Binding): Promise<A2AClient> =>
  connect(url, { transports: [transports[binding]()], interceptors: [withCapabilityCheck()] });

describe.each(bindings)("over %s, an agent whose card declares no capability", (binding) => {
  it("a client that streams a message sends it without a stream, and the response is the only event", async () => {
    const agent = await scriptedFor("1.0", { card: bare });
    agent.response = { task };
    const client = await connected(agent.url, binding);
    expect(await all(client.sendStreamingMessage(request))).toEqual([{ task }]);
    expect(agent.context?.operation.name).toBe("SendMessage");
    client.close();
  });

  it("the agent gets no request for an operation that requires a capability", async () => {
    const agent = await scriptedFor("1.0", { card: bare });
    const client = await connected(agent.url, binding);
    const config = { taskId: "t", url: "https://example.org" };
    await expect(all(client.subscribeToTask({ id: "t" }))).rejects.toMatchObject({
      reason: "UNSUPPORTED_OPERATION",
    });
    await expect(client.getExtendedAgentCard()).rejects.toMatchObject({
      reason: "UNSUPPORTED_OPERATION",
    });
    const refused = { reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" };
    await expect(client.createTaskPushNotificationConfig(config)).rejects.toMatchObject(refused);
    const asking = { ...request, configuration: { taskPushNotificationConfig: config } };
    await expect(client.sendMessage(asking)).rejects.toMatchObject(refused);
    expect(agent.request).toBeUndefined();
    client.close();
  });
});

describe.each(bindings)("over %s, a task", (binding) => {
  it("a client follows a task to its end even if the stream ends earlier", async () => {
    const agent = await scriptedFor("1.0");
    const update = { taskId: "t", contextId: "c", status: { state: TaskState.Completed } };
    const end: StreamResponse[] = [{ task }, { statusUpdate: update }];
    const isLost = () => agent.context?.operation.name === "SendStreamingMessage";
    Object.defineProperty(agent, "response", { get: () => (isLost() ? end.slice(0, 1) : end) });
    const client = await connected(agent.url, binding);
    const seen = await all(followTask(client, request, { delayMs: () => 0 }));
    expect(seen.map(({ event }) => event)).toEqual([{ task }, { statusUpdate: update }]);
    expect(agent.context?.operation.name).toBe("SubscribeToTask");
    client.close();
  });
});

describe("a client that was created without a card", () => {
  it("the client checks calls against the card of its interceptor, and checks nothing without a card", async () => {
    const agent = await scriptedFor("1.0");
    agent.response = [{ task }];
    const open = (card?: AgentCard) =>
      new A2AClient({
        transport: jsonRpcTransport(agent.url),
        interceptors: [withCapabilityCheck(card)],
      });
    expect(await all(open().subscribeToTask({ id: "t" }))).toEqual([{ task }]);
    const card = aCard(agent.url, bare);
    const subscribed = all(open(card).subscribeToTask({ id: "t" }));
    await expect(subscribed).rejects.toMatchObject({ reason: "UNSUPPORTED_OPERATION" });
  });
});
