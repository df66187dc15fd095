import { isObject } from "../base/json.js";
import { memberAt } from "../protocol/requirements.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { minorOf, versionsIn } from "../protocol/version.js";
import { isChallenge } from "../protocol/challenge.js";
import type { CoreOptions } from "./hooks.js";

/** Throws a `TypeError` for invalid options, which would otherwise fail only at the first call. */
export function checkOptions({
  challenge,
  assumeVersion,
  versions = [],
  streams = {},
}: CoreOptions): void {
  const { reauthenticateMs = 1 } = streams;
  if (typeof reauthenticateMs !== "number" || !(reauthenticateMs > 0))
    throw new TypeError(
      "streams.reauthenticateMs must be a number of milliseconds above 0: omit it to " +
        "authenticate each stream only once",
    );
  if (challenge !== undefined && !isChallenge(challenge)) {
    const found = JSON.stringify(challenge);
    throw new TypeError(
      `challenge must be a header value in ASCII, such as "Bearer", got ${found}`,
    );
  }
  if (assumeVersion !== undefined) checkVersion("assumeVersion", assumeVersion);
  if (new Set(versions).size < versions.length)
    throw new TypeError("versions contains a duplicate: remove it");
  for (const [index, version] of versions.entries()) {
    const path = `versions[${String(index)}]`;
    if (typeof version === "string") checkVersion(path, version);
    else if (!isObject(version) || typeof version["adaptedTo"] !== "function")
      throw new TypeError(
        `${path} is invalid: pass a server adapter from versions/ of the output, or "Major.Minor"`,
      );
  }
}

function checkVersion(path: string, version: string): void {
  if (/^\d+\.\d+$/.test(version)) return;
  throw new TypeError(`${path} must be Major.Minor, such as "1.0", got ${JSON.stringify(version)}`);
}

/**
 * Throws a `TypeError` if none of a card's interfaces has one of the served `versions`. The first
 * of `versions` is the agent's version.
 */
export function checkCard(
  card: object,
  versions: readonly string[],
  discovery: DiscoveryFacts,
): void {
  const named = versionsIn(card, discovery);
  const first = named.at(0);
  const [own = ""] = versions;
  const hasServed = named.some(({ version }) => versions.includes(minorOf(version)));
  // Cards of some versions do not contain a version.
  if (first === undefined || hasServed) return;
  const found = named
    .map(({ path, version }) => `${path} is ${JSON.stringify(version)}`)
    .join(", ");
  throw new TypeError(
    `The agent card contains no served version (${found}): set ${first.path} to "${own}", or add ` +
      "the version to the option versions",
  );
}

/**
 * Returns a warning if a card requires credentials from every caller, but the agent does not check
 * credentials. Otherwise, returns `undefined`.
 */
export function uncheckedSecurity(card: object, { security }: DiscoveryFacts): Error | undefined {
  const names = requiredNames(card, security);
  if (security === undefined || names === undefined) return undefined;
  // A caller may choose any requirement, including a requirement without schemes.
  if (names.length === 0 || names.some(({ length }) => length === 0)) return undefined;
  const all = [...new Set(names.flat())].map((name) => JSON.stringify(name)).join(", ");
  return new Error(
    `The agent card requires credentials for ${all} in ${security.list}, but every caller is ` +
      "admitted: set the option authenticate of createAgent",
  );
}

/**
 * Maximum number of challenges. Many clients reject a response whose headers have more than 16 KB.
 */
const maxChallenges = 20;

/**
 * Returns the challenge of a card: the HTTP authentication schemes that it requires, and `Bearer`
 * for schemes of other kinds. Returns `undefined` if the card requires no credentials.
 */
export function challengeOfCard(card: object, { security }: DiscoveryFacts): string | undefined {
  const { declared, scheme } = security ?? {};
  const names = new Set(requiredNames(card, security)?.flat());
  if (declared === undefined || scheme === undefined || names.size === 0) return undefined;
  const words = new Map<string, string>();
  for (const name of names) {
    const found = memberAt(card, [declared, name, ...scheme.split(".")]);
    const isToken = typeof found === "string" && /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(found);
    const word = isToken ? found : "Bearer";
    words.set(word.toLowerCase(), word);
  }
  return [...words.values()].slice(0, maxChallenges).join(", ");
}

/**
 * Returns, for each requirement of a card, the names of its schemes; `undefined` if the card has no
 * requirements.
 */
function requiredNames(card: object, security: DiscoveryFacts["security"]): string[][] | undefined {
  const requirements = security && memberAt(card, [security.list]);
  if (security === undefined || !Array.isArray(requirements)) return undefined;
  const keys = security.schemes === undefined ? [] : [security.schemes];
  return requirements.map((requirement) => {
    const schemes = memberAt(requirement, keys);
    return isObject(schemes) ? Object.keys(schemes) : [];
  });
}
