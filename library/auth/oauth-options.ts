import type { Key } from "../kit/signatures/jws.js";
import type { IssuerFetch } from "./issuer-fetch.js";
import type { Tokens, TokenStore } from "./token-store.js";

/** A client that is registered with an issuer. */
export interface OAuthClient {
  /** Id of the client at the issuer. */
  readonly clientId: string;
  /** Secret of a confidential client. */
  readonly clientSecret?: string;
  /** Key with which the client signs assertions (RFC 7523) instead of sending a secret. */
  readonly privateKey?: { readonly key: Key; readonly kid: string };
}

/** Grant for a client that acts on its own behalf. */
export interface ClientCredentials extends OAuthClient {
  /** Secret of the client. This grant requires a secret or a private key. */
  readonly clientSecret?: string;
}

/** A browser sign-in in which the program itself receives the redirect. */
export interface AuthorizationRedirect {
  /** URL that the issuer redirects the browser to, exactly as registered with the issuer. */
  readonly redirectUrl: string;
  /**
   * Opens `url` in the user's browser, and returns the URL to which the browser was redirected,
   * including the query. Concurrent client calls share one sign-in.
   */
  redirectToAuthorization(url: URL): Promise<string | URL> | string | URL;
}

/** A browser sign-in in which an {@link AuthorizationReceiver} receives the redirect. */
export interface AuthorizationAttempt extends AuthorizationRedirect {
  /** Ends the sign-in. */
  close(): void;
}

/**
 * Function that prepares to receive the redirect of one sign-in. Concurrent client calls share one
 * sign-in. `loopbackReceiver` returns an authorization receiver.
 */
export type AuthorizationReceiver = () => Promise<AuthorizationAttempt>;

/**
 * Grant for a user with a browser (authorization code with PKCE). Either the program or `receiver`
 * receives the browser's redirect.
 */
export type AuthorizationCode = OAuthClient &
  (
    | (AuthorizationRedirect & { readonly receiver?: never })
    | {
        readonly receiver: AuthorizationReceiver;
        readonly redirectUrl?: never;
        readonly redirectToAuthorization?: never;
      }
  );

/** Grant for a program without a browser. The user signs in on another device (RFC 8628). */
export interface DeviceCode extends OAuthClient {
  /**
   * Shows the code and the URL to the user. The grant then waits until the user has confirmed the
   * code at the URL.
   */
  readonly showCode: (code: DeviceCodePrompt) => unknown;
}

/** Code and URLs that a user needs to sign in on another device. */
export interface DeviceCodePrompt {
  /** Code that the user enters at the verification URL. */
  readonly userCode: string;
  /** Verification URL, which the user opens on any device. */
  readonly verificationUri: string;
  /**
   * Verification URL that already includes the code, for example for a QR code; `undefined` if the
   * issuer does not send it.
   */
  readonly verificationUriComplete: string | undefined;
  /** Lifetime of the code in milliseconds. */
  readonly expiresInMs: number;
}

/** Grant with a refresh token from an earlier sign-in. */
export interface RefreshToken extends OAuthClient {
  /** The refresh token. The tokens that it obtains replace it if they have a refresh token. */
  readonly refreshToken: string;
}

/** Grant with an assertion about a user that another party has signed (RFC 7523). */
export interface JwtBearer extends OAuthClient {
  /**
   * Returns an assertion with the issuer as its `audience`. The client calls this function for each
   * new token.
   */
  readonly assertion: (audience: string) => string | Promise<string>;
}

/** A custom grant, such as a token exchange. */
export interface CustomGrant extends OAuthClient {
  /** Obtains tokens. The client calls this function for each new token. */
  readonly run: (context: GrantContext) => Promise<Tokens>;
}

/**
 * Issuer, scopes and resource of a token request, and a function that sends the request for a
 * {@link CustomGrant}.
 */
export interface GrantContext {
  /**
   * The issuer, or the origin of its token endpoint if the agent card contains only the endpoints.
   */
  readonly issuer: string;
  /** Scopes that the tokens must have. */
  readonly scopes: readonly string[];
  /** URL of the agent that the tokens are for (RFC 8707). */
  readonly resource: string | undefined;
  /** Requests tokens from the token endpoint, and authenticates the client. */
  readonly request: (
    grantType: string,
    parameters: Readonly<Record<string, string>>,
  ) => Promise<Tokens>;
}

/** All grants, by the name of their option. */
export interface Grants {
  readonly clientCredentials: ClientCredentials;
  readonly authorizationCode: AuthorizationCode;
  readonly deviceCode: DeviceCode;
  readonly refreshToken: RefreshToken;
  readonly jwtBearer: JwtBearer;
  readonly grant: CustomGrant;
}

/** Options with exactly one of the grants. */
export type OneGrant = {
  readonly [Name in keyof Grants]: { readonly [Key in Name]: Grants[Key] } & {
    readonly [Key in Exclude<keyof Grants, Name>]?: never;
  };
}[keyof Grants];

/** Options for `oauth`, except the grant. */
export interface OAuthSettings {
  /**
   * URL of the issuer, whose metadata contains the endpoints. `issuer` is required unless
   * `trustedOrigins` is set.
   */
  readonly issuer?: string;
  /**
   * Origins of trusted issuers. The agent card, or the resource metadata (RFC 9728) to which the
   * agent's challenge refers, can only select an issuer with one of these origins. Without this
   * list, a malicious agent could name a server that collects secrets.
   */
  readonly trustedOrigins?: readonly string[];
  /** Scopes to request, in addition to the scopes that the card requires. */
  readonly scopes?: readonly string[];
  /**
   * Scopes that agents may require in their cards and challenges. Default: the scopes that the card
   * declares, in the flows of the scheme or in a requirement. A challenge with any other scope is
   * then refused.
   */
  readonly allowedScopes?: readonly string[];
  /** URL of the agent that the tokens are for (RFC 8707). */
  readonly resource?: string;
  /** Additional parameters for requests to the issuer, such as `audience`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Store for the tokens. Default: a store in memory. */
  readonly store?: TokenStore;
  /** Name that identifies the user's tokens if the store contains tokens of several users. */
  readonly account?: string;
  /**
   * Time between a token's replacement and its expiry, in milliseconds; 60,000 by default. The
   * maximum is half of the token's lifetime.
   */
  readonly refreshBeforeMs?: number;
  /** Time-out for a request to the issuer, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Function that sends the requests to the issuer. Default: the platform's `fetch`. */
  readonly fetch?: IssuerFetch;
}

/** Options for `oauth`: settings and one grant. */
export type OAuthOptions = OAuthSettings & OneGrant;
