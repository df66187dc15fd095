import { Server, ServerCredentials } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { createAgent, type AgentCapabilities, type AgentCard } from "../../generated/1.0/index.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import type { Authenticate } from "./auth.js";
import { agentCard } from "./card.js";
import { realEnvironment, type Environment } from "./environment.js";
import type { PushOptions } from "./push.js";
import { EchoService } from "./service.js";

/** How to start an echo agent. */
export interface EchoAgentOptions {
  /** The address to listen on; only this machine can reach the default, `127.0.0.1`. */
  readonly host?: string;
  /** The port of JSON-RPC, HTTP+JSON and the agent card; a free one by default. */
  readonly port?: number;
  /** The port of gRPC; a free one by default. */
  readonly grpcPort?: number;
  /** Tells callers apart. Without it everybody may do everything. */
  readonly authenticate?: Authenticate;
  /** Replaces some of the capabilities; the default is all of them. */
  readonly capabilities?: AgentCapabilities;
  /** How webhooks are called. */
  readonly push?: PushOptions;
  /** The clock and the ids. */
  readonly environment?: Environment;
  /** Hears of what goes wrong inside; `console.error` by default. */
  readonly onError?: (error: unknown) => void;
}

/** An echo agent that runs. */
export interface EchoAgent {
  /** Where JSON-RPC, HTTP+JSON and the agent card are. */
  readonly url: string;
  /** Where gRPC is. */
  readonly grpcUrl: string;
  readonly card: AgentCard;
  /** Ends all tasks, streams and connections. */
  close(): Promise<void>;
}

/** The default of the HTTP transports; that of gRPC is lower. */
const maxRequestBytes = 10 * 1024 * 1024;

/** Starts an echo agent on all three transports. Rejects where it cannot listen on a port. */
export async function startEchoAgent(options: EchoAgentOptions = {}): Promise<EchoAgent> {
  const { host = "127.0.0.1", environment = realEnvironment, push = {}, authenticate, onError } = options;
  const [http, grpc] = [createServer(), new Server({ "grpc.max_receive_message_length": maxRequestBytes })];
  const { url, grpcUrl } = await listen(http, grpc, { host, ...options });

  const hasUsers = authenticate !== undefined;
  const card = agentCard({ url, grpcUrl, capabilities: options.capabilities, hasUsers });
  const service = new EchoService({ environment, card, hasUsers, push });
  const hooks = { ...(authenticate && { authenticate }), ...(onError && { onError }) };
  const agent = createAgent({ card, service, ...hooks });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", nodeListener(agent));

  const close = (): Promise<void> => {
    service.close();
    return stop(http, grpc);
  };
  return { url, grpcUrl, card, close };
}

interface Addresses {
  readonly host: string;
  readonly port?: number;
  readonly grpcPort?: number;
}

/** Opens both ports, or none. */
async function listen(
  http: HttpServer,
  grpc: Server,
  { host, port = 0, grpcPort = 0 }: Addresses,
): Promise<Pick<EchoAgent, "url" | "grpcUrl">> {
  try {
    const grpcUrl = `${host}:${await listenGrpc(grpc, `${host}:${grpcPort}`)}`;
    return { url: `http://${host}:${await listenHttp(http, port, host)}/`, grpcUrl };
  } catch (error) {
    await stop(http, grpc);
    throw error;
  }
}

function listenGrpc(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, port: number): void => (error === null ? resolve(port) : reject(error));
    server.bindAsync(address, ServerCredentials.createInsecure(), done);
  });
}

async function listenHttp(server: HttpServer, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Ends all connections, those with open streams too. */
async function stop(http: HttpServer, grpc: Server): Promise<void> {
  grpc.forceShutdown();
  const closed = new Promise((resolve) => http.close(resolve));
  http.closeAllConnections();
  await closed;
}
