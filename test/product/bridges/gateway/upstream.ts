import { onTestFinished } from "vitest";
import type { A2AService, AgentCard, AgentOptions } from "../../../../generated/1.0/index.js";
import { adaptedOutput, type AdaptedOutput } from "../../../support/adapted.js";
import { aCard } from "../../../support/cards.js";
import { say } from "./conversation.js";

/** The message of the caller. */
export const message = say("hello");
export const status = { state: "TASK_STATE_WORKING" } as const;
/** The task of the upstream. */
export const task = { id: "t", contextId: "c", status };
type Options = Parameters<AdaptedOutput["own"]["gateway"]>[0];

/** The output of this version, and the adapters for other versions. */
export const output = await adaptedOutput();

/** Returns a gateway in front of a function that takes requests, and a client for the gateway. */
export async function gatewayTo(
  upstream: (request: Request) => Response | Promise<Response>,
  more: Partial<Options> = {},
  card: AgentCard = aCard("http://agent.test"),
) {
  const errors: unknown[] = [];
  const gateway = await output.own.gateway({
    upstream: card,
    url: "http://gateway.test",
    ...more,
    connect: {
      fetch: async (url, init) => upstream(new Request(url, init)),
      ...more.connect,
    },
    agent: { onError: (error) => errors.push(error), ...more.agent },
  });
  onTestFinished(() => {
    gateway.close();
  });
  const connected = (headers: Record<string, string> = {}) =>
    output.own.connect(gateway.card, {
      headers,
      fetch: (url, init) => gateway.fetch(new Request(url, init)),
    });
  return { ...gateway, errors, connected, client: await connected() };
}

/** Returns a gateway in front of a service of this version. */
export function gatewayToService(service: A2AService, more?: Partial<Options>, card?: AgentCard) {
  const found = card ?? aCard("http://agent.test");
  const options: AgentOptions = { card: found, service, onError: () => undefined };
  const agent = output.own.createAgent(options);
  return gatewayTo(output.own.fetchHandler(agent), more, found);
}

/** Returns a stream of events. */
export const events = (...values: readonly string[]) =>
  new Response(values.map((value) => `data: ${value}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
/** Returns the text of a JSON-RPC response. */
export const result = (value: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: value });
