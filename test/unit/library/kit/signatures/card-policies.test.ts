import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer } from "node:http";
import {
  CardCache,
  connect,
  createAgent,
  fetchCard,
  fetchHandler,
} from "../../../../../generated/1.1-draft/index.js";
import type { AgentCard } from "../../../../../generated/1.1-draft/models.js";
import {
  keySet,
  withVerifiedCards,
  type VerifiedCardsOptions,
} from "../../../../../generated/1.1-draft/kit/client/index.js";
import { AgentCardSchema } from "../../../../../generated/1.1-draft/validators.js";
import {
  algorithmOf,
  base64Url,
  encodedHeader,
  signingInput,
} from "../../../../../library/kit/signatures/jws.js";
import type { Key } from "../../../../../library/kit/signatures/jws.js";
import { payloadOf } from "../../../../../library/kit/signatures/payload.js";
import { check } from "../../../../../library/runtime/schema/schema.js";
import { signCard } from "../../../../support/bound-kit.js";
import { card as plain } from "../../../../support/kit.js";
import { jsonOf, keyPair } from "../../../../support/keys.js";
import { portOf } from "../../../../support/ports.js";

type Policy = VerifiedCardsOptions["policy"];

const [keys, mallory] = [await keyPair(), await keyPair()];
const jwk = (key: Key) => jsonOf(key, "k");
const trusted = keySet({ keys: [await jwk(keys.publicKey)] });

const card: AgentCard = {
  ...plain,
  supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({
    url: "https://agent.test",
    protocolBinding,
    protocolVersion: "1.1",
  })),
};
const signed = await signCard(card, { key: keys.privateKey, kid: "k" });
const changed = { ...signed, name: "Mallory" };
const foreign = await signCard(card, { key: mallory.privateKey, kid: "other" });

/**
 * Each way to a card: fetched, given as a value, and extended over each binding. Returns the name
 * in the card.
 */
const ways: Readonly<
  Record<string, (one: AgentCard, policy: Policy) => Promise<string | undefined>>
> = {
  async fetched(one, policy) {
    return (await connect("https://agent.test", { ...verifying(policy), fetch: agentOf(one) })).card
      ?.name;
  },
  async "fetched with fetchCard"(one, policy) {
    return (await fetchCard("https://agent.test", { ...verifying(policy), fetch: agentOf(one) }))
      .name;
  },
  async preset(one, policy) {
    return (await connect(one, { ...verifying(policy), fetch: agentOf(one) })).card?.name;
  },
  extended: (one, policy) => extended(one, policy, 0),
  "extended over HTTP+JSON": (one, policy) => extended(one, policy, 1),
};

function verifying(policy: Policy) {
  return {
    interceptors: [
      policy === undefined ? withVerifiedCards(trusted) : withVerifiedCards(trusted, { policy }),
    ],
  };
}

function agentOf(one: AgentCard, extendedCard: AgentCard = one) {
  const handler = fetchHandler(
    createAgent({
      card: one,
      service: { getExtendedAgentCard: () => Promise.resolve(extendedCard) },
    }),
  );
  return (url: string, init: RequestInit) => handler(new Request(url, init));
}

async function extended(one: AgentCard, policy: Policy, at: number): Promise<string> {
  const offer = { ...card, supportedInterfaces: card.supportedInterfaces.slice(at, at + 1) };
  const first = await signCard(offer, { key: keys.privateKey, kid: "k" });
  const client = await connect("https://agent.test", {
    ...verifying(policy),
    fetch: agentOf(first, one),
  });
  return (await client.getExtendedAgentCard({})).name;
}

describe.each(Object.entries(ways))("a card that is %s", (_, connectTo) => {
  it.each<[policy: Policy, what: string, one: AgentCard, outcome: RegExp | "passes"]>([
    [undefined, "signed", signed, "passes"],
    [undefined, "unsigned", card, /the card has no signatures/],
    ["require", "signed", signed, "passes"],
    ["require", "unsigned", card, /the card has no signatures/],
    ["require", "changed", changed, /is for another card/],
    ["require", "signed with an unknown key", foreign, /the key "other" is unknown/],
    ["prefer", "signed", signed, "passes"],
    ["prefer", "unsigned", card, "passes"],
    ["prefer", "without any of its signatures", { ...signed, signatures: [] }, "passes"],
    ["prefer", "changed", changed, /is for another card/],
    ["prefer", "signed with an unknown key", foreign, /the key "other" is unknown/],
    ["ignore", "signed", signed, "passes"],
    ["ignore", "unsigned", card, "passes"],
    ["ignore", "changed", changed, "passes"],
  ])("under the policy %s meets its outcome if it is %s", async (policy, _what, one, outcome) => {
    if (outcome === "passes") return expect(await connectTo(one, policy)).toBe(one.name);
    await expect(connectTo(one, policy)).rejects.toMatchObject({
      name: "CardSignatureError",
      message: expect.stringMatching(outcome) as string,
    });
  });
});

