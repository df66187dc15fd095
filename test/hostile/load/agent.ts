import { Server as GrpcServer } from "@grpc/grpc-js";
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { listen } from "../../../examples/shared/ports.js";
import {
  createAgent,
  TaskState,
  type A2AService,
  type AgentCard,
} from "../../../generated/1.0/index.js";
import { grpcService } from "../../../generated/1.0/server/grpc.js";
import { createAgentServer } from "../../../generated/1.0/server/http2.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { heapAfterCollection } from "./collect.js";
import type { AgentMessage, AgentReport } from "./protocol.js";
import { aCard } from "../../support/cards.js";

// An agent under load in a separate process. It reports its state when its parent process requests
// it.

const card: AgentCard = aCard("http://127.0.0.1/", { name: "Loaded" });
const faults: string[] = [];
let opened = 0;
let returned = 0;

const service: A2AService = {
  sendMessage: ({ message }) => ({ message: { ...message, role: "ROLE_AGENT" } }),
  async *sendStreamingMessage({ metadata }, { signal }) {
    const { events = 0, everyMs = 0 } = (metadata ?? {}) as { events?: number; everyMs?: number };
    const status = { state: TaskState.Working };
    opened += 1;
    try {
      yield { task: { id: "t", contextId: "c", status } };
      for (let sequence = 0; sequence < events; sequence += 1) {
        await delay(everyMs, undefined, { signal });
        yield { statusUpdate: { taskId: "t", contextId: "c", status, metadata: { sequence } } };
      }
    } finally {
      returned += 1;
    }
  },
};

const onError = (error: unknown): void =>
  void faults.push(error instanceof Error ? (error.stack ?? "") : String(error));
const agent = createAgent({ card, service, onError });
const http = createServer(nodeListener(agent, { jsonRpc: { path: "/rpc" } }));
const grpc = new GrpcServer();
const { definition, implementation } = grpcService(agent);
grpc.addService(definition, implementation);
const together = createAgentServer(agent);
together.listen(0, "127.0.0.1");
await once(together, "listening");
const { port } = together.address() as AddressInfo;

function tell(message: AgentMessage) {
  process.send?.(message);
}

async function report(isSettling: boolean): Promise<AgentReport> {
  // Idle connections stay for the next call, and say nothing about the last one.
  if (isSettling) http.closeIdleConnections();
  await delay(50);
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const connections = (await connectionsOf(http)) + (await connectionsOf(together));
  const heap = await heapAfterCollection();
  return { heap, rss: process.memoryUsage.rss(), resources, connections, opened, returned, faults };
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}

process.on(
  "message",
  (asked) =>
    void report(asked === "settle").then((known) => tell({ kind: "report", report: known })),
);
process.on("disconnect", () => process.exit());
const addresses = await listen(http, grpc, { host: "127.0.0.1" });
tell({ kind: "ready", ...addresses, togetherUrl: `127.0.0.1:${port}` });
