import { describe, expect, it } from "vitest";
import { bearerTokens } from "../../../examples/echo-agent-0.3/auth.js";
import { isAgentCard } from "../../../generated/0.3.0/index.js";
import { all, refusal } from "../../support/everywhere.js";
import { onEveryTransport, send, userMessage } from "./agents.js";

const as = (token: string): { headers: Record<string, string> } => ({ headers: { authorization: `Bearer ${token}` } });
const authenticate = bearerTokens(new Map([["a-token", "ann"], ["b-token", "bob"]])); // prettier-ignore

describe("the agent card", () => {
  it("names the preferred transport, the others, and what the agent can do", async () => {
    const card = await onEveryTransport(async ({ agent, client }) => {
      const response = await fetch(new URL("/.well-known/agent-card.json", agent.url));
      expect(await response.json()).toEqual(agent.card);
      expect(client.card).toEqual(agent.card);
      const { url, additionalInterfaces = [], ...rest } = agent.card;
      expect([url, isAgentCard(agent.card)]).toEqual([agent.url, true]);
      return { ...rest, transports: additionalInterfaces.map(({ transport }) => transport) };
    });
    expect(card).toMatchObject({
      protocolVersion: "0.3.0",
      preferredTransport: "JSONRPC",
      transports: ["JSONRPC", "HTTP+JSON", "GRPC"],
      capabilities: { streaming: true, pushNotifications: true },
    });
  });

  it("has an extended form with more skills", async () => {
    const skills = await onEveryTransport(async ({ client, agent }) => {
      const { skills: shown, ...rest } = await client.getExtendedAgentCard({});
      expect({ ...rest, skills: agent.card.skills }).toEqual(agent.card);
      return shown.map(({ id }) => id);
    });
    expect(skills).toEqual(["echo", "private-echo"]);
  });
});

describe("users", () => {
  it("see only their own tasks", async () => {
    const refused = await onEveryTransport(
      async ({ client }) => {
        const message = userMessage("ask");
        const answer = await client.sendMessage({ message }, as("a-token"));
        const id = answer.kind === "task" ? answer.id : "";
        expect((await client.getTask({ id }, as("a-token"))).id).toBe(id);
        const [bob, named] = [as("b-token"), { id, pushNotificationConfigId: "c" }];
        const pushNotificationConfig = { id: "c", url: "https://example.com" };
        const calls = await Promise.all([
          refusal(client.getTask({ id })),
          refusal(client.getTask({ id }, bob)),
          refusal(client.cancelTask({ id }, bob)),
          refusal(all(client.subscribeToTask({ id }, bob))),
          refusal(client.sendMessage({ message: userMessage("more", { taskId: id }) }, bob)),
          refusal(client.createTaskPushNotificationConfig({ taskId: id, pushNotificationConfig }, bob)),
          refusal(client.getTaskPushNotificationConfig(named, bob)),
          refusal(client.listTaskPushNotificationConfigs({ id }, bob)),
          refusal(client.deleteTaskPushNotificationConfig(named, bob)),
        ]);
        return calls.map(({ name }) => name);
      },
      { authenticate },
    );
    expect(refused).toEqual(Array(9).fill("TaskNotFoundError"));
  });

  it("get the extended card only where they say who they are", async () => {
    const [anonymous, wrong, skills] = await onEveryTransport(
      async ({ client, agent }) => {
        expect(agent.card.securitySchemes).toEqual({ bearer: { type: "http", scheme: "Bearer" } });
        return [
          (await refusal(client.getExtendedAgentCard({}))).name,
          (await refusal(client.getExtendedAgentCard({}, as("guess")))).name,
          (await client.getExtendedAgentCard({}, as("a-token"))).skills.length,
        ];
      },
      { authenticate },
    );
    expect([anonymous, wrong, skills]).toEqual(["UnauthenticatedError", "UnauthenticatedError", 2]);
  });
});

describe("what the card does not declare", () => {
  const without = { capabilities: { streaming: false, pushNotifications: false }, extendedCard: false };

  it("is refused with the error that the protocol has for it", async () => {
    const refused = await onEveryTransport(async ({ client }) => {
      const message = userMessage("hi");
      const { id } = await send(client, "ask");
      const [named, pushNotificationConfig] = [
        { id, pushNotificationConfigId: "c" },
        { id: "c", url: "https://example.com" },
      ];
      const calls = await Promise.all([
        refusal(all(client.sendStreamingMessage({ message }))),
        refusal(all(client.subscribeToTask({ id }))),
        refusal(client.getExtendedAgentCard({})),
        refusal(client.createTaskPushNotificationConfig({ taskId: id, pushNotificationConfig })),
        refusal(client.getTaskPushNotificationConfig(named)),
        refusal(client.listTaskPushNotificationConfigs({ id })),
        refusal(client.deleteTaskPushNotificationConfig(named)),
        refusal(client.sendMessage({ message, configuration: { pushNotificationConfig } })),
      ]);
      return calls.map(({ name }) => name);
    }, without);
    expect(refused).toEqual([
      ...Array<string>(3).fill("UnsupportedOperationError"),
      ...Array<string>(5).fill("PushNotificationNotSupportedError"),
    ]);
  });
});
