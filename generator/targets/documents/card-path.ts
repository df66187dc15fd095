import type { AgentBinding } from "../../protocol/model/types.js";
import { openApiDialect } from "./components.js";
import type { PathItem, Response } from "./openapi-types.js";

const validators = {
  ETag: {
    description: "Version of the card, which changes with its content.",
    schema: { type: "string" },
  },
  "Cache-Control": { description: "How long the card may be cached.", schema: { type: "string" } },
} as const;

/**
 * Describes the well-known path of the agent card. The path is relative to the agent's origin, not
 * to the base path of the routes.
 */
export function cardPath(operationId: string, { card }: AgentBinding): PathItem {
  const found: Response = {
    description: "The agent card.",
    headers: validators,
    content: { "application/json": { schema: { $ref: openApiDialect.refTo(card.type) } } },
  };
  return {
    servers: [{ url: "/", description: "Placeholder for the origin of the agent." }],
    get: {
      operationId,
      tags: ["discovery"],
      summary: "Reads the card of the agent",
      parameters: [
        {
          name: "If-None-Match",
          in: "header",
          description: "The `ETag` of the cached card.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: found,
        304: { description: "The card has not changed.", headers: validators },
      },
    },
  };
}
