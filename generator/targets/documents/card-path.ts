import type { BindingDef } from "../../protocol/model/types.js";
import { openApiDialect } from "./components.js";
import type { PathItem, Response } from "./openapi-types.js";

const validators = {
  ETag: { description: "Changes with the card.", schema: { type: "string" } },
  "Cache-Control": { description: "How long the card may be kept.", schema: { type: "string" } },
} as const;

/**
 * Describes the well-known path of the agent card. It is relative to the origin of the agent, not to the base path of
 * the routes.
 */
export function cardPath(operationId: string, { card }: BindingDef): PathItem {
  const found: Response = {
    description: "The agent card.",
    headers: validators,
    content: { "application/json": { schema: { $ref: openApiDialect.refTo(card.type) } } },
  };
  return {
    servers: [{ url: "/", description: "Stands for the origin of the agent." }],
    get: {
      operationId,
      tags: ["discovery"],
      summary: "Reads the card of the agent",
      parameters: [
        {
          name: "If-None-Match",
          in: "header",
          description: "The `ETag` of the card that the caller has.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: found,
        304: { description: "The card is still the same.", headers: validators },
      },
    },
  };
}
