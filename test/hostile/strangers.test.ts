import { describe, expect, it, onTestFinished } from "vitest";
import { grpc } from "../../generated/1.0/client/grpc.js";
import {
  connect,
  createAgent,
  jsonRpc,
  rest,
  type A2AClient,
  type AgentCard,
} from "../../generated/1.0/index.js";
import { authenticateBy, completed, taskService, working } from "../../generated/1.0/kit/index.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { refusal } from "../support/everywhere.js";
import { nobodies } from "../support/nobodies.js";
import { bindings } from "../support/scripted.js";
import { aCard, interfacesAt } from "../support/cards.js";
import { openPorts } from "../support/ports.js";

const transports = { JSONRPC: jsonRpc(), "HTTP+JSON": rest(), GRPC: grpc() };

/** Starts an agent of a task service whose card asks for a key, which `find` looks up. */
async function start(find: (key: string) => unknown, isOptional: boolean) {
  const { url, grpcUrl, serve } = await openPorts();
  const card: AgentCard = aCard(interfacesAt(url, grpcUrl), {
    capabilities: { extendedAgentCard: true },
    securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "x-key" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }, ...(isOptional ? [{}] : [])],
  });
  const service = taskService<string | null>({
    extendedCard: () => card,
    async *run() {
      yield working("Thinking");
      return completed("Done");
    },
  });
  const access = authenticateBy<string | null>(
    card,
    { key: (key) => find(key) as string },
    { anonymous: null },
  );
  const agent = createAgent({ card, ...access, service });
  serve({ nodeListener, grpcService }, agent);
  onTestFinished(() => service.close());
  return { url, grpcUrl };
}

/** Connects a client over one binding, with a key if one is given. */
async function clientOf(
  { url, grpcUrl }: { readonly url: string; readonly grpcUrl: string },
  binding: (typeof bindings)[number],
  key?: string,
) {
  const headers = key === undefined ? {} : { "x-key": key };
  const client = await connect(url, {
    headers,
    transports: [transports[binding]],
    trustedOrigins: [grpcUrl],
  });
  onTestFinished(() => client.close());
  return client;
}

const asking = (): Parameters<A2AClient["sendMessage"]>[0] => ({
  message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "hello" }] },
});

describe.each(bindings)("an unauthenticated caller over %s", (binding) => {
  it.each(nobodies.map((user) => [user]))(
    "a caller is refused if the look-up returns %j",
    async (user) => {
      for (const isOptional of [false, true]) {
        const client = await clientOf(await start(() => user, isOptional), binding, "guessed");
        const calls = [
          client.sendMessage(asking()),
          client.listTasks({}),
          client.getExtendedAgentCard({}),
        ];
        const refused = await Promise.all(calls.map((call: Promise<unknown>) => refusal(call)));
        expect(refused.map(({ name }) => name)).toEqual(Array(3).fill("UnauthenticatedError"));
      }
    },
  );

  it("a caller that is admitted without credentials gets neither the extended card nor the tasks of others", async () => {
    const agent = await start((key) => (key === "good" ? "ada" : null), true);
    const [one, other, ada] = [await clientOf(agent, binding), await clientOf(agent, binding), await clientOf(agent, binding, "good")]; // prettier-ignore
    const { task } = await one.sendMessage(asking());
    expect((await other.listTasks({})).tasks).toEqual([]);
    expect((await one.listTasks({ contextId: task?.contextId ?? "" })).tasks).toHaveLength(1);
    expect((await refusal(one.getExtendedAgentCard({}))).name).toBe("UnauthenticatedError");
    expect((await ada.getExtendedAgentCard({})).name).toBe("Test");
    await ada.sendMessage(asking());
    expect((await ada.listTasks({})).tasks).toHaveLength(1);
  });
});
