import type { AgentCapabilities, AgentCard, AgentSkill } from "../../generated/1.0/index.js";
import { protocol } from "../../generated/1.0/operations.js";

/** Options for the card of the echo agent. */
export interface CardOptions {
  /** Base URL of JSON-RPC and HTTP+JSON. */
  readonly url: string;
  /** Address of the gRPC server. */
  readonly grpcUrl: string;
  /** Capabilities that override the defaults. */
  readonly capabilities?: AgentCapabilities | undefined;
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

/** Returns the public card. */
export function agentCard({ url, grpcUrl, capabilities, hasUsers }: CardOptions): AgentCard {
  const { bindings, version: protocolVersion } = protocol;
  const bearer = { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } };
  return {
    name: "Echo agent",
    description: "An agent in memory that answers with what it is sent",
    version: "1.0.0",
    supportedInterfaces: [
      { url, protocolBinding: bindings.jsonRpc, protocolVersion },
      { url, protocolBinding: bindings.http, protocolVersion },
      { url: grpcUrl, protocolBinding: bindings.grpc, protocolVersion },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      ...capabilities,
    },
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [echoSkill],
    ...(hasUsers ? { securitySchemes: bearer } : {}),
  };
}

/** Returns the extended card for authenticated callers. */
export function extendedCard(card: AgentCard): AgentCard {
  return { ...card, skills: [...card.skills, signedInSkill] };
}
