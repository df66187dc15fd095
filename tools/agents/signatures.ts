import { keySet, verifyCard } from "../../generated/1.0/kit/client/index.js";
import type { AgentCard } from "../../generated/1.0/models.js";
import type { Fetch } from "a2a-codegen-runtime/internal/client";
import { isObject, listAt, textAt, type Json } from "./findings.js";

/** A public key as a JSON Web Key. */
export type PublicKey = Json & { readonly kty: string };

/** Keys that the user trusts. */
export interface TrustedKeys {
  readonly keys?: readonly PublicKey[] | undefined;
  /** HTTPS URLs of key sets. */
  readonly urls?: readonly string[] | undefined;
  readonly fetch?: Fetch | undefined;
}

/** State of the signatures of a card. */
export interface SignatureStatus {
  /** `unverified` if no keys are given; `invalid` if no signature is valid for a given key. */
  readonly state: "absent" | "unverified" | "verified" | "invalid";
  /**
   * The algorithm and key id in each signature. They are not trusted unless `state` is `verified`.
   */
  readonly signers: readonly {
    readonly alg: string;
    readonly kid: string;
    readonly jku?: string | undefined;
  }[];
  /** The reason if `state` is `invalid`; the key id if `state` is `verified`. */
  readonly detail: string;
}

/** Returns the signatures of a 1.0 card, and whether a trusted key verifies one of them. */
export async function signatureStatus(
  raw: unknown,
  trusted: TrustedKeys = {},
): Promise<SignatureStatus> {
  const signers = listAt(raw, "signatures").slice(0, 10).map(signerOf);
  if (signers.length === 0) return { state: "absent", signers, detail: "" };
  const { keys = [], urls = [], fetch } = trusted;
  if (keys.length === 0 && urls.length === 0) return { state: "unverified", signers, detail: "" };
  try {
    const find = keySet({ keys, urls, ...(fetch && { fetch }) });
    // The check reads only the signatures and the canonical JSON of the card, so the card may have
    // other issues.
    const { kid } = await verifyCard(raw as AgentCard, find);
    return { state: "verified", signers, detail: kid };
  } catch (error) {
    return {
      state: "invalid",
      signers,
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

function signerOf(signature: unknown): SignatureStatus["signers"][number] {
  const head = textAt(signature, "protected") ?? "";
  try {
    const header: unknown = JSON.parse(atob(head.replaceAll("-", "+").replaceAll("_", "/")));
    if (isObject(header))
      return {
        alg: textAt(header, "alg") ?? "?",
        kid: textAt(header, "kid") ?? "?",
        jku: textAt(header, "jku"),
      };
  } catch {
    // The lint reports a header that is not JSON.
  }
  return { alg: "?", kid: "?" };
}
