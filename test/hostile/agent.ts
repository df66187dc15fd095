import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { TaskState, type AgentCard, type StreamResponse, type Task } from "../../generated/1.0/index.js";
import type { NodeOptions } from "../../generated/1.0/runtime/server/node.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import {
  createAgent,
  fetchHandler,
  type A2AService,
  type AgentOptions,
  type CardOptions,
} from "../../generated/1.0/server/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";

/** What the tests can change about the agent. */
export interface TestAgentOptions {
  readonly agent?: Partial<AgentOptions>;
  /** Limits of both HTTP bindings. */
  readonly limits?: { readonly maxBodyBytes?: number; readonly keepAliveMs?: number };
  readonly cardPage?: CardOptions;
  readonly node?: NodeOptions;
}

/** An agent on free ports, and what it has reported. */
export interface TestAgent {
  readonly port: number;
  /** The address of the gRPC server. */
  readonly grpc: string;
  readonly http: Server;
  readonly grpcServer: GrpcServer;
  readonly fetch: (request: Request) => Promise<Response>;
  /** What the agent did not tell its callers. */
  readonly faults: readonly unknown[];
}

export const card: AgentCard = {
  name: "Target",
  description: "Withstands its tests.",
  version: "1.0.0",
  supportedInterfaces: [{ url: "http://127.0.0.1/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "Stands.", tags: ["t"] }],
};

/** A task as the service gives it; `metadata` tells what the service was asked. */
export function taskOf(id: string, metadata: Task["metadata"] = {}): Task {
  return { id, contextId: "c1", status: { state: TaskState.Working }, metadata };
}

/** Tells what it was asked, and nothing else. */
export const service: A2AService = {
  sendMessage: ({ message }) => ({ message }),
  async *sendStreamingMessage({ message }) {
    yield { task: taskOf(message.taskId ?? "t1") };
    await delay(0);
    yield { artifactUpdate: { taskId: "t1", contextId: "c1", artifact: { artifactId: "a1", parts: message.parts } } };
    yield statusOf(TaskState.Completed);
  },
  getTask: ({ id, historyLength, tenant }) =>
    taskOf(id, {
      ...(historyLength === undefined ? {} : { historyLength }),
      ...(tenant === undefined ? {} : { tenant }),
    }),
  listTasks: ({ pageSize = 50, ...request }) => ({
    tasks: [taskOf("t1", { ...request })],
    nextPageToken: "",
    pageSize,
    totalSize: 1,
  }),
  cancelTask: ({ id, metadata = {}, tenant }) =>
    taskOf(id, { ...metadata, ...(tenant === undefined ? {} : { tenant }) }),
  async *subscribeToTask({ id, tenant }) {
    yield { task: taskOf(id, tenant === undefined ? {} : { tenant }) };
    await delay(0);
    yield statusOf(TaskState.Completed);
  },
  createTaskPushNotificationConfig: (config) => ({ id: "p1", ...config }),
  getTaskPushNotificationConfig: ({ id, taskId }) => ({ id, taskId, url: "http://127.0.0.1/hook" }),
  listTaskPushNotificationConfigs: () => ({ configs: [] }),
  deleteTaskPushNotificationConfig: () => undefined,
  getExtendedAgentCard: () => card,
};

export function statusOf(state: TaskState): StreamResponse {
  return { statusUpdate: { taskId: "t1", contextId: "c1", status: { state } } };
}

const stops: (() => Promise<void>)[] = [];

/** Starts an agent over HTTP and gRPC: JSON-RPC on `/rpc`, HTTP+JSON on `/`. Methods that are `undefined` are missing. */
export async function startAgent(
  methods: { readonly [K in keyof A2AService]: unknown } = {},
  { agent: replaced = {}, limits = {}, cardPage = {}, node = {} }: TestAgentOptions = {},
): Promise<TestAgent> {
  const faults: unknown[] = [];
  const onError = (error: unknown): void => void faults.push(error);
  const agent = createAgent({ card, onError, ...replaced, service: { ...service, ...(methods as A2AService) } });
  const options = { jsonRpc: { path: "/rpc", ...limits }, rest: limits, card: cardPage };
  const http = createServer({ connectionsCheckingInterval: 50 }, nodeListener(agent, { ...options, ...node }));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const grpc = new GrpcServer();
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  const grpcPort = await bind(grpc);
  const { port } = http.address() as AddressInfo;
  stops.push(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    grpc.forceShutdown();
  });
  return { port, grpc: `127.0.0.1:${grpcPort}`, http, grpcServer: grpc, fetch: fetchHandler(agent, options), faults };
}

function bind(server: GrpcServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

/** Stops every agent that a test has started. */
export async function stopAgents(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}
