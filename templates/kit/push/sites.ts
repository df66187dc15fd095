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
  // Only addresses end like this.
  const network = /[\]\d]\.*$/.test(host) ? networkOf(host) : undefined;
  if (network !== undefined) return network;
  const labels = host.replace(/\.+$/, "").split(".");
  const isBelowSecondLevel = labels.at(-1)?.length === 2 && secondLevels.has(labels.at(-2) ?? "");
  return labels.slice(isBelowSecondLevel ? -3 : -2).join(".");
}
