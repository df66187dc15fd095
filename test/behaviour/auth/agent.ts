import { type Server as HttpServer } from "node:http";
import { createAgent } from "../../../generated/1.1-draft/index.js";
import type { AgentCard, SecurityScheme } from "../../../generated/1.1-draft/models.js";
import { grpcService } from "../../../generated/1.1-draft/server/grpc.js";
import { nodeListener } from "../../../generated/1.1-draft/server/node.js";
import {
  authenticateBy,
  type AuthenticationOptions,
  type CheckCredentials,
} from "../../../library/kit/calls/authentication.js";
import { card as plain } from "../../support/kit.js";
import { interfacesAt } from "../../support/cards.js";
import { openPorts } from "../../support/ports.js";

/** An agent that remembers what has reached it. */
export interface ProtectedAgent {
  readonly url: string;
  readonly grpcUrl: string;
  readonly card: AgentCard;
  /** The users that hooks and methods of the agent have seen. */
  readonly reached: unknown[];
  /** The errors that `onError` received. */
  readonly errors: unknown[];
  readonly http: HttpServer;
}

/** An OAuth 2 scheme. */
export const oauthScheme: SecurityScheme = {
  oauth2SecurityScheme: {
    flows: { clientCredentials: { tokenUrl: "https://login.test/token", scopes: {} } },
  },
};

/** Options of {@link protectedAgent}. */
export interface AgentOptions extends AuthenticationOptions<unknown> {
  readonly scheme?: SecurityScheme;
  readonly scopes?: readonly string[];
}

/** Starts an agent whose card requires one scheme, `login`. It stops with the test. */
export async function protectedAgent(
  check: CheckCredentials<unknown>,
  { scheme = oauthScheme, scopes = ["ask"], ...options }: AgentOptions = {},
): Promise<ProtectedAgent> {
  const { url, grpcUrl, http, serve } = await openPorts();
  const card: AgentCard = {
    ...plain,
    supportedInterfaces: interfacesAt(url, grpcUrl, "1.1"),
    securitySchemes: { login: scheme },
    securityRequirements: [{ schemes: { login: { list: [...scopes] } } }],
  };
  const [reached, errors]: [unknown[], unknown[]] = [[], []];
  const agent = createAgent({
    card,
    ...authenticateBy(card, { login: check }, options),
    authorize: ({ context: { user } }) => reached.push(user),
    onError: (error) => errors.push(error),
    service: {
      async getTask({ id }, { user }) {
        reached.push(user);
        return { id, status: { state: "TASK_STATE_WORKING" } };
      },
    },
  });
  serve({ nodeListener, grpcService }, agent);
  return { url, grpcUrl, card, reached, errors, http };
}

/** Response of an agent to a call. */
export interface Refusal {
  readonly status: number;
  readonly challenge: string | null;
  readonly retryAfter: string | null;
}

/** Calls an agent over HTTP+JSON with a token, and returns the head of its response. */
export async function call(
  { url }: { readonly url: string },
  token: string | undefined,
): Promise<Refusal> {
  const headers = {
    "a2a-version": "1.1",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}tasks/t-1`, { headers });
  await response.text();
  return {
    status: response.status,
    challenge: response.headers.get("www-authenticate"),
    retryAfter: response.headers.get("retry-after"),
  };
}

/** Returns a card with a scheme that every call requires, for an agent at a URL. */
export function cardAt(url: string, more: Partial<AgentCard> = {}): AgentCard {
  return {
    ...plain,
    capabilities: { streaming: true },
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.1" }],
    securitySchemes: { login: oauthScheme },
    securityRequirements: [{ schemes: { login: { list: ["ask"] } } }],
    ...more,
  };
}
