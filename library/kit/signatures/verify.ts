import type { AgentCard } from "../model.js";
import type { SigningFacts, VerifyingFacts } from "../kit-facts.js";
import { receivedCard } from "../../runtime/client/card-sources.js";
import type { Interceptor } from "../../runtime/protocol/transport.js";
import { assertUniqueNames } from "./canonical-json.js";
import { algorithmOf, fits, headerOf, importKey, isSignedWith, signingInput } from "./jws.js";
import type { JsonKey, Key, SignatureHeader } from "./jws.js";
import { payloadsOf } from "./payload.js";

/**
 * Returns the public key that a signature refers to, or `undefined` if the key is unknown or not
 * trusted.
 */
export type FindKey = (
  header: SignatureHeader,
) => Key | JsonKey | undefined | Promise<Key | JsonKey | undefined>;

/** Options for {@link withVerifiedCards}. */
export interface VerifiedCardsOptions {
  /**
   * Cards to accept. `require` (the default) only accepts cards with a valid signature from a
   * trusted key. `prefer` also accepts cards without signatures. `ignore` accepts all cards without
   * checking signatures.
   */
  readonly policy?: "require" | "prefer" | "ignore";
}

/** Error for a card without a valid signature from a trusted key. */
export class CardSignatureError extends Error {
  override readonly name = "CardSignatureError";
}

/**
 * Maximum number of signatures to check, because an attacker could add many signatures to a card to
 * keep the client busy.
 */
const maxSignatures = 10;

/** Implements {@link ClientFunctions.verifyCard} with facts about a version. */
export async function verifyCard(
  card: AgentCard,
  findKey: FindKey,
  facts: SigningFacts,
): Promise<SignatureHeader> {
  const signatures = card.signatures ?? [];
  const payloads = guarded(() => payloadsOf(card, receivedCard(card) ?? card, facts));
  const problems: string[] = [];
  for (const { protected: head, signature } of signatures.slice(0, maxSignatures)) {
    try {
      const header = headerOf(head);
      const key = await keyFor(header, findKey);
      for (const payload of payloads)
        if (await isSignedWith(key, header.alg, { signature, input: signingInput(head, payload) }))
          return header;
      problems.push(`the signature of the key ${JSON.stringify(header.kid)} is for another card`);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : "the key could not be found");
    }
  }
  throw new CardSignatureError(
    `The agent card has no valid signature: ${problems.join("; ") || "the card has no signatures"}`,
  );
}

/** Implements {@link ClientFunctions.withVerifiedCards} with facts about a version. */
export function withVerifiedCards(
  findKey: FindKey,
  { policy = "require" }: VerifiedCardsOptions,
  facts: VerifyingFacts,
): Interceptor {
  // Programs may read the policy from their configuration. A misspelled policy must not disable the
  // check.
  if (!["require", "prefer", "ignore"].includes(policy))
    throw new TypeError(
      `\`policy\` must be "require", "prefer" or "ignore", got ${JSON.stringify(policy)}`,
    );
  if (policy === "ignore") return {};
  const names: readonly string[] = [`GET ${facts.discovery.path}`, facts.extendedCard.name];
  const accept = async (value: unknown): Promise<void> => {
    // The value is an agent card: the result of one of these operations, which has been checked, or
    // a card that was passed to `connect`.
    const card = value as AgentCard;
    if (policy === "require" || (card.signatures ?? []).length > 0)
      await verifyCard(card, findKey, facts);
  };
  return {
    checkCard: accept,
    async unary(call, next) {
      if (!names.includes(call.operation.name)) return next(call);
      const response = await next({ ...call, checkText });
      await accept(response);
      return response;
    },
  };
}

/** Rejects the text of a card that another parser may read as a different card. */
function checkText(text: string): void {
  guarded(() => {
    assertUniqueNames(text);
  });
}

/** Calls a function. If it throws, throws a {@link CardSignatureError} instead. */
function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CardSignatureError(`The agent card cannot be verified: ${reason}`, { cause });
  }
}

async function keyFor(header: SignatureHeader, findKey: FindKey): Promise<Key> {
  const algorithm = algorithmOf(header.alg);
  const found = await findKey(header);
  if (found === undefined) throw new TypeError(`the key ${JSON.stringify(header.kid)} is unknown`);
  const key = "algorithm" in found ? (found as Key) : await importKey(found, header.alg, "verify");
  if (fits(key, algorithm)) return key;
  throw new TypeError(`the key ${JSON.stringify(header.kid)} is not for ${header.alg}`);
}
