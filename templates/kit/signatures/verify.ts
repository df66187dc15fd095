import type { AgentCard } from "../model.js";
import type { SigningFacts, VerifyingFacts } from "../kit-facts.js";
import { receivedCard } from "../../runtime/client/discover.js";
import { bytesOfBase64 } from "../../runtime/protobuf/base64.js";
import type { Interceptor } from "../../runtime/protocol/transport.js";
import { algorithmOf, fits, headerOf, importKey, signingInput } from "./jws.js";
import type { Bytes, JsonKey, Key, SignatureHeader } from "./jws.js";
import { payloadsOf } from "./payload.js";

/** Returns the public key that a signature names, or `undefined` if the key is unknown or not trusted. */
export type FindKey = (header: SignatureHeader) => Key | JsonKey | undefined | Promise<Key | JsonKey | undefined>;

/** Thrown for a card without a valid signature of a trusted key. */
export class CardSignatureError extends Error {
  override readonly name = "CardSignatureError";
}

/** Maximum number of signatures to check. A card could contain many signatures to keep the client busy. */
const maxSignatures = 10;

/**
 * Verifies a card. Returns the protected header of a valid signature, which names the key of the signer. A card that
 * `connect` has fetched is checked in its received form.
 * @throws A {@link CardSignatureError} if no signature is valid, with the reason for each signature.
 */
export async function verifyCard(card: AgentCard, findKey: FindKey, facts: SigningFacts): Promise<SignatureHeader> {
  const signatures = card.signatures ?? [];
  const payloads = payloadsOf(card, receivedCard(card) ?? card, facts);
  const problems: string[] = [];
  for (const { protected: head, signature } of signatures.slice(0, maxSignatures)) {
    try {
      const header = headerOf(head);
      const key = await keyFor(header, findKey);
      for (const payload of payloads)
        if (await isSignedWith(key, header.alg, { signature, input: signingInput(head, payload) })) return header;
      problems.push(`the signature of the key ${JSON.stringify(header.kid)} is for another card`);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : "the key could not be found");
    }
  }
  throw new CardSignatureError(
    `The agent card has no valid signature: ${problems.join("; ") || "the card has no signatures"}`,
  );
}

/**
 * Returns an interceptor for `connect` that checks the signatures of agent cards and extended agent cards before they
 * are used. Calls fail with a {@link CardSignatureError} if no signature is valid.
 *
 * @example
 * const client = await connect(url, { interceptors: [verifiedCards(keySet({ urls: ["https://agent.example/keys"] }))] });
 */
export function verifiedCards(findKey: FindKey, facts: VerifyingFacts): Interceptor {
  const names: readonly string[] = [`GET ${facts.discovery.path}`, facts.extendedCard.name];
  return {
    async unary(call, next) {
      const response = await next(call);
      // The response is already checked: these operations return an agent card.
      if (names.includes(call.operation.name)) await verifyCard(response as AgentCard, findKey, facts);
      return response;
    },
  };
}

async function keyFor(header: SignatureHeader, findKey: FindKey): Promise<Key> {
  const algorithm = algorithmOf(header.alg);
  const found = await findKey(header);
  if (found === undefined) throw new TypeError(`the key ${JSON.stringify(header.kid)} is unknown`);
  const key = "algorithm" in found ? (found as Key) : await importKey(found, header.alg, "verify");
  if (fits(key, algorithm)) return key;
  throw new TypeError(`the key ${JSON.stringify(header.kid)} is not for ${header.alg}`);
}

async function isSignedWith(
  key: Key,
  alg: string,
  { signature, input }: { readonly signature: string; readonly input: Bytes },
): Promise<boolean> {
  return crypto.subtle.verify(algorithmOf(alg), key, Uint8Array.from(bytesOfBase64(signature)), input);
}
