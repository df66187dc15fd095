import { Server, ServerCredentials } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { promisify } from "node:util";
import { createAgent, type AgentCard } from "../../../generated/1.1-draft/index.js";
import { grpcService } from "../../../generated/1.1-draft/server/grpc.js";
import { createAgentServer } from "../../../generated/1.1-draft/server/http2.js";
import { nodeListener } from "../../../generated/1.1-draft/server/node.js";
import { artifact } from "../../../library/kit/turns/artifact.js";
import { memoryStore } from "../../../library/kit/memory/store.js";
import { taskService } from "../../support/bound-kit.js";
import { completed, textOf, working } from "../../../library/kit/turns/updates.js";
import { engineOf } from "../engines/engines.js";
import {
  type AgentAddress,
  type AgentSetting,
  type AgentStatistics,
  endless,
  manyUpdates,
  untilResumed,
  userHeader,
  version,
} from "./protocol.js";
import { aCard } from "../../support/cards.js";

// A process of an agent with default options, which echoes messages to callers who name themselves
// in a header.

const { engine, address, leaseMs, isTogether } = JSON.parse(
  process.argv[2] ?? "{}",
) as AgentSetting;
const store = engine === "memory" ? memoryStore() : engineOf(engine).open(address).store;

/** Rejects when a turn is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
  });
}

const service = taskService<string>({
  store,
  ...(leaseMs !== undefined && { leaseMs }),
  // Webhooks of the test are on loopback.
  push: { allowPrivateAddresses: true },
  async *run({ message, signal, resumed }) {
    const text = textOf(message);
    yield working("Thinking");
    if (text.startsWith(endless) || (text.startsWith(untilResumed) && !resumed))
      await aborted(signal);
    const echo = artifact("echo");
    if (text.startsWith(manyUpdates))
      for (let count = 0; count < 100; count += 1) yield echo.text(text);
    yield echo.text(text);
    yield echo.finish(message.parts);
    return completed("Done");
  },
});

const card: AgentCard = aCard(
  [{ url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: version }],
  {
    name: "Besieged",
    capabilities: { streaming: true, pushNotifications: true },
    skills: Array.from({ length: 20 }, (_, index) => ({
      id: `skill ${String(index)}`,
      name: "Echo",
      description: "Echoes.",
      tags: ["echo"],
      inputModes: ["text/plain", "text/markdown", "text/html"],
    })),
  },
);
const errors: Record<string, number> = {};
const agent = createAgent({
  card,
  service,
  authenticate: ({ headers }) => headers.get(userHeader) ?? "stranger",
  onError(error) {
    // Ids differ.
    const text = String(error)
      .replaceAll(/[\da-f-]{36}/g, "ID")
      .slice(0, 200);
    errors[text] = (errors[text] ?? 0) + 1;
  },
});
const server = isTogether ? createAgentServer(agent) : createServer(nodeListener(agent));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const grpcPort = isTogether ? port : await serveGrpc();
process.send?.({
  url: `http://127.0.0.1:${String(port)}/`,
  grpc: `127.0.0.1:${String(grpcPort)}`,
} satisfies AgentAddress);

/** Serves gRPC with `@grpc/grpc-js`, and returns the port. */
async function serveGrpc(): Promise<number> {
  const grpc = new Server();
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  return promisify(grpc.bindAsync.bind(grpc))("127.0.0.1:0", ServerCredentials.createInsecure());
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on("message", () => {
  const blockedMs = Math.round(delay.max / 1e6);
  delay.reset();
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
  process.send?.({ blockedMs, memory, errors } satisfies AgentStatistics);
});
process.on("disconnect", () => process.exit());
