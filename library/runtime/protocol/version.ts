import { isObject } from "../base/json.js";
import type { DiscoveryFacts } from "./operation.js";

/**
 * Returns the `Major.Minor` at the start of a version. If the string has another form, returns it
 * unchanged.
 */
export function minorOf(version: string): string {
  return /^\d+\.\d+(?=$|[.\-+])/.exec(version)?.[0] ?? version;
}

/** Returns whether a version is earlier than another version. Both have the form `Major.Minor`. */
export function isEarlier(version: string, other: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version);
  const [otherMajor = 0, otherMinor = 0] = numbersOf(other);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function numbersOf(version: string): readonly number[] {
  return version.split(".").map(Number);
}

/** A protocol version in a card, and the path to it. */
export interface NamedVersion {
  readonly version: string;
  /** Its `Major.Minor`. */
  readonly minor: string;
  readonly path: string;
}

/** Returns the distinct protocol versions in an agent card of any version. */
export function versionsIn(card: unknown, { versions = [] }: DiscoveryFacts): NamedVersion[] {
  const paths = new Map<string, string>();
  for (const path of versions)
    for (const version of membersAt(card, path))
      if (typeof version === "string" && version !== "" && !paths.has(version))
        paths.set(version, path.join("."));
  return [...paths].map(([version, path]) => ({ version, minor: minorOf(version), path }));
}

/** Returns the key of the version of a card as a whole, in a card of any version. */
export function cardVersionKey({ versions = [] }: DiscoveryFacts): string | undefined {
  return versions.find(({ length }) => length === 1)?.[0];
}

/** Returns all members at the end of a path, which may lead through the elements of lists. */
function membersAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => membersAt(item, path));
  const [key, rest] = [path.at(0), path.slice(1)];
  if (key === undefined) return [value];
  return isObject(value) && Object.hasOwn(value, key) ? membersAt(value[key], rest) : [];
}

/** Shortens a string from a peer for a message, because the string may be very long. */
export function shorten(text: string, length = 40): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
