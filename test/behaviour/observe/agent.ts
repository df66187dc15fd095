import { Server } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { listen, stop } from "../../../examples/shared/ports.js";
import {
  createAgent,
  UnauthenticatedError,
  type AgentCard,
  type AgentOptions,
  type RequestReport,
} from "../../../generated/1.0/index.js";
import { grpcService } from "../../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";

/** The card of an agent at these URLs. */
export function cardAt(url: string, grpcUrl: string): AgentCard {
  const at = (protocolBinding: string) => ({
    url: protocolBinding === "GRPC" ? grpcUrl : url,
    protocolBinding,
    protocolVersion: "1.0",
  });
  return {
    name: "Observed",
    description: "Is observed.",
    version: "1",
    supportedInterfaces: ["JSONRPC", "HTTP+JSON", "GRPC"].map(at),
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
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
  const [http, grpc] = [createServer(), new Server()];
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  onTestFinished(() => stop(http, grpc));
  const card = cardAt(url, grpcUrl);
  const reports: RequestReport[] = [];
  const agent = createAgent({ card, observe: (report) => reports.push(report), ...options });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", nodeListener(agent));
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
