/** Tokens of an issuer. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since 1970 after which the access token is invalid; absent if the issuer does not specify it. */
  readonly expiresAt?: number;
  /** Milliseconds since 1970 when the access token was issued. */
  readonly issuedAt: number;
}

/** Store that keeps tokens between calls. A key consists of issuer, client, scopes and resource, without secrets. */
export interface TokenStore {
  /** Returns the tokens for a key; `undefined` if the store has none. */
  tokens(key: string): Promise<Tokens | undefined> | Tokens | undefined;
  /** Stores tokens under a key; deletes them if `tokens` is `undefined`. */
  saveTokens(key: string, tokens: Tokens | undefined): Promise<void> | void;
  /**
   * Runs a function while no other process runs a function for the same key. Processes that share the store then do not
   * replace the same tokens at the same time. Most issuers accept a refresh token only once.
   */
  exclusively?<T>(key: string, run: () => Promise<T>): Promise<T>;
}

/** Returns a store that keeps tokens in memory until the process ends. */
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
