import type { AgentCard, SecurityRequirement, SecurityScheme } from "../model.js";

/** Options for {@link challengeFor}. */
export interface ChallengeOptions {
  /** URL of the metadata (RFC 9728) that `protectedResource` serves. */
  readonly resourceMetadata?: string | undefined;
}

/**
 * Returns the challenge for the schemes that a card requires; `undefined` if the card does not
 * require credentials. Use it as the option `challenge` of an agent with its own `authenticate`.
 * `authenticateBy` already includes this challenge.
 *
 * @throws {TypeError} if `resourceMetadata` is not an HTTP URL
 *
 * @example
 * const challenge = challengeFor(card, { resourceMetadata: resource.url });
 * const agent = createAgent({ card, service, authenticate, ...(challenge && { challenge }) });
 */
export function challengeFor(card: AgentCard, options: ChallengeOptions = {}): string | undefined {
  return challengeOf(card.securityRequirements ?? [], card.securitySchemes ?? {}, options);
}

/**
 * Returns the name of the scheme in the `authorization` header. For OAuth and OpenID Connect, it is
 * `Bearer`.
 */
export function wordOf(scheme: SecurityScheme | undefined): string {
  return scheme?.httpAuthSecurityScheme?.scheme ?? "Bearer";
}

/**
 * Returns the challenges for the required schemes, so that callers know which credentials to send;
 * `undefined` if the card does not require credentials.
 */
export function challengeOf(
  requirements: readonly SecurityRequirement[],
  schemes: Readonly<Record<string, SecurityScheme>>,
  { resourceMetadata }: ChallengeOptions,
): string | undefined {
  if (resourceMetadata !== undefined && !/^https?:\/\/[!#-[\]-~]+$/.test(resourceMetadata))
    throw new TypeError(`\`resourceMetadata\` must be an HTTP URL, got ${resourceMetadata}`);
  const names = requirements.flatMap((requirement) => Object.keys(requirement.schemes ?? {}));
  const required = names.flatMap((name) =>
    Object.hasOwn(schemes, name) ? (schemes[name] ?? []) : [],
  );
  // Clients may choose a challenge that they do not support, so unregistered challenges are only
  // sent if none of the required schemes has a registered challenge.
  const known = required.filter(
    (scheme) => (scheme.apiKeySecurityScheme ?? scheme.mtlsSecurityScheme) === undefined,
  );
  const challenges = new Set((known.length > 0 ? known : required).map(challengeOfScheme));
  const metadata = resourceMetadata === undefined ? "" : ` resource_metadata="${resourceMetadata}"`;
  const all = [...challenges]
    .slice(0, maxChallenges)
    .map((word) => (word.toLowerCase() === "bearer" ? word + metadata : word));
  return all.length === 0 ? undefined : all.join(", ");
}

/**
 * Maximum number of challenges. Many clients reject a response whose headers have more than 16 KB.
 */
const maxChallenges = 20;

/**
 * Returns the challenge for a scheme. HTTP requires a challenge in each 401 response, but no name
 * is registered for API keys and certificates.
 */
function challengeOfScheme(scheme: SecurityScheme): string {
  if (scheme.mtlsSecurityScheme !== undefined) return "MutualTLS";
  if (scheme.apiKeySecurityScheme === undefined) return wordOf(scheme);
  const { location, name } = scheme.apiKeySecurityScheme;
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? `ApiKey ${location}="${name}"` : "ApiKey";
}
