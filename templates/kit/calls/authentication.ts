import type { AgentCard, SecurityRequirement, SecurityScheme } from "../model.js";
import { PermissionDeniedError, UnauthenticatedError } from "../../errors.js";
import type { Caller } from "../../runtime/server/context.js";
import { isNoUser, type NoUser } from "../../runtime/server/user.js";

/** Data that a check receives in addition to the credentials. */
export interface Access {
  /** Scopes that the card requires. Throw a `PermissionDeniedError` if the credentials do not include them. */
  readonly scopes: readonly string[];
  readonly caller: Caller;
  /** The option `resourceMetadata` of `authenticateBy`, to include in challenges. */
  readonly resourceMetadata?: string | undefined;
}

/** Options for {@link authenticateBy}. */
export interface AuthenticationOptions<User> {
  /** User for callers without credentials, if the card admits them; may be `null`. */
  readonly anonymous?: User;
  /**
   * URL of the metadata (RFC 9728) that `protectedResource` serves. Challenges for bearer tokens include it, so that
   * clients find the issuer.
   */
  readonly resourceMetadata?: string;
}

/**
 * Returns the user to whom the credentials belong. If it returns no user (`undefined`, `null`, `false`, `0`, `NaN`, an
 * empty string, or an object with such an `id`), the credentials are invalid. The credentials are the key, the token,
 * or the text after the name of the HTTP scheme. For mutual TLS, they are an empty string, because only the connection
 * has the certificate.
 */
export type CheckCredentials<User> = (credentials: string, access: Access) => User | NoUser | Promise<User | NoUser>;

/** Options for `createAgent` that authenticate callers according to the agent card. */
export interface Authentication<User> {
  readonly authenticate: (caller: Caller) => Promise<User | undefined>;
  readonly challenge?: string;
  /** User for callers without credentials; present if the card admits such callers. */
  readonly anonymous?: User;
}

/** A security requirement of the card: the caller must satisfy all of its schemes. */
type Demands<User> = readonly {
  readonly find: (caller: Caller) => string | undefined;
  readonly check: CheckCredentials<User>;
  readonly scopes: readonly string[];
}[];

/**
 * Returns options for `createAgent` that admit a caller if it satisfies one of the card's security requirements. The
 * requirements are checked in the order of the card. The user is the result of the check for the requirement's first
 * scheme. To check the requirements of individual skills, use `authorize`.
 *
 * @param card - the agent card; its schemes define the location of credentials
 * @param checks - a check for each scheme that the card requires, by its name in the card
 * @param options - `anonymous` is the user for callers without credentials, if the card admits them. These callers are
 * still anonymous: they cannot get the extended card, and cannot list each other's tasks
 * @throws {TypeError} if the card requires a scheme that has no check or that the card does not declare, or if it
 * admits callers without credentials and `anonymous` is missing
 *
 * @example
 * const agent = createAgent({ card, ...authenticateBy(card, { token: (token) => users.get(token) }), service });
 */
