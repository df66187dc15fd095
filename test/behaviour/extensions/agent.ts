import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { listen, stop } from "../../../examples/shared/ports.js";
import type * as grpcClient from "../../../generated/1.0/client/grpc.js";
import type * as index from "../../../generated/1.0/index.js";
import type * as clientKit from "../../../generated/1.0/kit/client/index.js";
import type * as kit from "../../../generated/1.0/kit/index.js";
import type * as grpcServer from "../../../generated/1.0/server/grpc.js";
import type * as node from "../../../generated/1.0/server/node.js";
import { modulesOf } from "../../support/generated.js";
import { bindings, type Binding } from "../../support/scripted.js";

/** The modules of an output with the task kit. */
export type Output = typeof index &
  typeof grpcClient &
  typeof kit &
  Pick<typeof clientKit, "withExtensions" | "followTask"> &
  typeof grpcServer &
  typeof node;

const modules = [
  "index",
  "client/grpc",
  "kit/client/index",
  "kit/index",
  "server/grpc",
  "server/node",
];

/** Outputs with copies of the runtime, and with the runtime as a package. */
export const outputs = {
  copies: (await modulesOf("1.0", modules)) as Output,
  package: (await modulesOf("1.0", modules)) as Output,
} as const;

/** An agent, and the ways to call it. */
export interface Running {
  readonly url: string;
  readonly grpcUrl: string;
  readonly errors: unknown[];
  /** Connects a client over a binding; it is closed at the end of the test. */
  connect(binding: Binding, interceptors?: readonly index.Interceptor[]): Promise<index.A2AClient>;
}

/** Starts an agent over all bindings, until the end of the test. */
export async function start(
  output: Output,
  options: Pick<index.AgentOptions, "service"> & Partial<index.AgentOptions>,
  more: Partial<index.AgentCard["capabilities"]> = {},
): Promise<Running> {
  const errors: unknown[] = [];
  const [http, grpc] = [createServer(), new GrpcServer()];
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  onTestFinished(() => stop(http, grpc));
  const card: index.AgentCard = {
    name: "Test",
    description: "Is tested.",
    version: "1",
    skills: [],
    capabilities: { streaming: true, ...more },
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain"],
    supportedInterfaces: [url, url, grpcUrl].map((to, at) => ({
      url: to,
      protocolBinding: bindings[at] ?? "",
      protocolVersion: "1.0",
    })),
  };
  const agent = output.createAgent({ card, onError: (error) => errors.push(error), ...options });
  const { definition, implementation } = output.grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", output.nodeListener(agent));
  const transports = { JSONRPC: output.jsonRpc, "HTTP+JSON": output.rest, GRPC: output.grpc };
  return {
    url,
    grpcUrl,
    errors,
    async connect(binding, interceptors = []) {
      const client = await output.connect(url, {
        transports: [transports[binding]()],
        interceptors,
      });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

/** A message of a user. */
export function say(text: string, more: Partial<index.Message> = {}): index.Message {
  return { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more };
}
