import { isObject } from "../../runtime/base/json.js";
import type { PeerCertificate } from "../../runtime/protocol/headers.js";

/** The claims of a valid token. All of them come from the issuer; only `exp` is always present. */
export interface Claims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp: number;
  readonly iat?: number;
  readonly [name: string]: unknown;
}

/** Returns which of some scopes a token lacks. Issuers write them as a text or as a list, in one of two claims. */
export function missingScopes({ scope, scp }: Claims, required: readonly string[]): string[] {
  const granted = [scope, scp].flatMap((claim: unknown): unknown[] =>
    typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : [],
  );
  return required.filter((each) => !granted.includes(each));
}

/**
 * Returns whether a token comes from its holder, if it is bound to a client certificate (RFC 8705), and `true` if it is
 * not bound. A token that is bound in another way is not accepted: nothing checks that proof, so a stolen token would do.
 */
export async function isHeldBy({ cnf }: Claims, certificate: PeerCertificate | undefined): Promise<boolean> {
  if (cnf === undefined) return true;
  if (certificate === undefined || !isObject(cnf) || Object.keys(cnf).join() !== thumbprint) return false;
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(certificate.raw));
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return cnf[thumbprint] === text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const thumbprint = "x5t#S256";
