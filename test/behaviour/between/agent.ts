import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { listen, stop } from "../../../examples/shared/ports.js";
import type { AgentCard } from "../../../generated/1.0/index.js";
import { adaptedOutput, type AdaptedOutput } from "../../support/adapted.js";
import { aCard, interfacesAt } from "../../support/cards.js";

/** The card of an agent of a version from 1.0 on. */
export function cardAt(
  { url, grpcUrl }: { readonly url: string; readonly grpcUrl: string },
  version: string,
): AgentCard {
  return aCard(interfacesAt(url, grpcUrl, version), {
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  });
}

/** An agent on the task kit that serves several versions at the same addresses. */
export interface KitAgent {
  readonly url: string;
  readonly grpcUrl: string;
  /** The versions that calls have been held in, as the service sees them. */
  readonly seen: ReadonlySet<string>;
  readonly output: AdaptedOutput;
  close(): Promise<void>;
}

/**
 * Starts an agent that works until it is canceled if its message says "wait". Callers with wrong
 * credentials are refused.
 */
export async function startKitAgent(spec: string, versions: readonly string[]): Promise<KitAgent> {
  const output = await adaptedOutput(spec, versions);
  const {
    artifact,
    completed,
    createAgent,
    grpcService,
    nodeListener,
    taskService,
    textOf,
    working,
  } = output.own;
  const { UnauthenticatedError } = output.own;
  const seen = new Set<string>();
  const [http, grpc] = [createServer(), new GrpcServer()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  const card = cardAt(addresses, spec.replace("-draft", ""));
  const service = taskService<string>({
    extendedCard: () => ({ ...card, description: "Is known." }),
    async *run({ message, untilAborted }) {
      yield working("Thinking");
      if (textOf(message) === "wait") await untilAborted(new Promise(() => undefined));
      yield* artifact("answer").from(["4", "2"]);
      return completed("Done");
    },
  });
  const agent = createAgent({
    authenticate({ headers }) {
      if (headers.get("authorization") === "wrong") throw new UnauthenticatedError("Who are you?");
      return "alice";
    },
    authorize: ({ context }) => seen.add(context.version),
    card,
    service,
    versions: Object.values(output.adapters).map(({ served }) => served),
  });
  const { definition, implementation } = grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", nodeListener(agent));
  return {
    ...addresses,
    seen,
    output,
    async close() {
      await service.close();
      await stop(http, grpc);
    },
  };
}
