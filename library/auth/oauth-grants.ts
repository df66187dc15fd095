import * as oauth from "oauth4webapi";
import { secureUrl } from "./issuer-fetch.js";
import type {
  AuthorizationCode,
  AuthorizationRedirect,
  DeviceCode,
  OAuthClient,
  OAuthOptions,
  OAuthSettings,
} from "./oauth-options.js";
import type { IssuerServer } from "./oauth-server.js";
import { TokenError } from "./token-error.js";
import type { Tokens } from "./token-store.js";

/** A request for tokens, with the issuer, the client, the settings and the requested scopes. */
export interface TokenRequest extends IssuerServer {
  readonly settings: OAuthSettings;
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
}

/** Function that obtains tokens with a grant. */
export type RunGrant = (request: TokenRequest) => Promise<Tokens>;

type NamedGrant = readonly [name: string, client: OAuthClient | undefined, run: RunGrant];

/**
 * Returns the client and the grant in the options. Throws a `TypeError` unless the options contain
 * exactly one grant.
 */
export function grantOf(options: OAuthOptions): {
  readonly client: OAuthClient;
  readonly run: RunGrant;
  name: string;
} {
  const { clientCredentials, authorizationCode, deviceCode, refreshToken, jwtBearer, grant } =
    options;
  const runs: readonly NamedGrant[] = [
    ["clientCredentials", clientCredentials, runClientCredentials],
    [
      "authorizationCode",
      authorizationCode,
      (request) => runAuthorizationCode(request, defined(authorizationCode)),
    ],
    ["deviceCode", deviceCode, (request) => runDeviceCode(request, defined(deviceCode))],
    [
      "refreshToken",
      refreshToken,
      (request) => refresh(request, defined(refreshToken).refreshToken),
    ],
    [
      ...(["jwtBearer", jwtBearer] as const),
      async (request) => {
        const assertion = await defined(jwtBearer).assertion(request.metadata.issuer);
        return requestTokens(request, "urn:ietf:params:oauth:grant-type:jwt-bearer", {
          assertion,
        });
      },
    ],
    [
      ...(["grant", grant] as const),
      (request) =>
        defined(grant).run({
          issuer: request.metadata.issuer,
          scopes: request.scopes,
          resource: request.settings.resource,
          request: (grantType, parameters) => requestTokens(request, grantType, parameters),
        }),
    ],
  ];
  const given = runs.filter(([, client]) => client !== undefined);
  const first = given.length === 1 ? given.at(0) : undefined;
  const client = first?.[1];
  if (first === undefined || client === undefined)
    throw new TypeError(
      "`oauth` requires exactly one grant, such as `clientCredentials`, got " +
        String(given.length),
    );
  const [name, , run] = first;
  for (const [key, value] of Object.entries(client))
    if (value === "")
      throw new TypeError(`\`${name}.${key}\` is empty: an environment variable may be missing`);
  return { client, run, name };
}

/** Returns `value`, which earlier checks guarantee to be defined. */
function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError("The grant is missing");
  return value;
}

/** Obtains a new access token with a refresh token. */
export async function refresh(request: TokenRequest, token: string): Promise<Tokens> {
  const { metadata, settings, requests } = request;
  const additionalParameters = { ...settings.parameters, ...resourceOf(settings) };
  const [client, proof] = clientOf(request);
  const options = { ...requests, additionalParameters };
  const response = await oauth.refreshTokenGrantRequest(metadata, client, proof, token, options);
  const found = tokensOf(await oauth.processRefreshTokenResponse(metadata, client, response));
  // An issuer that does not rotate refresh tokens omits the refresh token from its response.
  return { refreshToken: token, ...found };
}

async function runClientCredentials(request: TokenRequest): Promise<Tokens> {
  const { metadata, requests } = request;
  const [client, proof] = clientOf(request);
  const response = await oauth.clientCredentialsGrantRequest(
    metadata,
    client,
    proof,
    parametersOf(request),
    requests,
  );
  return tokensOf(await oauth.processClientCredentialsResponse(metadata, client, response));
}

/** Requests tokens from the token endpoint with a grant type and its parameters. */
async function requestTokens(
  request: TokenRequest,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const { metadata, requests } = request;
  const [client, proof] = clientOf(request);
  const all = { ...parametersOf(request), ...parameters };
  const response = await oauth.genericTokenEndpointRequest(
    metadata,
    client,
    proof,
    grantType,
    all,
    requests,
  );
  return tokensOf(await oauth.processGenericTokenEndpointResponse(metadata, client, response));
}

async function runAuthorizationCode(
  request: TokenRequest,
  grant: AuthorizationCode,
): Promise<Tokens> {
  if (grant.receiver === undefined) return signIn(request, grant);
  const attempt = await grant.receiver();
  try {
    return await signIn(request, attempt);
  } finally {
    attempt.close();
  }
}

