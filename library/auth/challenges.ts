import { PermissionDeniedError, UnauthenticatedError } from "../errors.js";
import type { ChallengeOptions } from "../kit/calls/challenge.js";

/** Error for a call with an invalid token: status 401, with the reason in the challenge. */
export class InvalidTokenError extends UnauthenticatedError {
  override readonly challenge: string;

  constructor(reason: string, access: ChallengeOptions = {}, cause?: unknown) {
    super(reason, { cause });
    this.challenge = bearer({ error: "invalid_token", error_description: reason }, access);
  }
}

/**
 * Error for a call whose token does not have the required scopes: status 403, with the scopes in
 * the challenge.
 */
export class InsufficientScopeError extends PermissionDeniedError {
  override readonly challenge: string;

  constructor(scopes: readonly string[], access: ChallengeOptions = {}) {
    const scope = scopes.join(" ");
    super(`The token must have the scopes ${scope}`);
    this.challenge = bearer({ error: "insufficient_scope", scope }, access);
  }
}

/**
 * Returns a bearer challenge (RFC 6750), with the URL of the resource metadata (RFC 9728) if that
 * URL is configured.
 */
function bearer(
  parameters: Readonly<Record<string, string>>,
  { resourceMetadata }: ChallengeOptions,
): string {
  const all = {
    ...parameters,
    ...(resourceMetadata !== undefined && { resource_metadata: resourceMetadata }),
  };
  return `Bearer ${Object.entries(all)
    .map(([name, value]) => `${name}="${value.replaceAll(/[^ !#-[\]-~]/g, "")}"`)
    .join(", ")}`;
}
