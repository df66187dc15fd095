import { protocol } from "../../generated/0.3.0/operations.js";
import type { AgentCapabilities, AgentCard, AgentSkill } from "../../generated/0.3.0/index.js";

/** Options for the card of the echo agent. */
export interface CardOptions {
  /** Base URL of JSON-RPC and HTTP+JSON. */
  readonly url: string;
  /** Address of the gRPC server. */
  readonly grpcUrl: string;
  /** Capabilities that override the defaults. */
  readonly capabilities?: AgentCapabilities | undefined;
  /** Whether authenticated callers can read an extended card. */
  readonly hasExtendedCard: boolean;
  /** Whether callers can authenticate with a bearer token. */
  readonly hasUsers: boolean;
}

const echoSkill: AgentSkill = {
  id: "echo",
  name: "Echo",
  description: "Returns each message as an artifact in a few chunks",
  tags: ["echo", "test"],
  examples: ["Hello there", "slow 500 One word at a time", "ask What is your name?"],
};

const signedInSkill: AgentSkill = {
  id: "private-echo",
  name: "Private echo",
  description: "Keeps the tasks of each user apart",
  tags: ["echo", "private"],
};

const modes = ["text/plain", "application/json", "application/octet-stream"];

/** Returns the public card. Its main URL is the URL of the preferred transport. */
export function agentCard({
  url,
  grpcUrl,
  capabilities,
  hasExtendedCard,
  hasUsers,
}: CardOptions): AgentCard {
  const { jsonRpc, http, grpc } = protocol.bindings;
  return {
    protocolVersion: "0.3.0",
    name: "Echo agent",
    description: "An agent in memory that answers with what it is sent",
    version: "1.0.0",
    url,
    preferredTransport: jsonRpc,
    additionalInterfaces: [
      { url, transport: jsonRpc },
      { url, transport: http },
      { url: grpcUrl, transport: grpc },
    ],
    capabilities: { streaming: true, pushNotifications: true, ...capabilities },
    supportsAuthenticatedExtendedCard: hasExtendedCard,
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [echoSkill],
    ...(hasUsers ? { securitySchemes: { bearer: { type: "http", scheme: "Bearer" } } } : {}),
  };
}

/** Returns the extended card for authenticated callers. */
export function extendedCard(card: AgentCard): AgentCard {
  return { ...card, skills: [...card.skills, signedInSkill] };
}
