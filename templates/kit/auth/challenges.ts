import { PermissionDeniedError, UnauthenticatedError } from "../../errors.js";
import type { Access } from "../calls/authentication.js";

/** Thrown for a token that is not accepted: 401, with the reason in the challenge. */
export class InvalidTokenError extends UnauthenticatedError {
  override readonly challenge: string;

  constructor(reason: string, access: Access, cause?: unknown) {
    super(reason, { cause });
    this.challenge = bearer({ error: "invalid_token", error_description: reason }, access);
  }
}

/** Thrown for a token without the required scopes: 403, with the scopes in the challenge. */
export class InsufficientScopeError extends PermissionDeniedError {
  override readonly challenge: string;

  constructor(scopes: readonly string[], access: Access) {
    const scope = scopes.join(" ");
    super(`The token needs the scopes ${scope}`);
    this.challenge = bearer({ error: "insufficient_scope", scope }, access);
  }
}

/** Returns a challenge of RFC 6750, with the address of RFC 9728 if there is one. */
function bearer(parameters: Readonly<Record<string, string>>, { resourceMetadata }: Access): string {
  const all = { ...parameters, ...(resourceMetadata !== undefined && { resource_metadata: resourceMetadata }) };
  return `Bearer ${Object.entries(all)
    .map(([name, value]) => `${name}="${value.replaceAll(/[^ !#-[\]-~]/g, "")}"`)
    .join(", ")}`;
}
