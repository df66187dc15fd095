import { Server } from "@grpc/grpc-js";
import { createServer } from "node:http";
import {
  createAgent,
  type AgentCapabilities,
  type AgentCard,
} from "../../generated/0.3.0/index.js";
import { grpcService } from "../../generated/0.3.0/server/grpc.js";
import { nodeListener } from "../../generated/0.3.0/server/node.js";
import { realEnvironment, type Environment } from "../shared/environment.js";
import { listen, stop } from "../shared/ports.js";
import type { PushOptions } from "../shared/poster.js";
import type { Authenticate } from "./auth.js";
import { agentCard } from "./card.js";
import { EchoService } from "./service.js";

/** Options for an echo agent of A2A 0.3.0. */
export interface EchoAgentOptions {
  /** The address to listen on. Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string;
  /** The port of JSON-RPC, HTTP+JSON and the agent card. Default: a free port. */
  readonly port?: number;
  /** The port of gRPC. Default: a free port. */
  readonly grpcPort?: number;
  /** Authenticates callers. Without it, every caller may call every operation. */
  readonly authenticate?: Authenticate;
  /** Capabilities that override the defaults. By default, all are enabled. */
  readonly capabilities?: AgentCapabilities;
  /** Whether the agent has an extended card. Default: `true`. */
  readonly extendedCard?: boolean;
  /** Options for calling webhooks. */
  readonly push?: PushOptions;
  /** The clock and the generator of ids. */
  readonly environment?: Environment;
  /** Called with internal errors. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** A running echo agent. */
export interface EchoAgent {
  /** Base URL of JSON-RPC, HTTP+JSON and the agent card. */
  readonly url: string;
  /** Address of the gRPC server. */
  readonly grpcUrl: string;
  readonly card: AgentCard;
  /** Stops all tasks, and closes all streams and connections. */
  close(): Promise<void>;
}

/** The maximum size of requests over all transports, whose defaults are 4 MiB. */
const maxRequestBytes = 10 * 1024 * 1024;

/** Starts an echo agent on all three transports. Rejects if it cannot listen on a port. */
export async function startEchoAgent(options: EchoAgentOptions = {}): Promise<EchoAgent> {
  const {
    host = "127.0.0.1",
    environment = realEnvironment,
    push = {},
    authenticate,
    onError,
  } = options;
  const [http, grpc] = [
    createServer(),
    new Server({ "grpc.max_receive_message_length": maxRequestBytes }),
  ];
  const { url, grpcUrl } = await listen(http, grpc, { host, ...options });

  const hasUsers = authenticate !== undefined;
  const { capabilities, extendedCard: hasExtendedCard = true } = options;
  const card = agentCard({ url, grpcUrl, capabilities, hasExtendedCard, hasUsers });
  const service = new EchoService({ environment, card, hasUsers, push });
  const hooks = {
    ...(authenticate && { authenticate, anonymous: null }),
    ...(onError && { onError }),
  };
  const agent = createAgent({ card, service, ...hooks });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  const limits = { maxBodyBytes: maxRequestBytes };
  http.on("request", nodeListener(agent, { jsonRpc: limits, rest: limits }));

  const close = (): Promise<void> => {
    service.close();
    return stop(http, grpc);
  };
  return { url, grpcUrl, card, close };
}