export function authenticateBy<User>(
  card: AgentCard,
  checks: Readonly<Record<string, CheckCredentials<User>>>,
  options: AuthenticationOptions<User> = {},
): Authentication<User> {
  const { securitySchemes: schemes = {}, securityRequirements: requirements = [] } = card;
  checkNames(card, checks);
  const demands = requirements.map((requirement) => demandsOf(requirement, schemes, checks));
  const isOpen = demands.length === 0 || demands.some((all) => all.length === 0);
  if (isOpen && !("anonymous" in options))
    throw new TypeError("The card admits callers without credentials: set the option `anonymous` to their user");
  const { resourceMetadata } = options;
  if (resourceMetadata !== undefined && !/^https?:\/\/[!#-[\]-~]+$/.test(resourceMetadata))
    throw new TypeError(`\`resourceMetadata\` must be an HTTP URL, got ${resourceMetadata}`);
  const challenge = challengeOf(requirements, schemes, resourceMetadata);
  const authenticate = async (caller: Caller): Promise<User | undefined> => {
    let denied: Error | undefined;
    let invalid: Error | undefined;
    for (const all of demands.filter(({ length }) => length > 0)) {
      try {
        const user = await userOf(all, { caller, resourceMetadata });
        if (user !== undefined) return user;
      } catch (error) {
        // Other requirements may still be satisfied.
        if (error instanceof PermissionDeniedError) denied ??= error;
        else if (error instanceof UnauthenticatedError) invalid ??= error;
        else throw error;
      }
    }
    const refusal = denied ?? invalid;
    if (refusal !== undefined) throw refusal;
    // Invalid credentials are rejected, even if the card admits callers without credentials.
    if (!isOpen || demands.some((all) => all.some(({ find }) => find(caller)))) throw new UnauthenticatedError();
    return undefined;
  };
  return {
    authenticate,
    ...(challenge !== undefined && { challenge }),
    ...(isOpen && { anonymous: options.anonymous }),
  };
}

/** Returns the user of the first scheme if the credentials for all schemes are valid. */
async function userOf<User>(demands: Demands<User>, access: Omit<Access, "scopes">): Promise<User | undefined> {
  let user: User | undefined;
  for (const { find, check, scopes } of demands) {
    const credentials = find(access.caller);
    const found = credentials === undefined ? undefined : await check(credentials, { ...access, scopes });
    if (isNoUser(found)) return undefined;
    // `isNoUser` has excluded the other members of the union.
    user ??= found as User;
  }
  return user;
}

function checkNames(card: AgentCard, checks: object): void {
  const declared = card.securitySchemes ?? {};
  const all = [
    ...(card.securityRequirements ?? []),
    ...card.skills.flatMap((skill) => skill.securityRequirements ?? []),
  ];
  const unknown = [...all.flatMap(({ schemes = {} }) => Object.keys(schemes)), ...Object.keys(checks)];
  for (const name of unknown)
    if (!Object.hasOwn(declared, name))
      throw new TypeError(`The security scheme "${name}" is not declared: add it to \`securitySchemes\` of the card`);
}

function demandsOf<User>(
  { schemes: named = {} }: SecurityRequirement,
  schemes: Readonly<Record<string, SecurityScheme>>,
  checks: Readonly<Record<string, CheckCredentials<User>>>,
): Demands<User> {
  return Object.entries(named).map(([name, scopes]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined)
      throw new TypeError(
        `The card requires the security scheme "${name}": pass a function that checks its credentials`,
      );
    return { find: finderOf(name, schemes[name]), check, scopes: scopes.list ?? [] };
  });
}

/** Returns a function that reads the credentials for a scheme from the headers or query of a request. */
function finderOf(name: string, scheme: SecurityScheme | undefined): (caller: Caller) => string | undefined {
  if (scheme?.apiKeySecurityScheme !== undefined) {
    const { location, name: key } = scheme.apiKeySecurityScheme;
    if (location === "header") return ({ headers }) => filled(headers.get(key.toLowerCase()));
    if (location === "cookie") return ({ headers }) => cookieIn(headers.get("cookie") ?? "", key);
    if (location === "query") return ({ query }) => filled(new URLSearchParams(query).get(key) ?? undefined);
    throw new TypeError(
      `The key of the security scheme "${name}" has the unsupported location ${location}: use header or cookie`,
    );
  }
  if (scheme?.mtlsSecurityScheme !== undefined) return () => "";
  const word = wordOf(scheme);
  return ({ headers }) => {
    const [found = "", ...rest] = (headers.get("authorization") ?? "").trim().split(/ +/);
    return found.toLowerCase() === word.toLowerCase() && rest.length > 0 ? rest.join(" ") : undefined;
  };
}

/**
 * Returns the authentication scheme of the `authorization` header; OAuth and OpenID Connect tokens are bearer tokens.
 */
function wordOf(scheme: SecurityScheme | undefined): string {
  return scheme?.httpAuthSecurityScheme?.scheme ?? "Bearer";
}

function cookieIn(header: string, name: string): string | undefined {
  const found = header
    .split(";")
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(`${name}=`));
  return filled(found?.slice(name.length + 1));
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/**
 * Returns the challenges for the required schemes, which list the credentials that callers can send; `undefined` if the
 * card requires no credentials.
 */
function challengeOf(
  requirements: readonly SecurityRequirement[],
  schemes: Readonly<Record<string, SecurityScheme>>,
  resourceMetadata: string | undefined,
): string | undefined {
  const names = requirements.flatMap((requirement) => Object.keys(requirement.schemes ?? {}));
  const required = names.flatMap((name) => (Object.hasOwn(schemes, name) ? (schemes[name] ?? []) : []));
  // A client may choose a challenge that it does not support, so unregistered challenges are only sent if no registered
  // challenge exists.
  const known = required.filter((scheme) => (scheme.apiKeySecurityScheme ?? scheme.mtlsSecurityScheme) === undefined);
  const words = new Set((known.length > 0 ? known : required).map(challengeFor));
  const metadata = resourceMetadata === undefined ? "" : ` resource_metadata="${resourceMetadata}"`;
  const all = [...words].map((word) => (word.toLowerCase() === "bearer" ? word + metadata : word));
  return all.length === 0 ? undefined : all.join(", ");
}

/**
 * Returns the challenge for a scheme. HTTP requires a challenge in each 401 response, but API keys and certificates
 * have no registered challenge.
 */
function challengeFor(scheme: SecurityScheme): string {
  if (scheme.mtlsSecurityScheme !== undefined) return "MutualTLS";
  if (scheme.apiKeySecurityScheme === undefined) return wordOf(scheme);
  const { location, name } = scheme.apiKeySecurityScheme;
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? `ApiKey ${location}="${name}"` : "ApiKey";
}