async function signIn(request: TokenRequest, grant: AuthorizationRedirect): Promise<Tokens> {
  const { metadata, requests, settings, scopes } = request;
  const { redirectUrl } = grant;
  const [client, proof] = clientOf(request);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = scopes.includes("openid") ? oauth.generateRandomNonce() : undefined;
  // Callbacks pass the URL to another program, such as a browser. Check the URL's scheme, so that
  // neither a card nor an issuer can choose this program.
  const url = new URL(
    secureUrl(metadata.authorization_endpoint ?? "", "`authorization_endpoint` of the issuer"),
  );
  const parameters = {
    ...parametersOf(request),
    client_id: client.client_id,
    redirect_uri: redirectUrl,
    response_type: "code",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(nonce !== undefined && { nonce }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const redirect = new URL(await grant.redirectToAuthorization(url));
  const callback = oauth.validateAuthResponse(metadata, client, redirect, state);
  const options = { ...requests, additionalParameters: resourceOf(settings) };
  const response = await oauth.authorizationCodeGrantRequest(
    ...([metadata, client, proof, callback, redirectUrl, verifier, options] as const),
  );
  const checks = nonce === undefined ? {} : { expectedNonce: nonce, requireIdToken: true };
  return tokensOf(await oauth.processAuthorizationCodeResponse(metadata, client, response, checks));
}

/** Maximum lifetime of a device code, in seconds. */
const maxDeviceSeconds = 86_400;

/**
 * Maximum polling interval of the device code grant, in seconds. Without this limit, an issuer
 * could set a delay that is too large for `setTimeout`, which would then call back immediately.
 */
const maxIntervalSeconds = 600;

async function runDeviceCode(request: TokenRequest, grant: DeviceCode): Promise<Tokens> {
  const { metadata, requests, settings } = request;
  const [client, proof] = clientOf(request);
  const codeResponse = await oauth.deviceAuthorizationRequest(
    metadata,
    client,
    proof,
    parametersOf(request),
    requests,
  );
  const device = await oauth.processDeviceAuthorizationResponse(metadata, client, codeResponse);
  const expiresInMs = Math.min(device.expires_in, maxDeviceSeconds) * 1000;
  const end = Date.now() + expiresInMs;
  await grant.showCode({
    userCode: device.user_code,
    verificationUri: secureUrl(device.verification_uri, "`verification_uri` of the issuer"),
    verificationUriComplete:
      device.verification_uri_complete &&
      secureUrl(device.verification_uri_complete, "`verification_uri_complete` of the issuer"),
    expiresInMs,
  });
  let intervalMs = Math.min(Math.max(device.interval ?? 5, 1), maxIntervalSeconds) * 1000;
  const options = { ...requests, additionalParameters: resourceOf(settings) };
  while (Date.now() + intervalMs < end) {
    const ms = intervalMs;
    await new Promise((resolve) => setTimeout(resolve, ms));
    const response = await oauth.deviceCodeGrantRequest(
      metadata,
      client,
      proof,
      device.device_code,
      options,
    );
    try {
      return tokensOf(await oauth.processDeviceCodeResponse(metadata, client, response));
    } catch (error) {
      const code = error instanceof oauth.ResponseBodyError ? error.error : undefined;
      if (code !== "authorization_pending" && code !== "slow_down") throw error;
      // RFC 8628 requires clients to add five seconds to the interval after each `slow_down`.
      if (code === "slow_down") intervalMs += 5000;
    }
  }
  throw new TokenError("The device code expired before the user confirmed it", {
    code: "expired_token",
  });
}

/**
 * Converts a client and its credentials to the types of `oauth4webapi`.
 *
 * @param methods - the authentication methods that the endpoint supports; by default, the methods
 *   of the token endpoint
 */
export function clientOf(
  {
    client: { clientId, clientSecret, privateKey },
    metadata,
  }: Pick<TokenRequest, "client" | "metadata">,
  methods: readonly string[] = metadata.token_endpoint_auth_methods_supported ?? [
    "client_secret_basic",
  ],
): [oauth.Client, oauth.ClientAuth] {
  const client: oauth.Client = { client_id: clientId };
  if (privateKey !== undefined) return [client, oauth.PrivateKeyJwt(privateKey)];
  if (clientSecret === undefined) return [client, oauth.None()];
  const inBody = !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
  return [
    client,
    inBody ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret),
  ];
}

function parametersOf({ settings, scopes }: TokenRequest): Record<string, string> {
  return {
    ...settings.parameters,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...resourceOf(settings),
  };
}

function resourceOf({ resource }: OAuthSettings): Record<string, string> {
  return resource === undefined ? {} : { resource };
}

/** Maximum length of an access token, in characters. Agents reject requests with longer headers. */
const maxTokenLength = 16_384;

/**
 * Returns the tokens in a response. Throws a {@link TokenError} for any token type except bearer,
 * because other types require a proof of possession, which this module does not support.
 */
function tokensOf(response: oauth.TokenEndpointResponse): Tokens {
  const {
    access_token: accessToken,
    token_type: type,
    expires_in: seconds,
    refresh_token: refreshToken,
  } = response;
  if (type !== "bearer")
    throw new TokenError(`The issuer returned a token of the unsupported type ${type}`);
  if (!/^[!-~]+$/.test(accessToken))
    throw new TokenError(
      "The issuer returned a token with characters that are not allowed in a header",
    );
  if (accessToken.length > maxTokenLength)
    throw new TokenError(
      `The issuer returned a token of more than ${String(maxTokenLength)} characters`,
    );
  const issuedAt = Date.now();
  return {
    accessToken,
    issuedAt,
    ...(seconds !== undefined && { expiresAt: issuedAt + seconds * 1000 }),
    ...(refreshToken !== undefined && { refreshToken }),
  };
}
