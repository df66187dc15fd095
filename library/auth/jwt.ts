import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyGetKey,
} from "jose";
import { InternalError } from "../errors.js";
import { isNoUser, type NoUser } from "../runtime/server/user.js";
import {
  subjectIssuer,
  type Access,
  type CheckCredentials,
} from "../kit/calls/check-credentials.js";
import { InsufficientScopeError, InvalidTokenError } from "./challenges.js";
import { type Claims, isHeldBy, missingScopes } from "./claims.js";
import { IssuerError, type IssuerFetch, secureUrl } from "./issuer-fetch.js";
import { IssuerKeys, isReported, retryMs } from "./issuer-keys.js";

export type { Claims };

/** The user for a token if {@link jwt} is called without the option `user`. */
export interface TokenUser {
  /** The claim `sub` of the token, which is only unique within its issuer. */
  readonly id: string;
  readonly claims: Claims;
}

/** Rules for the tokens that {@link jwt} accepts. */
export interface JwtOptions {
  /**
   * The issuer, exactly as in the claim `iss` of its tokens. `issuer` is required unless `jwks` is
   * set. Without `jwks`, the issuer's metadata must contain the URL of the keys. If only `jwks` is
   * set, the issuer of a token is not checked.
   */
  readonly issuer?: string;
  /**
   * Public keys of the issuer: a key set, or the URL of a key set. Default: the keys at the URL in
   * the issuer's metadata.
   */
  readonly jwks?: string | URL | { readonly keys: readonly object[] };
  /**
   * Required audience of tokens: usually the URL of the agent. If `audience` is a list, a token
   * must contain at least one of its members.
   */
  readonly audience: string | readonly string[];
  /** Scopes that a token must have, in addition to the scopes that the card requires. */
  readonly scopes?: readonly string[];
  /** Accepted signature algorithms. Default: the public-key algorithms of RFC 7518 and RFC 8037. */
  readonly algorithms?: readonly string[];
  /** Accepted clock skew, in milliseconds; 5,000 by default. */
  readonly clockToleranceMs?: number;
  /**
   * Required token type (the header `typ`), such as `at+jwt` (RFC 9068). By default, the types
   * `at+jwt` and `JWT` and tokens without a type are accepted.
   */
  readonly type?: string;
  /**
   * Age in milliseconds at which the keys are fetched again; ten minutes by default. A key that the
   * issuer removes is still trusted until the next fetch.
   */
  readonly maxAgeMs?: number;
  /**
   * Minimum age of the keys, in milliseconds, before a token with an unknown key causes another
   * fetch; 30,000 by default.
   */
  readonly cooldownMs?: number;
  /** Time-out for a request to the issuer, in milliseconds; 5,000 by default. */
  readonly timeoutMs?: number;
  /** Function that sends the requests to the issuer. Default: the platform's `fetch`. */
  readonly fetch?: IssuerFetch;
}

/** {@link JwtOptions} with a function that returns the user. */
export interface JwtUserOptions<User> extends JwtOptions {
  /**
   * Returns the user that a token's claims identify. If the callback returns no user, the token is
   * rejected.
   */
  readonly user: (claims: Claims) => User | NoUser | Promise<User | NoUser>;
}

/**
 * Maximum length of a token, in characters. Limits how much time the agent spends on parsing tokens
 * of unknown clients.
 */
const maxLength = 16_384;

/** Maximum number of keys to try for a token without a key id. */
const maxTries = 10;

const defaultAlgorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/**
 * Returns a check for `authenticateBy` that accepts signed tokens (JWT) from an issuer, for OAuth 2
 * and OpenID Connect schemes. A token must contain the audience and the issuer, must not have
 * expired, and must have all scopes that the card and the option `scopes` require. A call with any
 * other token is rejected with status 401 or 403 and a challenge that states the reason. If the
 * issuer's keys cannot be fetched, the call is rejected with status 503, and `onError` is called
 * once for each failed fetch.
 *
 * @throws {TypeError} if an option is missing or invalid
 *
 * @example
 * const login = jwt({ issuer: "https://login.example", audience: "https://agent.example" });
 * const agent = createAgent({ card, ...authenticateBy(card, { login }), service });
 */
export function jwt(
  options: JwtOptions & { readonly user?: undefined },
): CheckCredentials<TokenUser>;
export function jwt<User>(options: JwtUserOptions<User>): CheckCredentials<User>;
export function jwt(
  options: JwtOptions & { readonly user?: JwtUserOptions<unknown>["user"] | undefined },
): CheckCredentials<unknown> {
  const { scopes: ownScopes = [], user = subjectOf } = options;
  const verify = verifierOf(options);
  const check = async (token: string, access: Access): Promise<unknown> => {
    const claims = await claimsOf(token, access, verify);
    if (!(await isHeldBy(claims, access.caller.peer?.certificate)))
      throw new InvalidTokenError(
        "The token is bound to a key that the connection does not have",
        access,
      );
    const required = [...new Set([...ownScopes, ...access.scopes])];
    if (missingScopes(claims, required).length > 0)
      throw new InsufficientScopeError(required, access);
    const result = await user(claims);
    if (isNoUser(result)) throw new InvalidTokenError("The user of the token is unknown", access);
    return result;
  };
  if (options.user !== undefined) return check;
  // Subjects are only unique for one issuer: an agent must not mix the subjects of several issuers.
  return Object.assign(check, { [subjectIssuer]: issuerOf(options) });
}

