import { isObject } from "../base/json.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { minorOf } from "../protocol/version.js";
import { withBinding } from "../server/access.js";
import type { CardFacts } from "../server/adapter.js";
import { unsigned } from "../server/versions.js";
import { mapped, type VersionMapping } from "./mapping.js";

/** Facts about the cards of a version that an agent serves. */
export interface CardVersion extends CardFacts {
  readonly version: string;
}

/** Facts about the cards of a version other than the agent's. */
export interface AdaptedCardVersion extends CardVersion {
  readonly mapping: Pick<VersionMapping, "own" | "types" | "card">;
}

type Card = Readonly<Record<string, unknown>>;

/**
 * Returns the agent's card with interfaces of another version. If the card has no such interfaces,
 * copies the interfaces of the agent's version.
 */
export function withVersion(card: object, own: CardVersion, version: string): object {
  const { list, version: key } = own.discovery.interfaces;
  const listed = interfacesOf(card, own.discovery);
  if (list === undefined || key === undefined || listed === undefined) return card;
  const interfacesFor = (wanted: string): Card[] =>
    listed.filter((item): item is Card => isObject(item) && minorOf(String(item[key])) === wanted);
  if (interfacesFor(version).length > 0) return card;
  const copies = interfacesFor(own.version).map((item) => ({ ...item, [key]: version }));
  return { ...card, [list]: [...listed, ...copies] };
}

/**
 * Returns an agent's card for callers of another version. The card has the interfaces of that
 * version, and no signatures, because they would not match.
 */
export function cardFor(card: object, own: CardVersion, other: AdaptedCardVersion): object {
  const { list, version: key } = own.discovery.interfaces;
  let source = withVersion(unsigned(card, own), own, other.version);
  const listed = interfacesOf(source, own.discovery);
  if (list !== undefined && key !== undefined && listed !== undefined) {
    const isOfOther = (item: unknown): boolean =>
      isObject(item) && minorOf(String(item[key])) === other.version;
    source = { ...source, [list]: listed.filter(isOfOther) };
  }
  // The conversion of a card returns an object.
  const adapted = mapped(other.mapping, other.mapping.card, source, "other") as object;
  const whole = withBinding(withInterfaceVersions(adapted, other), other.discovery) as Card;
  return withMain(whole, other.discovery);
}

/**
 * Adds the main interface of a card to its list of interfaces, because some readers only use the
 * list.
 */
function withMain(card: Card, discovery: DiscoveryFacts): Card {
  const { main, list, url = "url", binding = "binding" } = discovery.interfaces;
  const listed = interfacesOf(card, discovery);
  if (main === undefined || list === undefined || listed === undefined) return card;
  const mainBinding = main.binding === undefined ? undefined : card[main.binding];
  const mainItem = { [url]: card[main.url], [binding]: mainBinding ?? main.defaultBinding };
  const isMain = (item: unknown): boolean =>
    isObject(item) && Object.entries(mainItem).every(([key, member]) => item[key] === member);
  return listed.some(isMain) ? card : { ...card, [list]: [mainItem, ...listed] };
}

/**
 * Sets the version of each interface, if interfaces in cards of that version have such a member.
 */
function withInterfaceVersions(card: object, { version, discovery }: CardVersion): object {
  const { list, version: versionKey } = discovery.interfaces;
  const listed = interfacesOf(card, discovery);
  if (list === undefined || versionKey === undefined || listed === undefined) return card;
  const versioned = listed.map((item) =>
    isObject(item) ? { ...item, [versionKey]: version } : item,
  );
  return { ...card, [list]: versioned };
}

function interfacesOf(
  card: object,
  { interfaces: { list } }: DiscoveryFacts,
): readonly unknown[] | undefined {
  const listed = list !== undefined && Object.hasOwn(card, list) ? (card as Card)[list] : undefined;
  return Array.isArray(listed) ? listed : undefined;
}
