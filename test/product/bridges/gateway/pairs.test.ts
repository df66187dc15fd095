import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentCard } from "../../../../generated/1.0/models.js";
import { adaptedOutput, type AdaptedOutput } from "../../../support/adapted.js";
import { aCard } from "../../../support/cards.js";
import { conversational, converse } from "./conversation.js";

const specs = ["0.2.6", "0.3.0", "0.4-draft", "1.1-draft"];
const versions = ["0.2", "0.3", "0.4", "1.0", "1.1"];
const bindings = ["JSONRPC", "HTTP+JSON"];
const upstreams = versions.flatMap((version) => bindings.map((binding) => ({ version, binding })));

describe("a gateway between every pair of versions and transports", () => {
  let output: AdaptedOutput;
  let service: ReturnType<typeof conversational>;
  beforeAll(async () => {
    output = await adaptedOutput("1.0", specs);
    service = conversational(output);
  });
  afterAll(() => service.close());

  /** Returns a client that calls a handler in this process, in one version over one binding. */
  const connected = (card: AgentCard, handler: (request: Request) => Promise<Response>) => {
    const fetch = (url: string, init: RequestInit) => handler(new Request(url, init));
    const spoken = Object.values(output.adapters).map((each) => each.spoken);
    return output.own.connect(card, { fetch, versions: spoken });
  };
  const cardIn = (card: AgentCard, version: string, binding: string): AgentCard => ({
    ...card,
    supportedInterfaces: card.supportedInterfaces
      .filter((each) => each.protocolBinding === binding)
      .slice(0, 1)
      .map((each) => ({ ...each, protocolVersion: version })),
  });

  it.each(upstreams)(
    "callers of an agent of $version over $binding have the same conversation as without it",
    async ({ version, binding }) => {
      const { own, adapters } = output;
      const [served, spoken] = [
        Object.values(adapters).map((each) => each.served),
        Object.values(adapters).map((each) => each.spoken),
      ];
      const card = aCard(
        [{ url: "http://agent.test", protocolBinding: binding, protocolVersion: version }],
        { defaultInputModes: ["text/plain", "image/png"] },
      );
      const upstream = own.fetchHandler(own.createAgent({ card, service, versions: served }));
      const direct = await converse(await connected(card, upstream), own);
      expect(direct).toContainEqual(expect.stringContaining("Booked Oslo for two"));
      const seen: string[] = [];
      const gateway = await own.gateway({
        upstream: card,
        url: "http://gateway.test",
        versions: { callers: served, upstream: spoken },
        connect: {
          fetch: (url, init) => {
            seen.push(new URL(url).host);
            return upstream(new Request(url, init));
          },
        },
      });
      for (const caller of versions) {
        for (const over of bindings) {
          const client = await connected(cardIn(gateway.card, caller, over), gateway.fetch);
          expect(client.version).toBe(caller);
          expect(await converse(client, own), `${caller} over ${over}`).toEqual(direct);
          client.close();
        }
      }
      expect(new Set(seen)).toEqual(new Set(["agent.test"]));
      gateway.close();
    },
  );
});
