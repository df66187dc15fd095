import { generateAgentCardSignature, verifyAgentCardSignature } from "@a2a-js/sdk";
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentCard } from "../../../../../generated/1.1-draft/models.js";
import { connect } from "../../../../../generated/1.1-draft/index.js";
import { base64Url, type JsonKey, type Key } from "../../../../../library/kit/signatures/jws.js";
import { keySet, withVerifiedCards } from "../../../../../generated/1.1-draft/kit/client/index.js";
import { canonicalJson } from "../../../../../library/kit/signatures/canonical-json.js";
import { payloadOf } from "../../../../../library/kit/signatures/payload.js";
import { check } from "../../../../../library/runtime/schema/schema.js";
import { AgentCardSchema } from "../../../../../generated/1.1-draft/validators.js";
import { signCard, verifyCard } from "../../../../support/bound-kit.js";
import { aSkill } from "../../../../support/cards.js";
import { card as plain } from "../../../../support/kit.js";
import { jsonOf, keyPair } from "../../../../support/keys.js";

const card: AgentCard = { ...plain, capabilities: { streaming: false }, skills: [aSkill()] };

const ecdsa = await keyPair();
const jwk = await jsonOf(ecdsa.publicKey, "k-1");
const signed = await signCard(card, { key: ecdsa.privateKey, kid: "k-1" });
const findKey = () => ecdsa.publicKey;

const header = (members: object): string =>
  base64Url(new TextEncoder().encode(JSON.stringify(members)));

describe("the signed content of a card", () => {
  it("the signed content has exactly one form as JSON", () => {
    const value = {
      "\u20ac": 1,
      "\ud83d\ude00": 2,
      "\ufb33": 3,
      b: [1e30, 4.5, -0, '\u000f"\\'],
      a: { d: null, c: true },
    };
    expect(canonicalJson(value)).toBe(
      '{"a":{"c":true,"d":null},"b":[1e+30,4.5,0,"\\u000f\\"\\\\"],"\u20ac":1,"\ud83d\ude00":2,"\ufb33":3}',
    );
  });

  it("the signed content contains required fields and explicitly set fields, but no other defaults and no signatures", () => {
    const more = {
      securityRequirements: [],
      signatures: [{ protected: "a", signature: "b" }],
      iconUrl: "",
    };
    expect(
      JSON.parse(payloadOf(check(AgentCardSchema, { ...card, ...more, skills: [] }, "json").value)),
    ).toEqual({
      ...card,
      skills: [],
      iconUrl: "",
    });
  });
});

