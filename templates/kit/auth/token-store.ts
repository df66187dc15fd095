/** Tokens of an issuer. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since 1970 after which the access token is invalid; absent if the issuer does not state it. */
  readonly expiresAt?: number;
  /** Milliseconds since 1970 when the issuer issued the access token. */
  readonly issuedAt: number;
}

/** Keeps tokens between calls. Keys are texts without secrets: issuer, client, scopes and resource. */
export interface TokenStore {
  /** Returns the tokens under a key; `undefined` if there are none. */
  tokens(key: string): Promise<Tokens | undefined> | Tokens | undefined;
  /** Stores the tokens under a key, or deletes them for `undefined`. */
  saveTokens(key: string, tokens: Tokens | undefined): Promise<void> | void;
}

/** Returns a store that keeps tokens as long as the process runs. */
export function memoryTokenStore(): TokenStore {
  const all = new Map<string, Tokens>();
  return {
    tokens: (key) => all.get(key),
    saveTokens(key, tokens) {
      if (tokens === undefined) all.delete(key);
      else all.set(key, tokens);
    },
  };
}
