import { describe, expect, it } from "vitest";
import { aCard } from "../../../support/cards.js";
import { failureOf } from "../../../support/everywhere.js";
import { gatewayTo, gatewayToService, output, task } from "./upstream.js";

describe("the upstream of a gateway", () => {
  it("a client may be the upstream", async () => {
    const { own } = output;
    const card = aCard("http://agent.test");
    const agent = own.fetchHandler(own.createAgent({ card, service: { getTask: () => task } }));
    const fetch = (url: string, init: RequestInit) => agent(new Request(url, init));
    const { client } = await gatewayTo(() => Response.error(), {
      upstream: await own.connect(card, { fetch }),
    });
    expect(await client.getTask({ id: "t" })).toEqual(task);
  });

  it("a client without a card is refused", async () => {
    const { own } = output;
    const upstream = new own.A2AClient({ transport: own.jsonRpcTransport("http://agent.test") });
    expect(await failureOf(own.gateway({ upstream, url: "http://gateway.test" }))).toMatchObject({
      name: "TypeError",
      message: "upstream must have a card: pass a client that `connect` has created",
    });
  });
});

describe("the card of a gateway", () => {
  const signed = {
    signatures: [{ protected: "e30", signature: "abc" }],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  };

  it("the card has the gateway's interfaces, and no signatures and webhooks", async () => {
    const { card, report } = await gatewayToService({}, {}, aCard("http://agent.test", signed));
    expect(
      card.supportedInterfaces.map(({ url, protocolBinding }) => [url, protocolBinding]),
    ).toEqual([
      ["http://gateway.test", "JSONRPC"],
      ["http://gateway.test", "HTTP+JSON"],
    ]);
    expect(card).not.toHaveProperty("signatures");
    expect(card.capabilities).toEqual({ ...signed.capabilities, pushNotifications: false });
    expect(report).toEqual([
      "Webhooks are not passed on, although the upstream supports them: set `push.secret`.",
      "The signatures of the card are removed, because they cover the addresses: sign the card " +
        "again in `card`.",
    ]);
  });

  it("the extended card is changed in the same way", async () => {
    const card = aCard("http://agent.test", signed);
    const { client } = await gatewayToService(
      { getExtendedAgentCard: () => ({ ...card, description: "More" }) },
      { card: (each) => ({ ...each, name: "Gateway" }) },
      card,
    );
    const extended = await client.getExtendedAgentCard();
    expect(extended).toMatchObject({ name: "Gateway", description: "More" });
    expect(JSON.stringify(extended)).not.toContain("agent.test");
  });

  it("the option `card` may sign the card again", async () => {
    const { signCard } = output.own;
    const { privateKey } = await crypto.subtle.generateKey(
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["sign", "verify"],
    );
    const { card, report } = await gatewayToService(
      {},
      { card: (each) => signCard(each, { key: privateKey, alg: "ES256", kid: "k" }) },
      aCard("http://agent.test", { signatures: signed.signatures }),
    );
    expect(card.signatures).toHaveLength(1);
    expect(card.signatures).not.toEqual(signed.signatures);
    expect(report).toEqual([]);
  });

  it("the report names what the version, the bindings and the credentials lose", async () => {
    const { own, adapters } = output;
    const upstream = Object.values(adapters).map(({ spoken }) => spoken);
    const interfaces = [
      { url: "http://agent.test", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url: "agent.test:443", protocolBinding: "GRPC", protocolVersion: "0.3" },
    ];
    const securitySchemes = {
      tls: { mtlsSecurityScheme: {} },
      key: { apiKeySecurityScheme: { location: "query", name: "key" } },
    };
    const gateway = await own.gateway({
      upstream: aCard(interfaces, { securitySchemes }),
      url: "http://gateway.test",
      versions: { upstream },
    });
    expect(gateway.report).toEqual([
      "Version 0.3 of the upstream does not have ListTasks: callers receive the error for an " +
        "unsupported operation.",
      "Callers cannot use GRPC, which the upstream serves: serve `agent` over it.",
      "The client certificates of callers (tls) end at the gateway.",
      "API keys in the query (key) are not passed on: send them in `headers`.",
    ]);
    gateway.close();
  });

  it("the card and the calls are below the path of the URL", async () => {
    const { fetch, close } = await gatewayToService(
      { getTask: () => task },
      { url: "http://gateway.test/agents/one/" },
    );
    const card = await output.own.fetchCard("http://gateway.test/agents/one/", {
      fetch: (url, init) => fetch(new Request(url, init)),
    });
    expect(card.supportedInterfaces[0]?.url).toBe("http://gateway.test/agents/one/");
    const client = await output.own.connect(card, {
      fetch: (url, init) => fetch(new Request(url, init)),
    });
    expect(await client.getTask({ id: "t" })).toEqual(task);
    expect((await fetch(new Request("http://gateway.test/tasks/t"))).status).toBe(404);
    close();
  });
});

it("a gateway whose path a proxy removes has the path in its card only", async () => {
  const { card, fetch } = await gatewayToService(
    { getTask: () => task },
    { url: "http://gateway.test/one", path: "/" },
  );
  expect(card.supportedInterfaces[0]?.url).toBe("http://gateway.test/one");
  const headers = { "a2a-version": "1.0" };
  const response = await fetch(new Request("http://gateway.test/tasks/t", { headers }));
  expect(await response.json()).toEqual(task);
});

it.each(["ftp://gateway.test", "gateway.test", "http://gateway.test/?a=b"])(
  "the URL %s of a gateway is refused",
  async (url) => {
    const options = { upstream: aCard("http://agent.test"), url };
    expect(await failureOf(output.own.gateway(options))).toMatchObject({
      name: "TypeError",
      message: expect.stringContaining("url must be an HTTP URL without a query") as string,
    });
  },
);
