import { isObject } from "../base/json.js";
import type { DiscoveryFacts } from "./operation.js";

/** Returns the `Major.Minor` at the start of a version. If the string has another form, returns it unchanged. */
export function minorOf(version: string): string {
  return /^\d+\.\d+(?=$|[.\-+])/.exec(version)?.[0] ?? version;
}

/** Returns whether a version is earlier than another version. Both have the form `Major.Minor`. */
export function isEarlier(version: string, other: string): boolean {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [numbersOf(version), numbersOf(other)];
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function numbersOf(version: string): readonly number[] {
  return version.split(".").map(Number);
}

/** A protocol version in a card, and the path to it. */
export interface NamedVersion {
  readonly version: string;
  readonly path: string;
}

/** Returns the distinct protocol versions in an agent card of any version. */
export function versionsIn(card: unknown, { versions = [] }: DiscoveryFacts): NamedVersion[] {
  const paths = new Map<string, string>();
  for (const path of versions)
    for (const version of membersAt(card, path))
      if (typeof version === "string" && version !== "" && !paths.has(version)) paths.set(version, path.join("."));
  return [...paths].map(([version, path]) => ({ version, path }));
}

/** Returns the key of the version of a card as a whole, in a card of any version. */
export function cardVersionKey({ versions = [] }: DiscoveryFacts): string | undefined {
  return versions.find(({ length }) => length === 1)?.[0];
}

/**
 * Returns a hint for a card that has neither the version `own` nor one of the versions `others`; `undefined` for any
 * other card.
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
  const found = named.slice(0, 3).map((version) => shorten(version));
  // A version such as `1` or `v1.0` is this version in another form.
  const isOwn = named.some((version) => new RegExp(`^v?${own.replace(/\.0$/, "(\\.0)?")}$`, "i").test(version));
  if (isOwn) return `the card has version ${found.join(", ")}: write ${own}`;
  const hint = `generate with --versions ${shorten(minorOf(first))}, and pass the adapter to connect in versions`;
  return `the card has version ${found.join(", ")}, but this client supports ${own}: ${hint}`;
}

/** Returns all members at the end of a path, which may lead through the elements of lists. */
function membersAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => membersAt(item, path));
  const [key, rest] = [path.at(0), path.slice(1)];
  if (key === undefined) return [value];
  return isObject(value) && Object.hasOwn(value, key) ? membersAt(value[key], rest) : [];
}

/** Shortens a string from a card for a message, because the string may be very long. */
export function shorten(text: string, length = 40): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
