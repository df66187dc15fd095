import { isObject } from "../base/json.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { minorOf } from "../protocol/version.js";
import { withBinding } from "../server/access.js";
import type { CardFacts } from "../server/adapter.js";
import { unsigned } from "../server/versions.js";
import { mapped, type VersionMapping } from "./mapping.js";

/** A version that an agent serves, as its card knows it. */
export interface CardVersion extends CardFacts {
  readonly version: string;
}

/** One other than the agent's own. */
export interface AdaptedCardVersion extends CardVersion {
  readonly mapping: Pick<VersionMapping, "own" | "types" | "card">;
}

type Card = Readonly<Record<string, unknown>>;

/** Returns the agent's own card with the interfaces of another version: at the addresses of its own, where it names none. */
export function withVersion(card: object, own: CardVersion, version: string): object {
  const { list, version: key } = own.discovery.interfaces;
  const listed = interfacesOf(card, own.discovery);
  if (list === undefined || key === undefined || listed === undefined) return card;
  const of = (which: string): Card[] =>
    listed.filter((one): one is Card => isObject(one) && minorOf(String(one[key])) === which);
  if (of(version).length > 0) return card;
  return { ...card, [list]: [...listed, ...of(own.version).map((one) => ({ ...one, [key]: version }))] };
}

/**
 * Returns the card of an agent as callers of another version read it: with the interfaces of that version, and without
 * signatures, which are of another card.
 */
export function cardFor(card: object, own: CardVersion, other: AdaptedCardVersion): object {
  const { list, version: key } = own.discovery.interfaces;
  const all = withVersion(unsigned(card, own), own, other.version);
  const listed = interfacesOf(all, own.discovery);
  const isOfOther = (one: unknown): boolean => isObject(one) && minorOf(String(one[key ?? ""])) === other.version;
  const shown =
    list === undefined || key === undefined || listed === undefined
      ? all
      : { ...all, [list]: listed.filter(isOfOther) };
  // What a card becomes is one, as the tables say.
  const adapted = mapped(other.mapping, other.mapping.card, shown, "other") as object;
  const whole = withBinding(withNumber(adapted, other), other.discovery) as Card;
  return withMain(whole, other.discovery);
}

/** Repeats the interface that the card itself names in the list of others: some readers look at the list alone. */
function withMain(card: Card, discovery: DiscoveryFacts): Card {
  const { main, list, url = "url", binding = "binding" } = discovery.interfaces;
  const listed = interfacesOf(card, discovery);
  if (main === undefined || list === undefined || listed === undefined) return card;
  const named = main.binding === undefined ? undefined : card[main.binding];
  const first = { [url]: card[main.url], [binding]: named ?? main.defaultBinding };
  const isFirst = (one: unknown): boolean =>
    isObject(one) && Object.entries(first).every(([key, it]) => one[key] === it);
  return listed.some(isFirst) ? card : { ...card, [list]: [first, ...listed] };
}

/** Has each interface say the version, where the card that it comes from has none for it. */
function withNumber(card: object, { version, discovery }: CardVersion): object {
  const { list, version: key } = discovery.interfaces;
  const listed = interfacesOf(card, discovery);
  if (list === undefined || key === undefined || listed === undefined) return card;
  return { ...card, [list]: listed.map((one) => (isObject(one) ? { ...one, [key]: version } : one)) };
}

function interfacesOf(card: object, { interfaces: { list } }: DiscoveryFacts): readonly unknown[] | undefined {
  const listed = list !== undefined && Object.hasOwn(card, list) ? (card as Card)[list] : undefined;
  return Array.isArray(listed) ? listed : undefined;
}