describe("a signed card", () => {
  it.each([
    ["ES256", { name: "ECDSA", namedCurve: "P-256" }],
    ["ES512", { name: "ECDSA", namedCurve: "P-521" }],
    ["EdDSA", { name: "Ed25519" }],
    [
      "PS256",
      {
        name: "RSA-PSS",
        hash: "SHA-256",
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
    ],
    [
      "RS384",
      {
        name: "RSASSA-PKCS1-v1_5",
        hash: "SHA-384",
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
    ],
  ])(
    "a signed card is verified with %s, by keys of the platform and JSON Web Keys",
    async (alg, algorithm) => {
      const { privateKey, publicKey } = await keyPair(algorithm);
      for (const key of [privateKey, await jsonOf(privateKey)]) {
        const made = await signCard(card, { key, kid: "k", alg, jku: "https://agent.test/keys" });
        for (const found of [publicKey, await jsonOf(publicKey)])
          expect(await verifyCard(made, () => found)).toEqual({
            alg,
            typ: "JOSE",
            kid: "k",
            jku: "https://agent.test/keys",
          });
      }
    },
  );

  it("a signature names the algorithm of its key", async () => {
    expect(await verifyCard(signed, findKey)).toMatchObject({ alg: "ES256" });
  });

  it.each<[what: string, change: (from: AgentCard) => AgentCard, reason: RegExp]>([
    ["has another URL", (from) => ({ ...from, supportedInterfaces: [] }), /is for another card/],
    [
      "has one more skill",
      (from) => ({ ...from, skills: [aSkill(), aSkill()] }),
      /is for another card/,
    ],
    ["has no signature", ({ signatures: _, ...rest }) => rest, /the card has no signatures/],
    [
      "has a signature without algorithm",
      (from) => resigned(from, { kid: "k-1" }),
      /must have `alg` and `kid`/,
    ],
    [
      "is not signed",
      (from) => resigned(from, { alg: "none", kid: "k-1" }),
      /"none" is not an algorithm/,
    ],
    [
      "is signed with a shared secret",
      (from) => resigned(from, { alg: "HS256", kid: "k-1" }),
      /"HS256" is no/,
    ],
    [
      "names a member of objects",
      (from) => resigned(from, { alg: "constructor", kid: "k-1" }),
      /is not an algorithm/,
    ],
    [
      "requires an extension of JWS",
      (from) => resigned(from, { alg: "ES256", kid: "k-1", crit: ["x"] }),
      /requires an unsupported extension of JWS/,
    ],
    [
      "is signed with another algorithm",
      (from) => resigned(from, { alg: "ES384", kid: "k-1" }),
      /is not for ES384/,
    ],
    [
      "has an invalid header",
      (from) => ({ ...from, signatures: [{ protected: "*", signature: "" }] }),
      /base64url/,
    ],
  ])("a signed card is refused if it %s", async (_, change, reason) => {
    await expect(verifyCard(change(signed), findKey)).rejects.toThrow(reason);
    await expect(verifyCard(change(signed), findKey)).rejects.toHaveProperty(
      "name",
      "CardSignatureError",
    );
  });

  function resigned(from: AgentCard, members: object): AgentCard {
    return {
      ...from,
      signatures: [
        { protected: header(members), signature: from.signatures?.[0]?.signature ?? "" },
      ],
    };
  }

  it("a card is verified by any signature with a trusted key, regardless of its other signatures", async () => {
    const other = await keyPair({ name: "Ed25519" });
    const both = await signCard(signed, { key: other.privateKey, kid: "k-2" });
    expect(both.signatures).toHaveLength(2);
    for (const [kid, key] of [
      ["k-1", ecdsa.publicKey],
      ["k-2", other.publicKey],
    ] as const) {
      const find = (asked: { kid: string }): Key | undefined => {
        if (asked.kid === kid) return key;
        if (asked.kid === "k-1") throw new Error("No network");
        return undefined;
      };
      expect(await verifyCard(both, find)).toMatchObject({ kid });
    }
    await expect(verifyCard(both, () => undefined)).rejects.toThrow(
      'the key "k-1" is unknown; the key "k-2"',
    );
  });

  it("the official SDK verifies our signed cards, and we verify its cards", async () => {
    await expect(
      verifyAgentCardSignature(async () => ecdsa.publicKey as never)(signed as never),
    ).resolves.toBeUndefined();
    const sign = generateAgentCardSignature(ecdsa.privateKey, {
      alg: "ES256",
      typ: "JOSE",
      kid: "k-1",
    });
    const theirs = (await sign({
      ...card,
      provider: undefined,
      documentationUrl: "",
    } as never)) as unknown as AgentCard;
    expect(await verifyCard(theirs, findKey)).toMatchObject({ kid: "k-1" });
  });
});

describe("a second signature without empty values", () => {
  const empty: AgentCard = {
    ...card,
    description: "",
    capabilities: {},
    skills: [aSkill({ description: "" })],
  };
  const options = { key: ecdsa.privateKey, kid: "k-1" };

  it("the official SDK can only verify the second signature of a card with empty values", async () => {
    const isVerified = (signatures: unknown) =>
      verifyAgentCardSignature(async () => ecdsa.publicKey as never)({
        ...empty,
        signatures,
      } as never).then(
        () => true,
        () => false,
      );
    const { signatures = [] } = await signCard(empty, {
      ...options,
      withoutEmpty: true,
    });
    expect(
      await Promise.all([...signatures.map((each) => isVerified([each])), isVerified(signatures)]),
    ).toEqual([false, true, true]);
    expect(await verifyCard({ ...empty, signatures }, findKey)).toMatchObject({
      kid: "k-1",
    });
  });

  it("a card without empty values has one signature", async () => {
    const twice = await signCard(card, { ...options, withoutEmpty: true });
    expect(twice.signatures).toHaveLength(1);
  });

  it("a card whose empty values have a meaning is not signed without them", async () => {
    const securityRequirements = [{ schemes: { key: { list: [] } } }];
    const required = { ...card, securityRequirements };
    await expect(signCard(required, { ...options, withoutEmpty: true })).rejects.toThrow(
      "omit `withoutEmpty`",
    );
    expect((await signCard(required, options)).signatures).toHaveLength(1);
  });
});

describe("the errors of signCard", () => {
  it("the error for an invalid card names the member", async () => {
    const skills = [aSkill({ tags: [] })];
    await expect(
      signCard({ ...card, skills }, { key: ecdsa.privateKey, kid: "k" }),
    ).rejects.toThrow("The agent card is invalid: AgentCard: /skills/0/tags expected");
  });

  it("the error for a KeyObject of Node names the types that are accepted", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await expect(signCard(card, { key: privateKey as never, kid: "k" })).rejects.toThrow(
      "convert a KeyObject",
    );
    const key = privateKey.export({ format: "jwk" }) as JsonKey;
    expect((await signCard(card, { key, kid: "k" })).signatures).toHaveLength(1);
  });
});

describe("a card that an SDK signed without its empty members", () => {
  const schemes = {
    token: { httpAuthSecurityScheme: { scheme: "Bearer" } },
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
  };
  const requiring = (...names: string[]): AgentCard["securityRequirements"] =>
    names.map((name) => ({ schemes: { [name]: { list: [] } } }));
  const scoped: AgentCard["securityRequirements"] = [{ schemes: { token: { list: ["read"] } } }];

  /** Signs a card as `signed`, and returns it with that signature and some other members. */
  async function signedAs(signed: unknown, members: object): Promise<AgentCard> {
    const head = header({ alg: "ES256", kid: "k-1" });
    const input = new TextEncoder().encode(
      `${head}.${base64Url(new TextEncoder().encode(canonicalJson(signed)))}`,
    );
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      ecdsa.privateKey,
      input,
    );
    const signatures = [{ protected: head, signature: base64Url(new Uint8Array(signature)) }];
    return { ...card, iconUrl: "", ...members, signatures };
  }

  it.each<[string, object]>([
    [
      "has empty members that mean the same as absent members",
      { documentationUrl: "", securityRequirements: [] },
    ],
    ["requires scopes", { securitySchemes: schemes, securityRequirements: scoped }],
  ])("the card is verified if it %s", async (_, members) => {
    const signed = {
      ...card,
      ...members,
      documentationUrl: undefined,
      securityRequirements: undefined,
    };
    const required = "securitySchemes" in members ? { securityRequirements: scoped } : {};
    expect(
      await verifyCard(await signedAs({ ...signed, ...required }, members), findKey),
    ).toMatchObject({
      kid: "k-1",
    });
  });

  it.each<[string, object]>([
    ["requires a scheme without scopes", { securityRequirements: requiring("token") }],
    ["requires another scheme", { securityRequirements: requiring("key") }],
    ["has one more requirement", { securityRequirements: requiring("token", "key") }],
    [
      "has an empty requirement, which admits every caller",
      { securityRequirements: [{ schemes: {} }] },
    ],
    [
      "has a skill with a requirement",
      { skills: [{ ...aSkill(), securityRequirements: requiring("key") }] },
    ],
    [
      "has a scheme without content",
      { securitySchemes: { ...schemes, tls: { mtlsSecurityScheme: {} } } },
    ],
    ["has an empty element in a list", { defaultInputModes: ["text/plain", ""] }],
    [
      "has an extension with an empty parameter",
      {
        capabilities: {
          streaming: false,
          extensions: [{ uri: "urn:x", params: { a: { b: "", c: 1 } } }],
        },
      },
    ],
  ])(
    "the card is refused if it %s, because an attacker could have added it",
    async (_, members) => {
      const clean = (value: unknown): unknown => {
        if (Array.isArray(value)) {
          const items = value.map(clean).filter((item) => item !== undefined);
          return items.length === 0 ? undefined : items;
        }
        if (typeof value !== "object" || value === null) return value === "" ? undefined : value;
        const entries = Object.entries(value).map(([name, item]) => [name, clean(item)] as const);
        const kept = entries.filter(([, item]) => item !== undefined);
        return kept.length === 0 ? undefined : Object.fromEntries(kept);
      };
      const whole = { ...card, securitySchemes: schemes, ...members };
      const made = await signedAs(clean(whole), { securitySchemes: schemes, ...members });
      await expect(verifyCard(made, findKey)).rejects.toThrow("is for another card");
    },
  );
});

