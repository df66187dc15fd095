import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { listen, stop } from "../../../../examples/shared/ports.js";
import * as draft from "../../../../generated/1.1-draft/index.js";
import * as kit from "../../../../generated/1.1-draft/kit/index.js";
import { grpcService } from "../../../../generated/1.1-draft/server/grpc.js";
import { nodeListener } from "../../../../generated/1.1-draft/server/node.js";

/**
 * Starts an agent of 1.1 on all transports, which also serves callers of 1.0. With `isAlone`, it
 * only serves callers of 1.1.
 */
export async function draftAgent({ isAlone = false } = {}): Promise<string> {
  const [http, grpc] = [createServer(), new GrpcServer()];
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  const interfaces = (protocolVersion: string) => [
    { url, protocolBinding: "JSONRPC", protocolVersion },
    { url, protocolBinding: "HTTP+JSON", protocolVersion },
    { url: grpcUrl, protocolBinding: "GRPC", protocolVersion },
  ];
  const card: draft.AgentCard = {
    name: "Draft",
    description: "Serves 1.1 and 1.0.",
    version: "1.0.0",
    supportedInterfaces: [...interfaces("1.1"), ...(isAlone ? [] : interfaces("1.0"))],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "draft", name: "Draft", description: "Responds.", tags: ["test"] }],
  };
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
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  onTestFinished(async () => {
    await service.close();
    await stop(http, grpc);
  });
  return url;
}