type Verify = (token: string) => Promise<Claims>;

function verifierOf(options: JwtOptions): Verify {
  const {
    issuer,
    audience,
    algorithms = defaultAlgorithms,
    clockToleranceMs = 5_000,
    type,
  } = options;
  const audiences = typeof audience === "string" ? [audience] : [...audience];
  if (audiences.length === 0 || audiences.includes(""))
    throw new TypeError(
      "`audience` must not be empty: set it to the audience of the agent's tokens",
    );
  const weak = algorithms.find(
    (name) => !/^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519|ML-DSA-(?:44|65|87))$/.test(name),
  );
  if (weak !== undefined || algorithms.length === 0)
    throw new TypeError(
      "`algorithms` must list algorithms with public keys, such as ES256, got " +
        (weak ?? "an empty list"),
    );
  if (!(clockToleranceMs >= 0 && clockToleranceMs <= 300_000))
    throw new TypeError("`clockToleranceMs` must be a number from 0 to 300,000");
  const key = keysOf(options);
  const rules = {
    audience: audiences,
    algorithms: [...algorithms],
    requiredClaims: ["exp"],
    clockTolerance: clockToleranceMs / 1000,
    ...(issuer !== undefined && { issuer }),
  };
  return async (token) => {
    const { payload, protectedHeader } = await verified(token, key, rules);
    // Other types of tokens from the issuer, such as logout tokens, must not be accepted as
    // credentials.
    const found = protectedHeader.typ?.toLowerCase().replace(/^application\//, "");
    const accepted = type === undefined ? [undefined, "jwt", "at+jwt"] : [type.toLowerCase()];
    if (!accepted.includes(found))
      throw new errors.JWTInvalid("The type of the token is not accepted");
    // `exp` is present because `requiredClaims` contains it.
    return payload as Claims;
  };
}

/** Verifies a token. If the token has no key id, tries all keys that match its algorithm. */
async function verified(
  token: string,
  key: JWTVerifyGetKey,
  rules: NonNullable<Parameters<typeof jwtVerify>[2]>,
): Promise<Awaited<ReturnType<typeof jwtVerify>>> {
  try {
    return await jwtVerify(token, key, rules);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let count = 0;
    for await (const matchingKey of error) {
      if (++count > maxTries) break;
      try {
        return await jwtVerify(token, matchingKey, rules);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function keysOf(options: JwtOptions): JWTVerifyGetKey {
  const {
    issuer,
    jwks,
    fetch,
    maxAgeMs = 600_000,
    cooldownMs = 30_000,
    timeoutMs = 5_000,
  } = options;
  if (issuer === undefined && jwks === undefined)
    throw new TypeError("`issuer` is missing: set it to the issuer of the tokens, or set `jwks`");
  if (issuer === "")
    throw new TypeError("`issuer` is empty: an environment variable may be missing");
  if (typeof jwks === "object" && !(jwks instanceof URL))
    return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
  const url = jwks === undefined ? undefined : secureUrl(String(jwks), "`jwks`");
  if (url === undefined) secureUrl(issuer ?? "", "`issuer`");
  return new IssuerKeys({ issuer, jwks: url, fetch, maxAgeMs, cooldownMs, timeoutMs }).find;
}

async function claimsOf(token: string, access: Access, verify: Verify): Promise<Claims> {
  if (token.length > maxLength) throw new InvalidTokenError("The token is too long", access);
  try {
    return await verify(token);
  } catch (error) {
    if (error instanceof IssuerError) throw unavailable(error);
    throw new InvalidTokenError(reasonOf(error), access, error);
  }
}

/**
 * Returns the error for a token that cannot be checked at the moment. Only the first error for a
 * failed fetch has a cause, so that operators receive one report.
 */
function unavailable(error: IssuerError): InternalError {
  return new InternalError("Tokens cannot be checked at the moment: retry later", {
    httpStatus: 503,
    grpcStatus: "UNAVAILABLE",
    retryAfterSeconds: retryMs / 1000,
    ...(!isReported(error) && {
      cause: new IssuerError(
        `Tokens are refused because their issuer is unavailable: ${error.message}`,
        error,
      ),
    }),
  });
}

/** Reasons for rejecting a token, by the name of the invalid claim. */
const reasons: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["aud", "The token is for another audience"],
  ["iss", "The token is from another issuer"],
  ["nbf", "The token is not valid yet"],
  ["exp", "The token has no expiry time"],
]);

/**
 * Returns the reason for rejecting a token. The reason helps honest callers, but only reveals data
 * in the token itself.
 */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "The token has expired";
  if (error instanceof errors.JOSEAlgNotAllowed)
    return "The algorithm of the token is not accepted";
  if (error instanceof errors.JWTClaimValidationFailed) {
    return reasons.get(error.claim) ?? "A claim of the token is not accepted";
  }
  if (
    error instanceof errors.JWTInvalid &&
    error.message === "The type of the token is not accepted"
  )
    return error.message;
  return "The token is invalid";
}

/** Returns the issuer of the tokens, or the location of its keys. */
function issuerOf({ issuer, jwks }: JwtOptions): string {
  if (issuer !== undefined) return issuer;
  return typeof jwks === "object" && !(jwks instanceof URL) ? "other keys" : String(jwks);
}

function subjectOf(claims: Claims): TokenUser | undefined {
  return typeof claims.sub === "string" ? { id: claims.sub, claims } : undefined;
}
