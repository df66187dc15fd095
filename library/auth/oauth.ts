import * as oauth4webapi from "oauth4webapi";
import type { CredentialRequest, FindCredentials } from "../client/credentials.js";
import { IssuerError } from "./issuer-fetch.js";
import { plain, tokenErrorOf } from "./oauth-errors.js";
import { grantOf, refresh, type TokenRequest } from "./oauth-grants.js";
import type { OAuthOptions } from "./oauth-options.js";
import { revokeTokens, type TokenKey } from "./oauth-revoke.js";
import { IssuerServers } from "./oauth-server.js";
import { TokenError } from "./token-error.js";
import { memoryTokenStore, type Tokens } from "./token-store.js";

export type {
  AuthorizationAttempt,
  AuthorizationCode,
  AuthorizationReceiver,
  AuthorizationRedirect,
  ClientCredentials,
  CustomGrant,
  DeviceCode,
  DeviceCodePrompt,
  GrantContext,
  JwtBearer,
  OAuthClient,
  OAuthOptions,
  OAuthSettings,
  RefreshToken,
} from "./oauth-options.js";
export { IssuerError, TokenError };
export { memoryTokenStore, type Tokens, type TokenStore } from "./token-store.js";

/** Function for `withCredentials` that obtains access tokens, and can revoke them. */
export interface TokenSource extends FindCredentials {
  /**
   * Signs the user out: deletes the stored tokens, and revokes them at the issuer (RFC 7009).
   * Returns `false` if the issuer cannot revoke a token, which then remains valid until its expiry.
   * Calls after the sign-out obtain new tokens.
   *
   * @throws {TokenError} if the issuer refuses to revoke a token; the stored tokens have then been
   *   deleted
   * @throws {IssuerError} if the issuer is unavailable; the stored tokens have then been deleted
   */
  revoke(): Promise<boolean>;
}

/**
 * Returns a function for `withCredentials` that obtains access tokens for OAuth 2 and OpenID
 * Connect schemes. The function stores the tokens. Before a token expires, or if the agent rejects
 * a token, the function uses the refresh token or the grant to obtain a new token. Concurrent calls
 * share one token request. Only the issuer receives client secrets and refresh tokens; the agent
 * receives only access tokens.
 *
 * The function throws a {@link TokenError} if the issuer rejects the token request, and an
 * {@link IssuerError} if the issuer is unavailable.
 *
 * @throws {TypeError} if an option is missing or invalid
 *
 * @example
 * const login = oauth({ issuer: "https://login.example", clientCredentials: { clientId: "app",
 * clientSecret } }); const client = await connect(url, { interceptors: [withCredentials({ login })]
 * });
 */