describe("withVerifiedCards", () => {
  const mallory = {
    url: "https://mallory.test/rpc",
    protocolBinding: "JSONRPC",
    protocolVersion: "1.0",
  };
  it.each([
    ["the list of interfaces", { x: { $case: "supportedInterfaces", value: [mallory] } }],
    ["the URL of an interface", { supportedInterfaces: [{ ...card.supportedInterfaces[0], x: { $case: "url", value: mallory.url } }] }], // prettier-ignore
    ["a new member of an interface", { supportedInterfaces: [{ ...card.supportedInterfaces[0], x: { $case: "tenant", value: "mallory" } }] }], // prettier-ignore
  ])(
    "withVerifiedCards refuses a signed card to which a second form of a member was added: %s",
    async (_, added) => {
      const offer = { ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) };
      const honest = await signCard(offer, { key: keys.privateKey, kid: "k" });
      const body = JSON.stringify({ ...honest, ...added });
      const fetch = () =>
        Promise.resolve(new Response(body, { headers: { "content-type": "application/json" } }));
      for (const strict of [false, true])
        await expect(
          connect("https://agent.test", { ...verifying("require"), fetch, strict }),
        ).rejects.toMatchObject({
          name: "CardSignatureError",
        });
    },
  );

  it("withVerifiedCards refuses an unknown policy instead of checking nothing", () => {
    expect(() => withVerifiedCards(trusted, { policy: "required" as "require" })).toThrow(
      '`policy` must be "require", "prefer" or "ignore", got "required"',
    );
  });

  it("withVerifiedCards does not change other calls", async () => {
    const fetch = agentOf(signed);
    const client = await connect("https://agent.test", { ...verifying("require"), fetch });
    await expect(client.getTask({ id: "t" })).rejects.toHaveProperty(
      "name",
      "UnsupportedOperationError",
    );
  });
});

describe("the text of a card", () => {
  const twice = JSON.stringify(signed).replace("{", '{"name":"Mallory",');
  const respond = (text: string) => () =>
    Promise.resolve(
      new Response(text, {
        headers: { "content-type": "application/json", "cache-control": "max-age=60" },
      }),
    );

  it.each<Policy>(["require", "prefer"])(
    "the text of a card is refused under the policy %s if it contains a name twice",
    async (policy) => {
      const options = { ...verifying(policy), fetch: respond(twice) };
      await expect(connect("https://agent.test", options)).rejects.toMatchObject({
        name: "CardSignatureError",
        message:
          'The agent card cannot be verified: The JSON has the member "name" twice in one object',
      });
    },
  );

  it.each([0, 1])("the text of an extended card over interface %i is refused", async (at) => {
    const offer = { ...card, supportedInterfaces: card.supportedInterfaces.slice(at, at + 1) };
    const first = await signCard(offer, { key: keys.privateKey, kid: "k" });
    const agent = agentOf(first, signed);
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await agent(url, init);
      if (url.endsWith("agent-card.json")) return response;
      const text = (await response.text()).replace(
        '"name":"Test"',
        '"name":"Mallory","name":"Test"',
      );
      return new Response(text, response);
    };
    const client = await connect("https://agent.test", { ...verifying("require"), fetch });
    await expect(client.getExtendedAgentCard({})).rejects.toThrow('the member "name" twice');
  });

  it("the text of a card is fetched again if the cached card has not been checked", async () => {
    const cache = new CardCache();
    const fetch = respond(twice);
    expect((await connect("https://agent.test", { cache, fetch })).card?.name).toBe("Test");
    const options = { ...verifying("require"), cache, fetch };
    await expect(connect("https://agent.test", options)).rejects.toThrow("twice");
    const good = { ...verifying("require"), cache, fetch: respond(JSON.stringify(signed)) };
    expect((await connect("https://agent.test", good)).card?.name).toBe("Test");
    const offline = { ...good, fetch: () => Promise.reject(new Error("No network")) };
    expect((await connect("https://agent.test", offline)).card?.name).toBe("Test");
  });
});

describe("the jku of a signature", () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end();
  });
  let origin = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${portOf(server)}`;
  });
  afterAll(() => {
    server.close();
  });

  it("the jku of a signature is never requested and never trusted, nor are keys in the header", async () => {
    const jku = `${origin}/keys`;
    const own = await signCard(card, { key: mallory.privateKey, kid: "k", jku });
    const members = {
      alg: "ES256",
      kid: "k",
      jku,
      x5u: `${origin}/x5u`,
      jwk: await jwk(mallory.publicKey),
    };
    const head = encodedHeader(members);
    const input = signingInput(head, payloadOf(check(AgentCardSchema, card, "json").value));
    const bytes = await crypto.subtle.sign(algorithmOf("ES256"), mallory.privateKey, input);
    const signatures = [{ protected: head, signature: base64Url(new Uint8Array(bytes)) }];
    for (const one of [own, { ...card, signatures }]) {
      for (const findKey of [
        trusted,
        keySet({
          urls: ["https://agent.test/keys"],
          fetch: () => Promise.reject(new Error("No network")),
        }),
      ]) {
        const options = { interceptors: [withVerifiedCards(findKey)], fetch: agentOf(one) };
        await expect(connect("https://agent.test", options)).rejects.toHaveProperty(
          "name",
          "CardSignatureError",
        );
      }
    }
    expect(asked).toEqual([]);
  });

  it("the jku of a signature selects one of the listed sets, and does not follow a redirect of it", async () => {
    const requested: string[] = [];
    const fetch = (url: string, { redirect }: RequestInit): Promise<Response> => {
      requested.push(`${url} ${String(redirect)}`);
      return Promise.resolve(
        new Response(null, { status: 302, headers: { location: `${origin}/keys` } }),
      );
    };
    const urls = ["https://one.test/keys", "https://two.test/keys"];
    const own = await signCard(card, {
      key: mallory.privateKey,
      kid: "k",
      jku: "https://two.test/keys",
    });
    const options = {
      interceptors: [withVerifiedCards(keySet({ urls, fetch }))],
      fetch: agentOf(own),
    };
    await expect(connect("https://agent.test", options)).rejects.toThrow(
      "something other than a JSON Web Key Set",
    );
    expect(requested).toEqual(["https://two.test/keys manual"]);
    expect(asked).toEqual([]);
  });
});
