import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { A2AClient } from "../../../generated/0.3.0/client/client.js";
import { grpcTransport } from "../../../generated/0.3.0/client/grpc.js";
import { jsonRpcTransport } from "../../../generated/0.3.0/client/jsonrpc.js";
import { restTransport } from "../../../generated/0.3.0/client/rest.js";
import type { AgentCard } from "../../../generated/0.3.0/models.js";
import { operations } from "../../../generated/0.3.0/operations.js";
import { grpcService } from "../../../generated/0.3.0/server/grpc.js";
import { createAgent, type A2AService } from "../../../generated/0.3.0/server/index.js";
import { nodeListener } from "../../../generated/0.3.0/server/node.js";
import type { Binding } from "./report.js";

/** An agent that answers what it is told to, and remembers what it was asked. */
export interface Echo {
  /** What the next call answers: a list of events for a stream. */
  answer: unknown;
  /** What the last call asked. */
  asked: unknown;
  /** The address of HTTP+JSON. */
  readonly url: string;
  /** Calls a method of the client over a binding; a stream is read to its end. */
  readonly call: (method: string, over: Binding, request: unknown) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

const card: AgentCard = {
  protocolVersion: "0.3.0",
  name: "Echo",
  description: "Says what it is told to say.",
  version: "1",
  url: "http://127.0.0.1/rpc",
  capabilities: { streaming: true, pushNotifications: true },
  supportsAuthenticatedExtendedCard: true,
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
};

/** Starts an agent on free ports, with a client for each binding. */
export async function startEcho(): Promise<Echo> {
  const agent = createAgent({ card, service: serviceOf(() => echo) });
  const http = createServer(nodeListener(agent, { jsonRpc: { path: "/rpc" } }));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const grpc = new GrpcServer();
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  const port = await bind(grpc);
  const transports = {
    jsonrpc: jsonRpcTransport(`${url}/rpc`),
    rest: restTransport(url),
    grpc: grpcTransport(`http://127.0.0.1:${port}`),
  };
  const clients: Readonly<Record<Binding, A2AClient>> = {
    jsonrpc: new A2AClient({ transport: transports.jsonrpc }),
    rest: new A2AClient({ transport: transports.rest }),
    grpc: new A2AClient({ transport: transports.grpc }),
  };
  const echo: Echo = {
    answer: undefined,
    asked: undefined,
    url,
    call: async (method, over, request) => await callMethod(clients[over], method, request),
    stop: async () => {
      for (const transport of Object.values(transports)) transport.close?.();
      grpc.forceShutdown();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return echo;
}

function serviceOf(echo: () => Echo): A2AService {
  const methods = operations.map(({ method, streaming }) => {
    const unary = (request: unknown): unknown => {
      echo().asked = request;
      return echo().answer;
    };
    async function* stream(request: unknown): AsyncIterable<unknown> {
      yield* (await Promise.resolve(unary(request))) as Iterable<unknown>;
    }
    return [method, streaming === "server" ? stream : unary] as const;
  });
  return Object.fromEntries(methods);
}

async function callMethod(client: A2AClient, method: string, request: unknown): Promise<unknown> {
  const found: unknown = Reflect.get(client, method);
  if (typeof found !== "function") throw new Error(`The client has no ${method}`);
  const result: unknown = Reflect.apply(found, client, [request]);
  const isStream = typeof result === "object" && result !== null && Symbol.asyncIterator in result;
  if (!isStream) return await result;
  const events: unknown[] = [];
  for await (const event of result as AsyncIterable<unknown>) events.push(event);
  return events;
}

function bind(server: GrpcServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}
