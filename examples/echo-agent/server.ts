import { Server } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { createAgent, type AgentCapabilities, type AgentCard } from "../../generated/1.0/index.js";
import {
  memoryStore,
  taskService,
  type PushOptions,
  type TaskService,
} from "../../generated/1.0/kit/index.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { realEnvironment, type Environment } from "../shared/environment.js";
import { listen, stop } from "../shared/ports.js";
import type { Authenticate } from "./auth.js";
import { agentCard, extendedCard } from "./card.js";
import { echoBehavior } from "./echo.js";

/** Options for an echo agent. */
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
  const { host = "127.0.0.1", authenticate, onError } = options;
  const [http, grpc] = [
    createServer(),
    new Server({ "grpc.max_receive_message_length": maxRequestBytes }),
  ];
  const { url, grpcUrl } = await listen(http, grpc, { host, ...options });

  const hasUsers = authenticate !== undefined;
  const card = agentCard({ url, grpcUrl, capabilities: options.capabilities, hasUsers });
  const service = echoService(card, options);
  // Without authentication, all callers have the same owner.
  const everybody: Authenticate = () => "everybody";
  const agent = createAgent({
    card,
    service,
    authenticate: authenticate ?? everybody,
    // Callers without credentials may call every operation except reading the extended card.
    anonymous: null,
    ...(onError && { onError }),
  });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  const limits = { maxBodyBytes: maxRequestBytes };
  http.on("request", nodeListener(agent, { jsonRpc: limits, rest: limits }));

  const close = async (): Promise<void> => {
    await service.close();
    await stop(http, grpc);
  };
  return { url, grpcUrl, card, close };
}

/** Returns the service of the agent, which stores its tasks in memory. */
function echoService(
  card: AgentCard,
  { environment = realEnvironment, push }: EchoAgentOptions,
): TaskService<string | null> {
  const { now, newId } = environment;
  return taskService<string | null, never>({
    ...echoBehavior(environment),
    // An echo accepts all media types.
    checkInputModes: false,
    extendedCard: () => extendedCard(card),
    ...(push && { push }),
    // Leases use a monotonic clock.
    store: memoryStore(),
    now: () => now().getTime(),
    newId,
  });
}
