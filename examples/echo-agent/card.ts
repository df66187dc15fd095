import type { AgentCapabilities, AgentCard, AgentSkill } from "../../generated/1.0/index.js";
import { protocol } from "../../generated/1.0/operations.js";

/** What the card of the echo agent depends on. */
export interface CardOptions {
  /** Where JSON-RPC and HTTP+JSON are. */
  readonly url: string;
  /** Where gRPC is. */
  readonly grpcUrl: string;
  /** Replaces some of the capabilities. */
  readonly capabilities?: AgentCapabilities | undefined;
  /** Whether callers can say who they are, by a bearer token. */
  readonly hasUsers: boolean;
}

const echoSkill: AgentSkill = {
  id: "echo",
  name: "Echo",
  description: "Gives back what it is sent, as an artifact in a few pieces",
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

/** Returns the card that everybody may see. */
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
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true, ...capabilities },
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [echoSkill],
    ...(hasUsers ? { securitySchemes: bearer } : {}),
  };
}

/** Returns the card for callers who have signed in. */
export function extendedCard(card: AgentCard): AgentCard {
  return { ...card, skills: [...card.skills, signedInSkill] };
}