describe("a client that verifies cards", () => {
  const from = (body: unknown) => {
    const fetch = async (): Promise<Response> => Response.json(body);
    return connect("https://agent.test", {
      fetch,
      interceptors: [withVerifiedCards(keySet({ keys: [jwk] }))],
    });
  };

  it("the client accepts a signed card, including fields of a later version", async () => {
    expect((await from(signed)).card).toEqual(signed);
    // As a signer of a later version does it: all that it has is signed.
    const later = { ...card, mood: { good: true } };
    const input = new TextEncoder();
    const head = header({ alg: "ES256", kid: "k-1" });
    const body = base64Url(input.encode(canonicalJson(later)));
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(
      algorithm,
      ecdsa.privateKey,
      input.encode(`${head}.${body}`),
    );
    const signatures = [{ protected: head, signature: base64Url(new Uint8Array(signature)) }];
    expect((await from({ ...later, signatures })).card).toEqual({ ...card, signatures });
    await expect(from({ ...later, mood: { good: false }, signatures })).rejects.toThrow(
      "is for another card",
    );
  });

  it("the client uses no part of an unsigned card", async () => {
    await expect(from({ ...signed, name: "Mallory" })).rejects.toHaveProperty(
      "name",
      "CardSignatureError",
    );
    await expect(from(card)).rejects.toThrow("the card has no signatures");
  });
});