export function oauth(options: OAuthOptions): TokenSource {
  const { client, run, name } = grantOf(options);
  const {
    store = memoryTokenStore(),
    scopes: ownScopes = [],
    resource = "",
    account = "",
    refreshBeforeMs = 60_000,
  } = options;
  const servers = new IssuerServers(options);
  const pending = new Map<string, Promise<Tokens>>();
  const used = new Set<string>();
  const keyFor = (issuer: string, scopes: readonly string[]): TokenKey => [
    name,
    issuer,
    client.clientId,
    scopes,
    resource,
    account,
  ];

  const obtain = async (
    wanted: CredentialRequest,
    scopes: readonly string[],
    old: Tokens | undefined,
  ): Promise<Tokens> => {
    const { resource: found, ...server } = await servers.serverFor(wanted);
    // If the agent's metadata named the issuer, only request tokens for this agent.
    const resource = options.resource ?? found;
    const settings = resource === undefined ? options : { ...options, resource };
    const request: TokenRequest = { ...server, settings, client, scopes };
    if (old?.refreshToken === undefined) return run(request);
    try {
      return await refresh(request, old.refreshToken);
    } catch (error) {
      // The refresh token has expired or was revoked, so new tokens are requested with the grant.
      if (!(error instanceof oauth4webapi.ResponseBodyError) || error.error !== "invalid_grant")
        throw error;
      return run(request);
    }
  };

  const isFresh = (tokens: Tokens | undefined, { refused }: CredentialRequest): tokens is Tokens =>
    tokens !== undefined &&
    tokens.accessToken !== refused &&
    Date.now() < renewalOf(tokens, refreshBeforeMs);

  const freshTokens = async (
    key: string,
    wanted: CredentialRequest,
    scopes: readonly string[],
  ): Promise<Tokens> => {
    const known = await store.tokens(key);
    if (isFresh(known, wanted)) return known;
    if (store.exclusively === undefined) return replaceTokens(key, wanted, scopes, known);
    return store.exclusively(key, async () => {
      // Another process may have replaced the tokens in the meantime.
      const current = await store.tokens(key);
      return isFresh(current, wanted) ? current : replaceTokens(key, wanted, scopes, current);
    });
  };

  const replaceTokens = async (
    key: string,
    wanted: CredentialRequest,
    scopes: readonly string[],
    old: Tokens | undefined,
  ): Promise<Tokens> => {
    try {
      const tokens = await obtain(wanted, scopes, old);
      await store.saveTokens(key, tokens);
      return tokens;
    } catch (error) {
      // If the issuer is briefly unavailable, calls continue with a token that is still valid.
      const isUsable = old !== undefined && old.accessToken !== wanted.refused;
      if (isUsable && error instanceof IssuerError && Date.now() < (old.expiresAt ?? Infinity))
        return old;
      throw tokenErrorOf(error, "issue a token");
    }
  };

  const find: FindCredentials = async (wanted) => {
    // If the issuer is unknown, the first call is sent without a token. The agent may reject that
    // call with a challenge that refers to the issuer.
    if (
      servers.isUnknown(wanted) &&
      wanted.refused === undefined &&
      options.trustedOrigins !== undefined
    )
      return undefined;
    const scopes = [...new Set([...ownScopes, ...wanted.scopes])].sort();
    refuseExcess(wanted, options.allowedScopes);
    const key = JSON.stringify(keyFor(servers.nameFor(wanted), scopes));
    if (store.keys === undefined) used.add(key);
    for (;;) {
      // Concurrent calls with the same key share one request.
      const shared = pending.get(key);
      const tokens = shared ?? freshTokens(key, wanted, scopes);
      if (shared === undefined) {
        pending.set(key, tokens);
        const done = (): unknown => pending.delete(key);
        tokens.then(done, done);
      }
      const { accessToken } = await tokens;
      // A request that another call has started may return the token that the agent has just
      // rejected.
      if (shared === undefined || accessToken !== wanted.refused) return accessToken;
    }
  };
  const own = keyFor("", []);
  const settled = async (key: string): Promise<unknown> => pending.get(key)?.catch(() => undefined);
  const revoke = (): Promise<boolean> =>
    revokeTokens({ servers, client, store, own, used: [...used, ...pending.keys()], settled });
  return Object.assign(find, { revoke });
}

/**
 * Refuses scopes that the program does not allow, or that the card does not declare. A card can be
 * reviewed and signed; a challenge can name any scope that the issuer grants to this client.
 */
function refuseExcess(
  { scopes, declaredScopes }: CredentialRequest,
  allowedScopes?: readonly string[],
): void {
  const allowed = allowedScopes ?? declaredScopes;
  const excess = allowed && scopes.find((scope) => !allowed.includes(scope));
  if (excess === undefined) return;
  const reason =
    allowedScopes === undefined
      ? "which its card does not declare: add it to `allowedScopes` if the agent may have it"
      : "which is not in `allowedScopes`";
  throw new TokenError(`The agent requires the scope ${plain(excess)}, ${reason}`);
}

/**
 * Returns the time at which tokens must be replaced: before they expire, but never in the first
 * half of their lifetime.
 */
function renewalOf({ issuedAt, expiresAt }: Tokens, beforeMs: number): number {
  if (expiresAt === undefined) return Infinity;
  return expiresAt - Math.min(beforeMs, (expiresAt - issuedAt) / 2);
}
