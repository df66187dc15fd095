import type { AgentCard } from "../../../generated/1.0/index.js";
import type { HostOptions } from "./peers.js";
import { aCard } from "../../support/cards.js";

/** The extension that all agents offer. */
export const extension = "https://example.org/ext/one";

/** Returns the card of an agent in the JSON of 1.0. `version` is the version of its interfaces. */
export function cardOf(
  addresses: { readonly url: string; readonly grpcUrl: string },
  version: string,
  { capabilities, security = true }: HostOptions = {},
): AgentCard {
  const { url, grpcUrl } = addresses;
  return aCard(
    [
      { url: `${url}rpc`, protocolBinding: "JSONRPC", protocolVersion: version },
      { url: `${url}rest`, protocolBinding: "HTTP+JSON", protocolVersion: version },
      { url: grpcUrl, protocolBinding: "GRPC", protocolVersion: version },
    ],
    {
      name: "Scenes",
      provider: { organization: "Example", url: "https://example.org" },
      documentationUrl: "https://example.org/docs",
      capabilities: {
        streaming: true,
        pushNotifications: true,
        extendedAgentCard: true,
        extensions: [
          {
            uri: extension,
            description: "Says one",
            params: { level: 1, deep: { list: [true, "x"] } },
          },
        ],
        ...capabilities,
      },
      ...(security && {
        securitySchemes: {
          bearer: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
        },
      }),
      defaultInputModes: ["text/plain", "application/json"],
      skills: [
        {
          id: "scene",
          name: "Scene",
          description: "Plays one",
          tags: ["test", "scene"],
          examples: ["work", "ask"],
        },
      ],
    },
  );
}

/** The card for callers who may see more. */
export function extendedCard(card: AgentCard): AgentCard {
  return {
    ...card,
    skills: [
      ...card.skills,
      { id: "more", name: "More", description: "For friends", tags: ["more"] },
    ],
  };
}
