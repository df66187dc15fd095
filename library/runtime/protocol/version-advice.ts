import type { NamedVersion } from "./version.js";

// Only rejected cards need these texts. This module imports no values, because bundlers would move
// them out of the file that every client loads.

/**
 * Returns a hint for a card whose versions are neither the version `own` nor one of the versions
 * `others`; `undefined` for any other card.
 */
export function adviceOn(
  versions: readonly NamedVersion[],
  own: string,
  others: readonly string[] = [],
): string | undefined {
  const first = versions.at(0);
  const hasSupported = versions.some(({ minor }) => [own, ...others].includes(minor));
  if (first === undefined || hasSupported) return undefined;
  const found = versions
    .slice(0, 3)
    .map(({ version }) => shorten(version))
    .join(", ");
  // A version such as `1` or `v1.0` is this version in another form.
  const form = new RegExp(`^v?${own.replace(/\.0$/, "(\\.0)?")}$`, "i");
  if (versions.some(({ version }) => form.test(version)))
    return `the card has version ${found}: write ${own}`;
  const hint =
    `generate with --versions ${shorten(first.minor)}, and pass the adapter to connect in ` +
    "versions";
  return `the card has version ${found}, but this client supports ${own}: ${hint}`;
}

/** Shortens a string from a card for a message. */
export function shorten(text: string, length = 40): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
