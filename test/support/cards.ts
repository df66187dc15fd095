import type { AgentCard, AgentInterface, AgentSkill } from "../../generated/1.0/models.js";

/**
 * Returns the card of an agent that is tested, with the interfaces that are given or with JSON-RPC
 * at a URL.
 */
export function aCard(at: string | AgentInterface[], members: Partial<AgentCard> = {}): AgentCard {
  return {
    name: "Test",
    description: "Is tested.",
    version: "1",
    supportedInterfaces:
      typeof at === "string"
        ? [{ url: at, protocolBinding: "JSONRPC", protocolVersion: "1.0" }]
        : at,
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    ...members,
  };
}

/** Returns a skill of a card. */
export function aSkill(members: Partial<AgentSkill> = {}): AgentSkill {
  return { id: "s", name: "S", description: "Does.", tags: ["t"], ...members };
}

/** Returns the interfaces of an agent with every transport. */
export function interfacesAt(
  url: string,
  grpcUrl: string,
  protocolVersion = "1.0",
): AgentInterface[] {
  return ["JSONRPC", "HTTP+JSON", "GRPC"].map((protocolBinding) => ({
    url: protocolBinding === "GRPC" ? grpcUrl : url,
    protocolBinding,
    protocolVersion,
  }));
}
