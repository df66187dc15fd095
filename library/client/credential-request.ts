import type { SecurityScheme } from "../kit/model.js";

/** Description of the credentials that a call requires. */
export interface CredentialRequest {
  /** The scheme as the agent card declares it, for example with the issuer of tokens. */
  readonly scheme: SecurityScheme;
  /** Scopes that the card requires, and scopes that the agent requires in a challenge. */
  readonly scopes: readonly string[];
  /**
   * Scopes that the card declares for the scheme: in the flows of the scheme, and in the
   * requirements of the card and its skills. A challenge may require others.
   */
  readonly declaredScopes?: readonly string[] | undefined;
  /** Credentials from a previous attempt that the agent rejected. Return different credentials. */
  readonly refused: string | undefined;
  /**
   * URL of the resource metadata (RFC 9728) in the agent's challenge. The URL always has the
   * agent's origin. The metadata is not trusted, and must not choose the issuer that receives
   * secrets.
   */
  readonly resourceMetadata?: string | undefined;
}

/**
 * Returns a key, a token, or the text after the name of an HTTP scheme; `undefined` if no
 * credentials are available. An empty string causes a `TypeError`, because it would otherwise be
 * sent as credentials.
 */
export type FindCredentials = (
  request: CredentialRequest,
) => string | undefined | Promise<string | undefined>;
