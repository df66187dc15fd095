import type { CardFacts, ClientVersion, InterfaceReader } from "../client/versions.js";
import { minorOf, versionsIn } from "../protocol/version.js";
import { ValidationError } from "../schema/schema.js";
import { mapped, type VersionMapping } from "./mapping.js";
import { receivedWebhook } from "./received-webhook.js";

/** Facts about another version that a client supports. */
export interface ClientVersionParts extends CardFacts, Pick<ClientVersion, "transports"> {
  readonly mapping: VersionMapping;
  /** Reads the interfaces of cards of the version. */
  readonly interfaces: InterfaceReader;
}

/** Returns a version for the option `versions` of `connect`. */
export function clientVersion(parts: ClientVersionParts): ClientVersion {
  const { mapping, protocol, discovery, interfaces, transports } = parts;
  return {
    version: protocol.version,
    cardPath: discovery.path,
    interfaces: (card, url) => (isOfOther(card, parts) ? [] : interfaces(card, parts, url)),
    readCard(card) {
      if (isOfOther(card, parts) || interfaces(card, parts, undefined).length === 0)
        return undefined;
      try {
        return mapped(mapping, mapping.card, card, "own", { keepsUnknown: true });
      } catch (thrown) {
        // A later check of the card reports the issues.
        if (thrown instanceof ValidationError) return undefined;
        throw thrown;
      }
    },
    transports,
    has: (operation) => Object.hasOwn(mapping.operations, operation),
    webhook: receivedWebhook(mapping),
  };
}

/** Returns whether a card names other protocol versions, but not this version. */
function isOfOther(card: unknown, { protocol, discovery }: CardFacts): boolean {
  const named = versionsIn(card, discovery);
  return named.length > 0 && named.every(({ version }) => minorOf(version) !== protocol.version);
}
