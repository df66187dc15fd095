import { isObject } from "../base/json.js";
import { memberAt } from "../protocol/requirements.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { minorOf, versionsIn } from "../protocol/version.js";
import { isChallenge } from "../protocol/challenge.js";
import type { CoreOptions } from "./hooks.js";

/** Throws a `TypeError` for options of an agent that would fail only when somebody calls. */
export function checkOptions({ challenge, assumeVersion, versions = [], streams = {} }: CoreOptions): void {
  const { reauthenticateMs = 1 } = streams;
  if (typeof reauthenticateMs !== "number" || !(reauthenticateMs > 0))
    throw new TypeError("streams.reauthenticateMs must be a number of milliseconds above 0: leave it out for never");
  if (challenge !== undefined && !isChallenge(challenge)) {
    const found = JSON.stringify(challenge);
    throw new TypeError(
      `challenge is ${found}, which no header can carry: write it in ASCII, on one line, such as "Bearer"`,
    );
  }
  if (assumeVersion !== undefined) checkVersion("assumeVersion", assumeVersion);
  if (new Set(versions).size < versions.length)
    throw new TypeError("versions has one of them twice: leave it out once");
  for (const [index, version] of versions.entries()) {
    const place = `versions[${String(index)}]`;
    if (typeof version === "string") checkVersion(place, version);
    else if (!isObject(version) || typeof version["adaptedTo"] !== "function")
      throw new TypeError(
        `${place} is no version: pass what versions/ of the output has for servers, or "Major.Minor"`,
      );
  }
}

function checkVersion(place: string, version: string): void {
  if (/^\d+\.\d+$/.test(version)) return;
  throw new TypeError(`${place} is ${JSON.stringify(version)}, which is no version: write Major.Minor, such as "1.0"`);
}

/** Throws a `TypeError` for a card by which no caller finds an agent that serves the `versions`, its own first. */
export function checkCard(card: object, versions: readonly string[], discovery: DiscoveryFacts): void {
  const named = versionsIn(card, discovery);
  const first = named.at(0);
  const [own = ""] = versions;
  if (first === undefined || named.some(({ version }) => versions.includes(minorOf(version)))) return;
  const places = named.map(({ place, version }) => `${place} is ${JSON.stringify(version)}`).join(", ");
  throw new TypeError(
    `In the agent card ${places}, which the agent does not serve: write "${own}" in ${first.place}, or add the version to the option versions`,
  );
}

/**
 * Returns a warning for a card that requires credentials of every caller, for an agent that checks none; `undefined` for
 * any other card.
 */
export function uncheckedSecurity(card: object, { security }: DiscoveryFacts): Error | undefined {
  const requirements = security && memberAt(card, [security.list]);
  if (security === undefined || !Array.isArray(requirements)) return undefined;
  const keys = security.schemes === undefined ? [] : [security.schemes];
  const names = requirements.map((requirement) => {
    const schemes = memberAt(requirement, keys);
    return isObject(schemes) ? Object.keys(schemes) : [];
  });
  // Callers may choose a requirement, also one without schemes.
  if (names.length === 0 || names.some(({ length }) => length === 0)) return undefined;
  const all = [...new Set(names.flat())].map((name) => JSON.stringify(name)).join(", ");
  return new Error(
    `The agent card requires credentials for ${all} in ${security.list}, but nothing checks them, so that every caller is admitted: set the option authenticate of createAgent`,
  );
}
