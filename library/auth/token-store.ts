/** An access token from an issuer, with its lifetime and an optional refresh token. */
export interface Tokens {
  /** The token that calls send. */
  readonly accessToken: string;
  /** The token that obtains the next tokens, if the issuer sends it. */
  readonly refreshToken?: string;
  /**
   * Expiry time of the access token, in milliseconds since 1970; absent if the issuer does not
   * specify it.
   */
  readonly expiresAt?: number;
  /** Time at which the access token was issued, in milliseconds since 1970. */
  readonly issuedAt: number;
}

/**
 * Store that keeps tokens between calls. A key identifies the grant, issuer, client, scopes,
 * resource and account, and contains no secrets.
 */
export interface TokenStore {
  /** Returns the tokens for a key; `undefined` if the store does not contain tokens for the key. */
  tokens(key: string): Promise<Tokens | undefined> | Tokens | undefined;
  /** Stores tokens under a key; deletes the stored tokens if `tokens` is `undefined`. */
  saveTokens(key: string, tokens: Tokens | undefined): Promise<void> | void;
  /**
   * Runs a function while no other process runs a function for the same key. Without this method,
   * two processes that share the store could send the same refresh token, which most issuers accept
   * only once.
   */
  exclusively?<T>(key: string, run: () => Promise<T>): Promise<T>;
  /** Returns the keys of all tokens, so that tokens from earlier processes can be revoked. */
  keys?(): Promise<readonly string[]> | readonly string[];
}

/** Returns a store that keeps tokens in memory until the process ends. */
export function memoryTokenStore(): TokenStore {
  const all = new Map<string, Tokens>();
  return {
    tokens: (key) => all.get(key),
    keys: () => [...all.keys()],
    saveTokens(key, tokens) {
      if (tokens === undefined) all.delete(key);
      else all.set(key, tokens);
    },
  };
}
