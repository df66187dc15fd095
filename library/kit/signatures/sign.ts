import { check, ValidationError } from "../../runtime/schema/schema.js";
import type { JsonObject } from "../../runtime/base/json.js";
import type { AgentCard, AgentCardSignature } from "../model.js";
import {
  algorithmFor,
  algorithmOf,
  base64Url,
  encodedHeader,
  type JsonKey,
  type Key,
} from "./jws.js";
import { fits, importKey, signingInput } from "./jws.js";
import type { SigningFacts } from "../kit-facts.js";
import { payloadOf, payloadWithoutEmpty } from "./payload.js";

/** Options for {@link signCard}. */
export interface SigningOptions {
  /** The private key: a `CryptoKey` or a JSON Web Key. */
  readonly key: Key | JsonKey;
  /** Id of the key. Clients use it to find the public key. */
  readonly kid: string;
  /** Algorithm, such as `ES256`; by default the algorithm of the key. */
  readonly alg?: string;
  /** URL of the set of public keys. */
  readonly jku?: string;
  /**
   * Whether to add a second signature, which covers the card without its empty strings, lists and
   * objects. Some SDKs compute the signed content in this way, and cannot verify the first
   * signature if the card has such values.
   */
  readonly withoutEmpty?: boolean;
  /** Members of the unprotected header, which the signature does not cover. */
  readonly header?: JsonObject;
}

/** Implements {@link KitFunctions.signCard} with facts about a version. */
export async function signCard(
  card: AgentCard,
  options: SigningOptions,
  facts: SigningFacts,
): Promise<AgentCard> {
  const { kid, jku, header, withoutEmpty = false } = options;
  const { value, issues = [] } = check(facts.card, card, "json");
  if (value === undefined)
    throw new TypeError(
      `The agent card is invalid: ${new ValidationError("AgentCard", issues).message}`,
    );
  const payloads = [payloadOf(value), ...(withoutEmpty ? [payloadWithoutEmpty(value)] : [])];
  if (!isPlatformKey(options.key) && !("kty" in options.key))
    throw new TypeError(
      "`key` must be a CryptoKey or a JSON Web Key: convert a KeyObject with `export({ format: " +
        '"jwk" })`',
    );
  const alg = options.alg ?? namedBy(options.key);
  const key = isPlatformKey(options.key) ? options.key : await importKey(options.key, alg, "sign");
  if (!fits(key, algorithmOf(alg)))
    throw new TypeError(`A key for ${key.algorithm.name} cannot be used with ${alg}`);
  const head = encodedHeader({ alg, typ: "JOSE", kid, ...(jku !== undefined && { jku }) });
  const signatures = await Promise.all(
    [...new Set(payloads)].map(async (payload): Promise<AgentCardSignature> => {
      const signed = await crypto.subtle.sign(algorithmOf(alg), key, signingInput(head, payload));
      const signature = { protected: head, signature: base64Url(new Uint8Array(signed)) };
      return header === undefined ? signature : { ...signature, header };
    }),
  );
  return { ...card, signatures: [...(card.signatures ?? []), ...signatures] };
}

function namedBy(key: Key | JsonKey): string {
  if (isPlatformKey(key)) return algorithmFor(key);
  const { alg, crv } = key;
  const usual: Readonly<Record<string, string>> = {
    "P-256": "ES256",
    "P-384": "ES384",
    "P-521": "ES512",
    Ed25519: "EdDSA",
  };
  const found = alg ?? (typeof crv === "string" ? usual[crv] : undefined);
  if (found !== undefined) return found;
  throw new TypeError("The algorithm of the key is unknown: set `alg`");
}

function isPlatformKey(key: Key | JsonKey): key is Key {
  return "algorithm" in key;
}
