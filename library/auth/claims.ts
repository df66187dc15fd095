import { isObject } from "../runtime/base/json.js";
import type { PeerCertificate } from "../runtime/protocol/headers.js";

/** The claims of a valid token, as set by the issuer. Only `exp` is always present. */
export interface Claims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp: number;
  readonly iat?: number;
  readonly [name: string]: unknown;
}

/**
 * Returns the required scopes that a token does not have. Depending on the issuer, the claim
 * `scope` or `scp` contains the scopes, as a string or as a list.
 */
export function missingScopes({ scope, scp }: Claims, required: readonly string[]): string[] {
  const granted = [scope, scp].flatMap((claim: unknown): unknown[] => {
    if (typeof claim === "string") return claim.split(" ");
    return Array.isArray(claim) ? claim : [];
  });
  return required.filter((name) => !granted.includes(name));
}

/**
 * Returns whether a caller may use a token: `true` if the token is not bound to a key, or if the
 * token is bound to the connection's client certificate (RFC 8705). Rejects tokens with any other
 * binding: this function cannot check their proof of possession, and would otherwise accept stolen
 * tokens.
 */
export async function isHeldBy(
  { cnf }: Claims,
  certificate: PeerCertificate | undefined,
): Promise<boolean> {
  if (cnf === undefined) return true;
  if (certificate === undefined || !isObject(cnf) || Object.keys(cnf).join() !== thumbprint)
    return false;
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(certificate.raw));
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return cnf[thumbprint] === text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const thumbprint = "x5t#S256";
