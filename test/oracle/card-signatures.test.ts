import { spawnSync } from "node:child_process";
import { generateAgentCardSignature, verifyAgentCardSignature } from "@a2a-js/sdk";
import { describe, expect, it, vi } from "vitest";
import type { AgentCard } from "../../generated/1.1-draft/models.js";
import { signCard, verifyCard } from "../support/bound-kit.js";
import { card as plain } from "../support/kit.js";

/** An SDK that signs and verifies cards with one pair of keys. */
interface Sdk {
  sign(card: AgentCard): Promise<AgentCard>;
  /** Rejects if the SDK refuses the card. */
  verify(card: AgentCard): Promise<void>;
}

const keys = await keyPair();

const javaScript: Sdk = {
  async sign(card) {
    const sign = generateAgentCardSignature(keys.privateKey, {
      alg: "ES256",
      typ: "JOSE",
      kid: "k",
    });
    return (await sign(card as never)) as unknown as AgentCard;
  },
  async verify(card) {
    await verifyAgentCardSignature(() => Promise.resolve(keys.publicKey as never))(card as never);
  },
};

const program = `
import json, sys
from google.protobuf.json_format import MessageToDict, ParseDict
from jwt.api_jwk import PyJWK
from a2a.types import AgentCard
from a2a.utils.signing import create_agent_card_signer, create_signature_verifier
task = json.load(sys.stdin)
key = PyJWK.from_dict(task["key"])
card = ParseDict(task["card"], AgentCard())
if task["sign"]:
    card = create_agent_card_signer(key, {"alg": "ES256", "typ": "JOSE", "kid": "k"})(card)
else:
    create_signature_verifier(lambda kid, jku: key, ["ES256"])(card)
print(json.dumps(MessageToDict(card)))
`;
import { jsonOf, keyPair } from "../support/keys.js";

/** The Python with `a2a-sdk[signing]`: set `A2A_PYTHON` to the one of a virtual environment. */
const interpreter = process.env["A2A_PYTHON"] ?? "python3";

function runPython(task: object) {
  const { status, stdout, stderr } = spawnSync(interpreter, ["-c", program], {
    input: JSON.stringify(task),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr.trim().split("\n").at(-1));
  return JSON.parse(stdout) as AgentCard;
}

const python: Sdk = {
  sign: async (card) => runPython({ sign: true, card, key: await jsonOf(keys.privateKey) }),
  async verify(card) {
    runPython({ sign: false, card, key: await jsonOf(keys.publicKey) });
  },
};

// The JavaScript SDK prints each signature that it refuses.
vi.spyOn(console, "debug").mockImplementation(() => undefined);

const probe = spawnSync(interpreter, ["-c", "import a2a.utils.signing"], { encoding: "utf8" });
if (probe.status !== 0)
  console.log(
    `The Python SDK is not tested: ${interpreter} cannot import a2a.utils.signing (pip install "a2a-sdk[signing]")`,
  );

const withParams = (params: object): Partial<AgentCard> => ({
  capabilities: { streaming: true, extensions: [{ uri: "urn:x", params: params as never }] },
});
const schemes: Partial<AgentCard> = {
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
};
const skills = [{ id: "s", name: "S", description: "Does it.", tags: ["t"] }];

describe.each<[name: string, sdk: Sdk, isThere: boolean]>([
  ["JavaScript", javaScript, true],
  ["Python", python, probe.status === 0],
])("a card for the SDK of %s", (_, sdk, isThere) => {
  it.skipIf(!isThere).each<[what: string, members: Partial<AgentCard>]>([
    ["few members", {}],
    [
      "text outside of ASCII",
      { name: "Gr\u00fc\u00dfe \ud83d\ude80", description: "\u65e5\u672c\u8a9e \u2028 \u007f" },
    ],
    [
      "names that code points sort otherwise",
      withParams({ "k\uff01": 1, "k\ud83d\ude80": 2, k10: 3, k9: 4 }),
    ],
    ["numbers of all sizes", withParams({ numbers: [0.000001, 1e21, 1e20, 1e-7, 0.1, 100, -3.5] })],
    [
      "optional members that are false",
      { capabilities: { streaming: false, pushNotifications: false } },
    ],
    [
      "a provider and URLs",
      { provider: { url: "https://x.test", organization: "X" }, iconUrl: "https://x.test/i.png" },
    ],
    [
      "required scopes",
      { ...schemes, securityRequirements: [{ schemes: { token: { list: ["read"] } } }] },
    ],
  ])("a card is valid in both directions with %s", async (_what, members) => {
    const card = { ...plain, skills, ...members };
    await expect(
      sdk.verify(await signCard(card, { key: keys.privateKey, kid: "k" })),
    ).resolves.toBeUndefined();
    expect(
      await verifyCard(await sdk.sign(structuredClone(card)), () => keys.publicKey),
    ).toMatchObject({ kid: "k" });
  });

  // The specification keeps these empty values. The SDK removes them before it signs or verifies.
  it.skipIf(!isThere).each<[what: string, members: Partial<AgentCard>, isHarmless: boolean]>([
    ["an optional member", { iconUrl: "" }, true],
    ["a required list", { skills: [] }, true],
    ["a parameter of an extension", withParams({ a: "", b: 1 }), false],
    [
      "a list of scopes",
      { ...schemes, securityRequirements: [{ schemes: { token: { list: [] } } }] },
      false,
    ],
  ])(
    "a card with an empty value in %s is valid only from the SDK, and only if the value is harmless",
    async (_what, members, isHarmless) => {
      const card = { ...plain, skills, ...members };
      await expect(
        sdk.verify(await signCard(card, { key: keys.privateKey, kid: "k" })),
      ).rejects.toThrow();
      const theirs = verifyCard(
        { ...card, signatures: (await sdk.sign(structuredClone(card))).signatures ?? [] },
        () => keys.publicKey,
      );
      if (isHarmless) expect(await theirs).toMatchObject({ kid: "k" });
      else await expect(theirs).rejects.toHaveProperty("name", "CardSignatureError");
    },
  );

  it.skipIf(!isThere)("a changed card is refused in both directions", async () => {
    const card = { ...plain, skills };
    const ours = await signCard(card, { key: keys.privateKey, kid: "k" });
    await expect(sdk.verify({ ...ours, name: "Mallory" })).rejects.toThrow();
    const theirs = await sdk.sign(structuredClone(card));
    await expect(verifyCard({ ...theirs, name: "Mallory" }, () => keys.publicKey)).rejects.toThrow(
      "another card",
    );
  });
});
