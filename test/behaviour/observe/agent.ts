import {
  createAgent,
  UnauthenticatedError,
  type AgentCard,
  type AgentOptions,
  type RequestReport,
} from "../../../generated/1.0/index.js";
import { grpcService } from "../../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { aCard, interfacesAt } from "../../support/cards.js";
import { openPorts } from "../../support/ports.js";

/** The card of an agent at these URLs. */
export function cardAt(url: string, grpcUrl: string): AgentCard {
  return aCard(interfacesAt(url, grpcUrl), {
    name: "Observed",
    capabilities: { streaming: true, pushNotifications: true },
  });
}

/** An agent whose requests are observed. */
export interface ObservedAgent {
  readonly url: string;
  readonly grpcUrl: string;
  readonly card: AgentCard;
  readonly reports: RequestReport[];
}

/**
 * Starts an agent over all transports, which stops with the test. Users are the tokens that they
 * send.
 */
export async function observedAgent(options: Omit<AgentOptions, "card">): Promise<ObservedAgent> {
  const { url, grpcUrl, serve } = await openPorts();
  const card = cardAt(url, grpcUrl);
  const reports: RequestReport[] = [];
  const agent = createAgent({ card, observe: (report) => reports.push(report), ...options });
  serve({ nodeListener, grpcService }, agent);
  return { url, grpcUrl, card, reports };
}

/** Rejects callers without a token; the user is the token. */
export function byToken({
  headers,
}: {
  readonly headers: { get(name: string): string | undefined };
}): string {
  const user = headers.get("authorization")?.replace(/^Bearer /, "");
  if (user === undefined || user === "") throw new UnauthenticatedError();
  return user;
}
