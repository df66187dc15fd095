import { describe, expect, it } from "vitest";
import { bearerTokens } from "../../../examples/echo-agent/auth.js";
import { all } from "../../support/everywhere.js";
import { failure, onEveryTransport, send, userMessage, type Failure } from "./agents.js";

const as = (token: string): { headers: Record<string, string> } => ({ headers: { authorization: `Bearer ${token}` } });
const authenticate = bearerTokens(new Map([["a-token", "ann"], ["b-token", "bob"]])); // prettier-ignore

describe("the agent card", () => {
  it("names an interface for each transport, and what the agent can do", async () => {
    const names = await onEveryTransport(async ({ agent }) => {
      const response = await fetch(new URL("/.well-known/agent-card.json", agent.url));
      expect(await response.json()).toEqual(agent.card);
      return agent.card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding);
    });
    expect(names).toEqual(["JSONRPC", "HTTP+JSON", "GRPC"]);
  });

  it("has an extended form with more skills", async () => {
    const card = await onEveryTransport(async ({ client, agent }) => {
      const { supportedInterfaces, ...rest } = await client.getExtendedAgentCard({});
      expect(supportedInterfaces).toEqual(agent.card.supportedInterfaces);
      return rest;
    });
    expect(card.skills.map(({ id }) => id)).toEqual(["echo", "private-echo"]);
  });
});

describe("tenants and users", () => {
  it("see only the tasks of their own tenant", async () => {
    const seen = await onEveryTransport(async ({ client }) => {
      const { task } = await client.sendMessage({ message: userMessage("hi"), tenant: "acme" });
      const id = task?.id ?? "";
      const [own, other] = [await client.listTasks({ tenant: "acme" }), await client.listTasks({ tenant: "b&c d" })];
      const read = await client.getTask({ id, tenant: "acme" });
      const message = userMessage("again", { taskId: id });
      const refused = await Promise.all([
        failure(client.getTask({ id })),
        failure(client.getTask({ id, tenant: "b&c d" })),
        failure(client.cancelTask({ id, tenant: "b&c d" })),
        failure(all(client.subscribeToTask({ id, tenant: "b&c d" }))),
        failure(client.sendMessage({ message, tenant: "b&c d" })),
        failure(client.listTaskPushNotificationConfigs({ taskId: id, tenant: "b&c d" })),
      ]);
      return {
        read: read.id === id,
        sizes: [own.totalSize, other.totalSize],
        refused: refused.map(({ name }) => name),
      };
    });
    expect(seen).toEqual({ read: true, sizes: [1, 0], refused: Array(6).fill("TaskNotFoundError") });
  });

  it("see only the tasks of their own user", async () => {
    const [refused, count] = await onEveryTransport(
      async ({ client }) => {
        const { task } = await client.sendMessage({ message: userMessage("hi") }, as("a-token"));
        const id = task?.id ?? "";
        expect((await client.getTask({ id }, as("a-token"))).id).toBe(id);
        return [await failure(client.getTask({ id }, as("b-token"))), (await client.listTasks({})).totalSize] as const;
      },
      { authenticate },
    );
    expect([refused.name, count]).toEqual(["TaskNotFoundError", 0]);
  });

  it("get the extended card only where they say who they are", async () => {
    const [anonymous, wrong, skills] = await onEveryTransport(
      async ({ client }) => [
        await failure(client.getExtendedAgentCard({})),
        await failure(client.getExtendedAgentCard({}, as("guess"))),
        (await client.getExtendedAgentCard({}, as("a-token"))).skills.length,
      ],
      { authenticate },
    );
    expect([anonymous, wrong]).toMatchObject([{ name: "UnauthenticatedError" }, { name: "UnauthenticatedError" }]);
    expect(skills).toBe(2);
  });
});

describe("what the card does not declare", () => {
  const capabilities = { streaming: false, pushNotifications: false, extendedAgentCard: false };

  it("is refused with the error that the protocol has for it", async () => {
    const refused = await onEveryTransport(
      async ({ client }): Promise<Failure[]> => {
        const [message, url] = [userMessage("hi"), "https://example.com"];
        const { id: taskId } = await send(client, "ask");
        return Promise.all([
          failure(all(client.sendStreamingMessage({ message }))),
          failure(all(client.subscribeToTask({ id: taskId }))),
          failure(client.getExtendedAgentCard({})),
          failure(client.createTaskPushNotificationConfig({ taskId, url })),
          failure(client.getTaskPushNotificationConfig({ taskId, id: "c" })),
          failure(client.listTaskPushNotificationConfigs({ taskId })),
          failure(client.deleteTaskPushNotificationConfig({ taskId, id: "c" })),
          failure(client.sendMessage({ message, configuration: { taskPushNotificationConfig: { url } } })),
        ]);
      },
      { capabilities },
    );
    expect(refused.map(({ name }) => name)).toEqual([
      ...Array<string>(3).fill("UnsupportedOperationError"),
      ...Array<string>(5).fill("PushNotificationNotSupportedError"),
    ]);
  });

  it("includes other versions of the protocol", async () => {
    const refused = await onEveryTransport(async ({ client }) =>
      failure(client.getTask({ id: "t" }, { headers: { "A2A-Version": "7.1" } })),
    );
    expect(refused.name).toBe("VersionNotSupportedError");
  });
});
