import { isObject } from "../base/json.js";
import type { DiscoveryFacts } from "./operation.js";

/** Returns `Major.Minor` of a version that begins so, and any other string as it is. */
export function minorOf(version: string): string {
  return /^\d+\.\d+(?=$|[.\-+])/.exec(version)?.[0] ?? version;
}

/** Returns whether a version, as `Major.Minor`, comes before another one. */
export function isEarlier(version: string, other: string): boolean {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [numbersOf(version), numbersOf(other)];
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function numbersOf(version: string): readonly number[] {
  return version.split(".").map(Number);
}

/** A version of the protocol that a card names, and the keys that lead to it. */
export interface NamedVersion {
  readonly version: string;
  readonly place: string;
}

/** Returns the versions that an agent card names, each once, where cards of any version of the protocol have theirs. */
export function versionsIn(card: unknown, { versions = [] }: DiscoveryFacts): NamedVersion[] {
  const places = new Map<string, string>();
  for (const path of versions)
    for (const version of membersAt(card, path))
      if (typeof version === "string" && version !== "" && !places.has(version)) places.set(version, path.join("."));
  return [...places].map(([version, place]) => ({ version, place }));
}

/**
 * Returns what to do about a card that is of another version of the protocol than `own` and says so; `undefined` for
 * any other.
 */
export function adviceOn(
  card: unknown,
  own: string,
  facts: DiscoveryFacts,
  others: readonly string[] = [],
): string | undefined {
  const named = versionsIn(card, facts).map(({ version }) => version);
  const first = named.at(0);
  if (first === undefined || named.some((version) => [own, ...others].includes(minorOf(version)))) return undefined;
  const wanted = shorten(minorOf(first));
  return `the card is of version ${named
    .slice(0, 3)
    .map((version) => shorten(version))
    .join(
      ", ",
    )}, and this client of ${own}: generate with --versions ${wanted}, and pass the version to connect in versions`;
}

/** The members that keys lead to, through the elements of lists. */
function membersAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => membersAt(item, path));
  const [key, rest] = [path.at(0), path.slice(1)];
  if (key === undefined) return [value];
  return isObject(value) && Object.hasOwn(value, key) ? membersAt(value[key], rest) : [];
}

/** Returns what a card says as a message shows it: whatever stands there may be long. */
export function shorten(text: string, length = 40): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
