import { onTestFinished } from "vitest";
import * as draft from "../../../../generated/1.1-draft/index.js";
import * as kit from "../../../../generated/1.1-draft/kit/index.js";
import { grpcService } from "../../../../generated/1.1-draft/server/grpc.js";
import { nodeListener } from "../../../../generated/1.1-draft/server/node.js";
import { aCard, interfacesAt } from "../../../support/cards.js";
import { openPorts } from "../../../support/ports.js";

/**
 * Starts an agent of 1.1 on all transports, which also serves callers of 1.0. With `isAlone`, it
 * only serves callers of 1.1.
 */
export async function draftAgent({ isAlone = false } = {}): Promise<string> {
  const { url, grpcUrl, serve } = await openPorts();
  const interfaces = (version: string) => interfacesAt(url, grpcUrl, version);
  const card: draft.AgentCard = aCard(
    [...interfaces("1.1"), ...(isAlone ? [] : interfaces("1.0"))],
    {
      name: "Draft",
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      skills: [{ id: "draft", name: "Draft", description: "Responds.", tags: ["test"] }],
    },
  );
  const service = kit.taskService<string, never>({
    extendedCard: () => card,
    async *run() {
      yield kit.working();
      yield* kit.artifact("result").from(["one ", "two"]);
      return kit.completed("Done");
    },
  });
  const agent = draft.createAgent({
    card,
    service,
    authenticate: () => "everybody",
    versions: isAlone ? [] : ["1.0"],
    onError: () => undefined,
  });
  serve({ nodeListener, grpcService }, agent);
  onTestFinished(() => service.close());
  return url;
}
