import type { Key } from "../signatures/jws.js";
import type { IssuerFetch } from "./issuer-fetch.js";
import type { Tokens, TokenStore } from "./token-store.js";

/** A client that an issuer has registered. */
export interface OAuthClient {
  readonly clientId: string;
  /** Secret of a client that can keep one. */
  readonly clientSecret?: string;
  /** Key with which the client signs assertions (RFC 7523) in place of a secret. */
  readonly privateKey?: { readonly key: Key; readonly kid: string };
}

/** Grant for a client that acts for itself. */
export interface ClientCredentials extends OAuthClient {
  /** Proof of the client: this grant is for clients that have one. */
  readonly clientSecret?: string;
}

/** Grant for a user with a browser, with PKCE. */
export interface AuthorizationCode extends OAuthClient {
  /** The URL to which the issuer sends the browser back, as it is registered. */
  readonly redirectUrl: string;
  /**
   * Opens the URL in the user's browser, and returns the URL at which the browser has come back, with its query. It is
   * called once for concurrent calls.
   */
  readonly redirectToAuthorization: (url: URL) => Promise<string | URL> | string | URL;
}

/** Grant for a user with another device, for programs without a browser (RFC 8628). */
export interface DeviceCode extends OAuthClient {
  /** Shows the code and the address to the user. The call waits until the user has confirmed the code there. */
  readonly showCode: (code: DeviceCodePrompt) => unknown;
}

/** What a user needs to confirm a device. */
export interface DeviceCodePrompt {
  readonly userCode: string;
  readonly verificationUri: string;
  /** The address with the code in it, such as for a QR code. */
  readonly verificationUriComplete: string | undefined;
  /** Milliseconds for which the code is valid. */
  readonly expiresInMs: number;
}

/** Grant by a refresh token from an earlier sign-in. */
export interface RefreshToken extends OAuthClient {
  readonly refreshToken: string;
}

/** Grant by an assertion about a user, which another party has signed (RFC 7523). */
export interface JwtBearer extends OAuthClient {
  /** Returns the assertion. It is called for each new token. */
  readonly assertion: (audience: string) => string | Promise<string>;
}

/** A grant of your own, such as the exchange of tokens. */
export interface CustomGrant extends OAuthClient {
  readonly run: (context: GrantContext) => Promise<Tokens>;
}

/** What a {@link CustomGrant} can use. */
export interface GrantContext {
  /** The issuer, or the origin of its token endpoint if only the card names it. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly resource: string | undefined;
  /** Requests tokens from the token endpoint, with the proof of the client. */
  readonly request: (grantType: string, parameters: Readonly<Record<string, string>>) => Promise<Tokens>;
}

/** The grants by name. */
export interface Grants {
  readonly clientCredentials: ClientCredentials;
  readonly authorizationCode: AuthorizationCode;
  readonly deviceCode: DeviceCode;
  readonly refreshToken: RefreshToken;
  readonly jwtBearer: JwtBearer;
  readonly grant: CustomGrant;
}

/** One of the grants, and no other. */
export type OneGrant = {
  readonly [Name in keyof Grants]: { readonly [Key in Name]: Grants[Key] } & {
    readonly [Key in Exclude<keyof Grants, Name>]?: never;
  };
}[keyof Grants];

/** Options of `oauth`, besides the grant. */
export interface OAuthSettings {
  /** The issuer, whose metadata names the endpoints. Required unless `origins` is given. */
  readonly issuer?: string;
  /**
   * Origins of issuers whose endpoints may come from the card. An agent writes its own card: without this list, it could
   * name a server that collects secrets.
   */
  readonly origins?: readonly string[];
  /** Scopes to request, in addition to those that the card requires. */
  readonly scopes?: readonly string[];
  /** The agent that the tokens are for, by its URL (RFC 8707). */
  readonly resource?: string;
  /** Further parameters for the issuer, such as `audience`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Keeps the tokens. Default: memory. */
  readonly store?: TokenStore;
  /** The name under which the tokens are kept, if a store has those of several users. */
  readonly account?: string;
  /** Milliseconds before its expiry at which a token is replaced, if it is valid for much longer; 60,000 by default. */
  readonly refreshBeforeMs?: number;
  /** Milliseconds after which a request to the issuer fails; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Sends the requests to the issuer. Default: the `fetch` of the platform. */
  readonly fetch?: IssuerFetch;
}

/** Options of `oauth`: settings, and one grant. */
export type OAuthOptions = OAuthSettings & OneGrant;
