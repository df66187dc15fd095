import { networkOf } from "./address.js";

/** Labels below which the registries of many countries register names, as in `example.co.uk`. */
const secondLevels: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ac",
  "co",
  "com",
  "edu",
  "go",
  "gob",
  "gov",
  "mil",
  "ne",
  "net",
  "nom",
  "or",
  "org",
]);

/**
 * Returns the site of a host: the domain that is registered, as far as the name shows it, or the network of an address.
 * Names below a domain cost nothing, so limits for each host alone would not limit the owner of a domain.
 */
export function siteOf(host: string): string {
  // A regular expression for the dots at the end would try each dot of a long name as the first of them.
  let end = host.length;
  while (host.charAt(end - 1) === ".") end -= 1;
  const name = host.slice(0, end);
  // Only addresses end like this.
  const network = /[\]\d]$/.test(name) ? networkOf(host) : undefined;
  if (network !== undefined) return network;
  const labels = name.split(".");
  const isBelowSecondLevel = labels.at(-1)?.length === 2 && secondLevels.has(labels.at(-2) ?? "");
  return labels.slice(isBelowSecondLevel ? -3 : -2).join(".");
}