describe("a remote key set", () => {
  const url = "https://agent.test/keys";
  const urls = [url];
  const asked: string[] = [];
  let published: unknown = { keys: [jwk] };
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    return Response.json(published);
  };
  const ask = { alg: "ES256", kid: "k-1" };

  it("the key set is fetched once, from the trusted address", async () => {
    const find = keySet({ urls, fetch });
    expect(await find({ ...ask, jku: "https://mallory.test/keys" })).toBeUndefined();
    expect(asked).toEqual([]);
    expect([await find({ ...ask, jku: url }), await find(ask)]).toEqual([jwk, jwk]);
    expect(await find({ ...ask, kid: "k-9" })).toBeUndefined();
    expect(asked).toEqual(urls);
  });

  it("the key set does not cache removed keys or failures", async () => {
    const find = keySet({ urls, fetch, maxAgeMs: 0 });
    published = "none";
    await expect(find(ask)).rejects.toThrow("something other than a JSON Web Key Set");
    published = { keys: [jwk, "no key", { ...jwk, kid: "k-2", use: "enc" }] };
    expect(await find(ask)).toEqual(jwk);
    expect(await find({ ...ask, kid: "k-2" })).toBeUndefined();
    published = { keys: [] };
    expect(await find(ask)).toBeUndefined();
  });

  it("the key set is only fetched over HTTPS", () => {
    expect(() => keySet({ urls: ["http://agent.test/keys"] })).toThrow(
      "`urls` of keySet must contain only HTTPS URLs",
    );
  });
});
