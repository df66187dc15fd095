import { networkOf } from "../../runtime/base/address.js";

/** Labels under which many country registries register names, as in `example.co.uk`. */
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
 * Returns the site of a host: its registrable domain, as far as this can be determined from the
 * name, or the network of its address. Subdomains are free, so a limit for each host would not
 * limit the owner of a domain.
 */
export function siteOf(host: string): string {
  // Use a loop, because a regular expression would try every dot of a long name as the first
  // trailing dot.
  let end = host.length;
  while (host.charAt(end - 1) === ".") end -= 1;
  const name = host.slice(0, end);
  // Only addresses end with a digit or a bracket.
  const network = /[\]\d]$/.test(name) ? networkOf(host) : undefined;
  if (network !== undefined) return network;
  const labels = name.split(".");
  const isBelowSecondLevel = labels.at(-1)?.length === 2 && secondLevels.has(labels.at(-2) ?? "");
  return labels.slice(isBelowSecondLevel ? -3 : -2).join(".");
}
