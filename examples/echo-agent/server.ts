import { Server } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { createAgent, type AgentCapabilities, type AgentCard } from "../../generated/1.0/index.js";
import { memoryStore, taskService, type PushOptions, type TaskService } from "../../generated/1.0/kit/index.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import { realEnvironment, type Environment } from "../shared/environment.js";
import { listen, stop } from "../shared/ports.js";
import type { Authenticate } from "./auth.js";
import { agentCard, extendedCard } from "./card.js";
import { echoBehavior } from "./echo.js";

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
  const { host = "127.0.0.1", authenticate, onError } = options;
  const [http, grpc] = [createServer(), new Server({ "grpc.max_receive_message_length": maxRequestBytes })];
  const { url, grpcUrl } = await listen(http, grpc, { host, ...options });

  const hasUsers = authenticate !== undefined;
  const card = agentCard({ url, grpcUrl, capabilities: options.capabilities, hasUsers });
  const service = echoService(card, options);
  // Without users, everybody is the same one.
  const everybody: Authenticate = () => "everybody";
  const agent = createAgent({
    card,
    service,
    authenticate: authenticate ?? everybody,
    // Callers without credentials may do everything but read the extended card.
    anonymous: null,
    ...(onError && { onError }),
  });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", nodeListener(agent));

  const close = async (): Promise<void> => {
    await service.close();
    await stop(http, grpc);
  };
  return { url, grpcUrl, card, close };
}

/** Returns the service of the agent, which keeps its tasks in memory. */
function echoService(
  card: AgentCard,
  { environment = realEnvironment, push }: EchoAgentOptions,
): TaskService<string | null> {
  const { now, newId } = environment;
  return taskService<string | null, never>({
    ...echoBehavior(environment),
    // An echo takes whatever it is sent.
    checkInputModes: false,
    extendedCard: () => extendedCard(card),
    ...(push && { push }),
    // Leases are counted by a clock that nobody sets.
    store: memoryStore(),
    now: () => now().getTime(),
    newId,
  });
}
