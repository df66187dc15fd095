import type { AgentCard, SecurityRequirement, SecurityScheme } from "../kit/model.js";
import type { FindCredentials } from "./credential-request.js";

/**
 * Credentials that satisfy a security requirement, by the part of the request that contains them.
 */
export interface Found {
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters. */
  readonly query: Readonly<Record<string, string>> | undefined;
  /** The credentials by scheme. */
  readonly used: ReadonlyMap<string, string>;
  /** The requested scopes. */
  readonly scopes: ReadonlySet<string>;
}

/** Parameters of a search for credentials. */
export interface CredentialSearch {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly find: Readonly<Record<string, FindCredentials>>;
  /** Requirements of the card and its skills, which declare scopes. */
  readonly requirements: readonly SecurityRequirement[];
  /** Credentials that the agent has rejected. */
  readonly before: Found | undefined;
  /** Scopes that the agent has required in a challenge. */
  readonly scopes: readonly string[];
  readonly resourceMetadata: string | undefined;
  /** Names of the headers of the protocol, in lower case. */
  readonly reserved: ReadonlySet<string>;
}

/** The parts of a request to which credentials are added. */
interface RequestParts {
  readonly headers: Record<string, string>;
  readonly query: Record<string, string>;
}

/**
 * Returns credentials for all schemes of a requirement; `undefined` if any scheme has no
 * credentials.
 */
export async function meet(
  named: NonNullable<SecurityRequirement["schemes"]>,
  {
    schemes,
    requirements,
    find,
    before,
    scopes: extraScopes,
    resourceMetadata,
    reserved,
  }: CredentialSearch,
): Promise<Found | undefined> {
  const target: RequestParts = { headers: {}, query: {} };
  const used = new Map<string, string>();
  const requested = new Set<string>();
  for (const [name, { list = [] }] of Object.entries(named)) {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    if (scheme === undefined) return undefined;
    if (scheme.mtlsSecurityScheme !== undefined) continue;
    const finder = Object.hasOwn(find, name) ? find[name] : undefined;
    const scopes = [
      ...new Set([...list, ...(scheme.apiKeySecurityScheme === undefined ? extraScopes : [])]),
    ];
    const declaredScopes = scopesOf(name, scheme, requirements);
    const refused = before?.used.get(name);
    // The type excludes `null`, but JavaScript and casts may return it, which would be sent as
    // "Bearer null".
    const found =
      (await finder?.({ scheme, scopes, declaredScopes, refused, resourceMetadata })) ?? undefined;
    if (found === undefined) return undefined;
    if (found.trim() === "")
      throw new TypeError(
        `The credentials for the scheme "${name}" are empty: return undefined instead`,
      );
    if (!addCredentials(target, scheme, found, reserved)) return undefined;
    used.set(name, found);
    for (const scope of scopes) requested.add(scope);
  }
  const { headers, query } = target;
  return {
    headers,
    query: Object.keys(query).length > 0 ? query : undefined,
    used,
    scopes: requested,
  };
}

/** Returns the requirements of a card and of its skills. */
export function requirementsOf({
  securityRequirements = [],
  skills,
}: AgentCard): readonly SecurityRequirement[] {
  return [...securityRequirements, ...skills.flatMap((skill) => skill.securityRequirements ?? [])];
}

/** Returns the scopes that are declared for a scheme. */
function scopesOf(
  name: string,
  scheme: SecurityScheme,
  requirements: readonly SecurityRequirement[],
): string[] {
  const flows: readonly { readonly scopes?: object }[] = Object.values(
    scheme.oauth2SecurityScheme?.flows ?? {},
  );
  const ofFlows = flows.flatMap(({ scopes = {} }) => Object.keys(scopes));
  const required = requirements.flatMap(({ schemes = {} }) => Object.entries(schemes));
  const ofRequirements = required.flatMap(([key, { list = [] }]) => (key === name ? list : []));
  return [...new Set([...ofFlows, ...ofRequirements])];
}

/**
 * Adds credentials to a request in the form of their scheme. Returns whether the scheme is
 * supported.
 */
function addCredentials(
  { headers, query }: RequestParts,
  scheme: SecurityScheme,
  found: string,
  reserved: ReadonlySet<string>,
): boolean {
  const key = scheme.apiKeySecurityScheme;
  if (key === undefined)
    headers["authorization"] = `${scheme.httpAuthSecurityScheme?.scheme ?? "Bearer"} ${found}`;
  else if (key.location === "header") {
    const name = key.name.toLowerCase();
    // Protocol headers are also sent to origins that must not receive credentials.
    if (reserved.has(name)) return false;
    headers[name] = found;
  } else if (key.location === "cookie")
    headers["cookie"] = [
      ...("cookie" in headers ? [headers["cookie"]] : []),
      `${key.name}=${found}`,
    ].join("; ");
  else if (key.location === "query") query[key.name] = found;
  else return false;
  return true;
}
