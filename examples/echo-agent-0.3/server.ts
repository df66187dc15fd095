import { Server } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { createAgent, type AgentCapabilities, type AgentCard } from "../../generated/0.3.0/index.js";
import { grpcService } from "../../generated/0.3.0/server/grpc.js";
import { nodeListener } from "../../generated/0.3.0/server/node.js";
import { realEnvironment, type Environment } from "../shared/environment.js";
import { listen, stop } from "../shared/ports.js";
import type { PushOptions } from "../shared/poster.js";
import type { Authenticate } from "./auth.js";
import { agentCard } from "./card.js";
import { EchoService } from "./service.js";

/** How to start an echo agent of A2A 0.3.0. */
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
  /** Whether the agent has an extended card; `true` by default. */
  readonly extendedCard?: boolean;
  /** How webhooks are called. */
  readonly push?: PushOptions;
  /** The clock and the ids. */
  readonly environment?: Environment;
  /** Is called with what goes wrong inside; `console.error` by default. */
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
  const { capabilities, extendedCard: hasExtendedCard = true } = options;
  const card = agentCard({ url, grpcUrl, capabilities, hasExtendedCard, hasUsers });
  const service = new EchoService({ environment, card, hasUsers, push });
  const hooks = { ...(authenticate && { authenticate, anonymous: undefined }), ...(onError && { onError }) };
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
