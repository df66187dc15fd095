import { describe, expect, it } from "vitest";
import { isAgentCard } from "../../../generated/0.3.0/index.js";
import { all, refusal } from "../../support/everywhere.js";
import { at } from "../interop/json.js";
import type { CallerOptions } from "../interop/peers.js";
import {
  editions,
  idOf,
  onEveryBinding,
  read,
  send,
  stream,
  subscribe,
  userMessage,
  webhook,
  webhooks,
} from "./editions.js";

const as = (token: string): CallerOptions => ({ headers: { authorization: `Bearer ${token}` } });
const users = new Map([
  ["a-token", "ann"],
  ["b-token", "bob"],
]);
const skillsOf = (card: unknown): unknown =>
  (at(card, "skills") as readonly { readonly id: string }[]).map(({ id }) => id);

describe.each(editions)("$version over every binding", (edition) => {
  it("the agent serves its card at the published path", async () => {
    const card = await onEveryBinding(edition, async ({ agent, client }) => {
      const response = await fetch(new URL("/.well-known/agent-card.json", agent.url));
      expect(await response.json()).toEqual(agent.card);
      expect(client.card).toEqual(agent.card);
      const { capabilities, protocolVersion } = agent.card as Readonly<Record<string, unknown>>;
      const [named, key] = [at(agent.card, "supportedInterfaces"), "protocolBinding"];
      const interfaces = named ?? at(agent.card, "additionalInterfaces");
      const bindings = (interfaces as readonly object[]).map((one) =>
        at(one, named === undefined ? "transport" : key),
      );
      return { capabilities, bindings, isOld: isAgentCard(agent.card), protocolVersion };
    });
    expect(card).toMatchObject({
      bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
      capabilities: { streaming: true, pushNotifications: true },
    });
    expect(card.isOld).toBe(card.protocolVersion === "0.3.0");
  });

  it("the agent has an extended card with more skills", async () => {
    const skills = await onEveryBinding(edition, async ({ client }) =>
      skillsOf(await client.call("getExtendedAgentCard", {})),
    );
    expect(skills).toEqual(["echo", "private-echo"]);
  });

  it("the agent only shows a task to its own user, in every operation", async () => {
    const refused = await onEveryBinding(
      edition,
      async (side) => {
        const id = idOf(await send(side, "ask", {}, as("a-token")));
        expect((await read(side, id, {}, as("a-token")))["id"]).toBe(id);
        const [bob, config] = [as("b-token"), { taskId: id, id: "c", url: "https://example.com" }];
        const calls = await Promise.all([
          refusal(read(side, id)),
          refusal(read(side, id, {}, bob)),
          refusal(side.client.call("cancelTask", { id }, bob)),
          refusal(all(subscribe(side, id, bob))),
          refusal(send(side, "more", { taskId: id }, bob)),
          refusal(webhook(side, "create", config, bob)),
          refusal(webhook(side, "get", config, bob)),
          refusal(webhook(side, "delete", config, bob)),
          refusal(webhooks(side, id, bob)),
        ]);
        return calls.map(({ name }) => name);
      },
      { users },
    );
    expect(refused).toEqual(Array(9).fill("TaskNotFoundError"));
  });

  it("the agent only shows the extended card to authenticated callers", async () => {
    const outcomes = await onEveryBinding(
      edition,
      async ({ client }) => {
        const card = (options?: CallerOptions) => client.call("getExtendedAgentCard", {}, options);
        const refused = [await refusal(card()), await refusal(card(as("guess")))];
        return [...refused.map(({ name }) => name), skillsOf(await card(as("a-token")))];
      },
      { users },
    );
    expect(outcomes).toEqual([
      "UnauthenticatedError",
      "UnauthenticatedError",
      ["echo", "private-echo"],
    ]);
  });

  it("open streams do not outlive the agent", async () => {
    await onEveryBinding(edition, async (side) => {
      const id = idOf(await send(side, "ask"));
      const watching = subscribe(side, id)[Symbol.asyncIterator]();
      await watching.next();
      const end = watching.next().then(
        () => "end",
        () => "end",
      );
      await side.agent.close();
      expect(await end).toBe("end");
    });
  });

  it("the agent responds with valid events to any message", async () => {
    const valid = await onEveryBinding(edition, async (side) =>
      (await all(stream(side, userMessage("ask one two three")))).every(edition.isEvent),
    );
    expect(valid).toBe(true);
  });
});
