import * as oauth4webapi from "oauth4webapi";
import { tokenErrorOf } from "./oauth-errors.js";
import { clientOf } from "./oauth-grants.js";
import type { OAuthClient } from "./oauth-options.js";
import type { IssuerServer, IssuerServers } from "./oauth-server.js";
import type { Tokens, TokenStore } from "./token-store.js";

/** Components of the key under which tokens are stored. */
export type TokenKey = readonly [
  grant: string,
  issuer: string,
  clientId: string,
  scopes: readonly string[],
  resource: string,
  account: string,
];

/** State of an `oauth` function that {@link revokeTokens} requires. */
export interface Revocation {
  readonly servers: IssuerServers;
  readonly client: OAuthClient;
  readonly store: TokenStore;
  /**
   * A key of the `oauth` function, which owns all keys that differ from this key only in their
   * issuer and scopes.
   */
  readonly own: TokenKey;
  /** Keys that the `oauth` function has used, because some stores cannot list their keys. */
  readonly used: Iterable<string>;
  /**
   * Waits until a running token request for a key has ended. Otherwise, the request could store new
   * tokens after the deletion.
   */
  readonly settled: (key: string) => Promise<unknown>;
}

/**
 * Deletes the tokens of an `oauth` function from its store, and then revokes them (RFC 7009).
 * Returns whether the issuer has revoked all tokens. Throws the first error after all tokens have
 * been deleted.
 */
export async function revokeTokens(revocation: Revocation): Promise<boolean> {
  const { store, used } = revocation;
  const keys = new Set([...used, ...((await store.keys?.()) ?? [])]);
  const results = await Promise.allSettled([...keys].map((key) => revokeKey(key, revocation)));
  for (const result of results)
    if (result.status === "rejected") throw tokenErrorOf(result.reason, "revoke a token");
  return results.every((result) => result.status === "fulfilled" && result.value);
}

async function revokeKey(key: string, revocation: Revocation): Promise<boolean> {
  const { servers, client, store, settled } = revocation;
  const issuer = issuerOf(key, revocation);
  if (issuer === undefined) return true;
  await settled(key);
  const remove = async (): Promise<Tokens | undefined> => {
    const tokens = await store.tokens(key);
    if (tokens !== undefined) await store.saveTokens(key, undefined);
    return tokens;
  };
  // Lock the key, because another process may be replacing the tokens.
  const tokens = await (store.exclusively === undefined
    ? remove()
    : store.exclusively(key, remove));
  if (tokens === undefined) return true;
  const server = await servers.discoveredServer(issuer);
  if (server?.metadata.revocation_endpoint === undefined) return false;
  const { accessToken, refreshToken } = tokens;
  const results = await Promise.allSettled([
    refreshToken === undefined || revokeToken(server, client, refreshToken, "refresh_token"),
    revokeToken(server, client, accessToken, "access_token"),
  ]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.every((result) => result.status === "fulfilled" && result.value);
}

/**
 * Returns the issuer's name in a key; `undefined` if the key belongs to another `oauth` function.
 */
function issuerOf(key: string, { servers, own }: Revocation): string | undefined {
  const parts = partsOf(key);
  if (parts.length !== own.length) return undefined;
  // The issuer (index 1) and the scopes (index 3) depend on the agent, so they may differ.
  const isOwn = own.every((part, index) => index === 1 || index === 3 || part === parts[index]);
  const issuer = parts[1];
  return isOwn && typeof issuer === "string" && servers.isNamed(issuer) ? issuer : undefined;
}

function partsOf(key: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) ? parts : [];
  } catch {
    // The application may keep other data in the same store.
    return [];
  }
}

/**
 * Revokes a token. Returns `false` if the issuer cannot revoke this type of token, such as a signed
 * access token.
 */
async function revokeToken(
  { metadata, requests }: IssuerServer,
  client: OAuthClient,
  token: string,
  hint: string,
): Promise<boolean> {
  const methods = metadata.revocation_endpoint_auth_methods_supported;
  const [as, proof] = clientOf({ client, metadata }, methods);
  const options = { ...requests, additionalParameters: { token_type_hint: hint } };
  const response = await oauth4webapi.revocationRequest(metadata, as, proof, token, options);
  try {
    await oauth4webapi.processRevocationResponse(response);
    return true;
  } catch (error) {
    if (error instanceof oauth4webapi.ResponseBodyError && error.error === "unsupported_token_type")
      return false;
    throw error;
  }
}
