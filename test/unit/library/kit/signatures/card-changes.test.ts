import { describe, expect, it } from "vitest";
import type { AgentCard, AgentCardSignature } from "../../../../../generated/1.1-draft/models.js";
import { base64Url, encodedHeader, headerOf } from "../../../../../library/kit/signatures/jws.js";
import { bytesOfBase64 } from "../../../../../library/runtime/protobuf/base64.js";
import { signCard, verifyCard } from "../../../../support/bound-kit.js";
import { card as plain } from "../../../../support/kit.js";
import { Random, seedOf } from "../../../../support/random/random.js";
import { seed } from "../../../../support/seed.js";
import { keyPair } from "../../../../support/keys.js";

type Json = Record<string, unknown>;

const card: AgentCard = {
  ...plain,
  capabilities: {
    streaming: false,
    extensions: [
      {
        uri: "urn:geo",
        description: "Locations",
        required: true,
        params: { zoom: 0.5, list: [1, "", null], deep: {} },
      },
      { uri: "urn:time", params: { zone: "UTC" } },
    ],
  },
  provider: { organization: "Example", url: "https://example.com" },
  iconUrl: "",
  defaultInputModes: ["text/plain", "application/json"],
  securitySchemes: {
    token: { httpAuthSecurityScheme: { scheme: "Bearer" } },
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
  },
  securityRequirements: [
    { schemes: { token: { list: ["read", "write"] } } },
    { schemes: { key: { list: ["use"] } } },
  ],
  skills: [
    { id: "a", name: "A", description: "First.", tags: ["x", "y"], examples: ["Do a."] },
    { id: "b", name: "B", description: "", tags: ["z"] },
  ],
};

const [keys, others] = [await keyPair(), await keyPair()];
const signed = await signCard(card, {
  key: keys.privateKey,
  kid: "k",
  jku: "https://example.com/keys",
});
const otherCard = await signCard({ ...card, name: "Other" }, { key: keys.privateKey, kid: "k" });
const forged = await signCard(card, { key: others.privateKey, kid: "k" });
const [signature, otherSignature, forgedSignature] = [
  firstOf(signed),
  firstOf(otherCard),
  firstOf(forged),
];

function firstOf({ signatures = [] }: AgentCard): AgentCardSignature {
  const [first] = signatures;
  if (first === undefined) throw new Error("The card has no signature");
  return first;
}

/** Verifies a card as it is after a journey as JSON text. */
function verify(one: unknown) {
  return verifyCard(JSON.parse(JSON.stringify(one)) as AgentCard, () => keys.publicKey);
}

/** Returns all objects and lists in a value. */
function containersIn(value: unknown): (Json | unknown[])[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(containersIn)];
}

/** Returns another value than the given one, often similar. */
function otherThan(value: unknown, random: Random): unknown {
  if (typeof value === "string") {
    const at = random.below(value.length + 1);
    const changed = [
      value.toUpperCase(),
      value.slice(1),
      `${value.slice(0, at)}\u200b${value.slice(at)}`,
      `${value}e\u0301`,
    ];
    return random.pick([...changed.filter((text) => text !== value && text !== ""), 7, [value]]);
  }
  if (typeof value === "boolean") return !value;
  if (typeof value === "number")
    return random.pick([value + 1, -value, String(value), value * 1.0000000001]);
  return value === null ? 1 : random.pick(["text", [value], 1, true]);
}

/** Changes a list, so that it is not equal to what it was. */
function changeList(list: unknown[], random: Random): void {
  const at = random.below(list.length);
  const isMixed = new Set(list.map((item) => JSON.stringify(item))).size > 1;
  if (isMixed && random.oneIn(3)) list.push(list.shift());
  else if (random.oneIn(3)) list.splice(at, 1);
  else if (random.oneIn(2)) list.splice(at, 0, list[at]);
  else list[at] = otherThan(list[at], random);
}

function changeObject(object: Json, random: Random): void {
  const name = random.pick(Object.keys(object));
  const value = object[name];
  const added = random.pick(["x", "url", "protocolVersion", "constructor", `${name}2`]);
  const change = random.pick(["add", "remove", "rename", "replace", "replace"]);
  if (change === "remove" || change === "rename") delete object[name];
  if (change === "rename") object[`${name}_`] = value === "" ? "x" : value;
  if (change === "replace") object[name] = otherThan(value, random);
  if (change === "add")
    object[Object.hasOwn(object, added) ? `${added}x` : added] = random.pick([
      1,
      "x",
      true,
      ["x"],
      { x: 1 },
    ]);
}

function changeCard(random: Random): unknown {
  const changed = structuredClone({ ...card }) as unknown as Json;
  const target = random.pick(containersIn(changed).filter((one) => Object.keys(one).length > 0));
  if (Array.isArray(target)) changeList(target, random);
  else changeObject(target, random);
  return { ...changed, signatures: signed.signatures };
}

