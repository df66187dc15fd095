import { onTestFinished } from "vitest";
import type * as grpcClient from "../../../generated/1.0/client/grpc.js";
import type * as index from "../../../generated/1.0/index.js";
import type * as clientKit from "../../../generated/1.0/kit/client/index.js";
import type * as kit from "../../../generated/1.0/kit/index.js";
import type * as grpcServer from "../../../generated/1.0/server/grpc.js";
import type * as node from "../../../generated/1.0/server/node.js";
import { modulesOf } from "../../support/generated.js";
import { type Binding } from "../../support/scripted.js";
import { aCard, interfacesAt } from "../../support/cards.js";
import { openPorts } from "../../support/ports.js";

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
  const { url, grpcUrl, serve } = await openPorts();
  const card: index.AgentCard = aCard(interfacesAt(url, grpcUrl), {
    capabilities: { streaming: true, ...more },
    defaultInputModes: ["text/plain", "application/json"],
  });
  const agent = output.createAgent({ card, onError: (error) => errors.push(error), ...options });
  serve(output, agent);
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