function changeSignature(random: Random): unknown {
  const header = headerOf(signature.protected);
  const members = random.pick([
    { kid: "K" },
    { alg: "ES384" },
    { jku: "https://mallory.test" },
    { typ: "x" },
    { x: 1 },
  ]);
  const bytes = Uint8Array.from(bytesOfBase64(signature.signature));
  const at = random.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  const changes: readonly AgentCardSignature[] = [
    { ...signature, protected: encodedHeader({ ...header, ...members }) },
    { ...signature, protected: base64Url(new TextEncoder().encode(` ${JSON.stringify(header)}`)) },
    { ...signature, protected: otherSignature.protected },
    { ...signature, signature: base64Url(bytes) },
    { ...signature, signature: base64Url(bytes.subarray(0, at)) },
    { ...signature, signature: base64Url(Uint8Array.of(...bytes, 0)) },
    otherSignature,
    forgedSignature,
  ];
  return { ...card, signatures: [random.pick(changes)] };
}

describe("a signed card", () => {
  it(`a signed card is refused after each of 1,000 random changes (seed ${String(seed)})`, async () => {
    expect(await verify(signed)).toMatchObject({ kid: "k" });
    for (let index = 0; index < 1_000; index += 1) {
      const random = new Random(seedOf(seed, "card", index));
      const changed = random.oneIn(4) ? changeSignature(random) : changeCard(random);
      const found = await verify(changed).catch((error: unknown) => error);
      expect(found, `case ${String(index)}: ${JSON.stringify(changed)}`).toHaveProperty(
        "name",
        "CardSignatureError",
      );
    }
  });

  const extensions = card.capabilities.extensions ?? [];
  const [first, second] = card.skills;
  const optional = {
    streaming: false,
    extensions: extensions.map((one) => ({ required: false, ...one })),
  };

  it.each<[change: string, one: unknown]>([
    ["its members are in another order", Object.fromEntries(Object.entries(card).reverse())],
    [
      "an empty list is added where the default is empty",
      { ...card, skills: [first, { ...second, examples: [] }] },
    ],
    ["a boolean with its default value is added", { ...card, capabilities: optional }],
    ["a member is null", { ...card, documentationUrl: null }],
    ["an unknown member is empty", { ...card, mood: "" }],
  ])("a signed card stays valid if %s", async (_, one) => {
    expect(await verify({ ...(one as Json), signatures: signed.signatures })).toMatchObject({
      kid: "k",
    });
  });

  it.each<[change: string, signatures: readonly AgentCardSignature[]]>([
    ["a signature has an unprotected header", [{ ...signature, header: { kid: "mallory" } }]],
    ["a signature of another key is added", [forgedSignature, signature]],
    ["the signature is padded", [{ ...signature, signature: `${signature.signature}==` }]],
    [
      "the signature uses the standard base64 alphabet",
      [{ ...signature, signature: standard(signature.signature) }],
    ],
  ])("a signed card stays valid if %s", async (_, signatures) => {
    expect(await verify({ ...card, signatures })).toMatchObject({ kid: "k" });
  });

  it.each<[change: string, one: unknown]>([
    ["an optional member is empty instead of absent", { ...card, documentationUrl: "" }],
    ["an optional member is absent instead of empty", { ...card, iconUrl: undefined }],
    ["an optional boolean is absent instead of false", { ...card, capabilities: { extensions } }],
    [
      "a requirement that admits everybody is added",
      { ...card, securityRequirements: [{ schemes: {} }] },
    ],
    [
      "interfaces of an earlier version are added",
      { ...card, url: "https://mallory.test", preferredTransport: "JSONRPC" },
    ],
    [
      "a member is added in the spelling of protobuf",
      { ...card, supported_interfaces: [{ url: "https://mallory.test" }] },
    ],
    [
      "an empty parameter is added",
      {
        ...card,
        capabilities: { streaming: false, extensions: [{ uri: "urn:geo", params: { x: "" } }] },
      },
    ],
  ])("a signed card is refused if %s", async (_, one) => {
    await expect(verify({ ...(one as Json), signatures: signed.signatures })).rejects.toThrow(
      "is for another card",
    );
  });

  it("a signed card stays valid if an empty list of scopes is absent", async () => {
    const unscoped = { ...card, securityRequirements: [{ schemes: { key: { list: [] } } }] };
    const { signatures } = await signCard(unscoped, { key: keys.privateKey, kid: "k" });
    const absent = { ...card, securityRequirements: [{ schemes: { key: {} } }], signatures };
    expect(await verify(absent)).toMatchObject({ kid: "k" });
  });

  it("a signed card is refused if its text cannot be written as canonical JSON", async () => {
    const broken = {
      ...signed,
      capabilities: { extensions: [{ uri: "urn:geo", params: { text: "\ud83d" } }] },
    };
    await expect(verifyCard(broken, () => keys.publicKey)).rejects.toMatchObject({
      name: "CardSignatureError",
      message: expect.stringContaining(
        '"/capabilities/extensions/0/params/text" contains half of a surrogate pair',
      ) as string,
    });
    await expect(signCard(broken, { key: keys.privateKey, kid: "k" })).rejects.toThrow(
      "half of a surrogate pair",
    );
  });
});

function standard(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}
