import { isObject } from "../base/json.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { minorOf } from "../protocol/version.js";
import { mapped, type VersionMapping } from "../versions/mapping.js";

/**
 * How an agent shows its card to callers that name no version: `merged`, with what callers of each of its versions read,
 * or `selected`, as callers read it of the version that the absence means.
 */
export type CardForm = "merged" | "selected";

/** A version that an agent serves, as its card knows it. */
export interface CardVersion {
  readonly version: string;
  readonly discovery: DiscoveryFacts;
}

/** One other than the agent's own. */
export interface AdaptedCardVersion extends CardVersion {
  readonly mapping: Pick<VersionMapping, "own" | "types" | "card">;
}

type Card = Readonly<Record<string, unknown>>;

/** Returns a card with the binding of the address that it names itself, where that is the default and so left out. */
export function withBinding(card: object, { interfaces: { main } }: DiscoveryFacts): object {
  if (main?.binding === undefined || Object.hasOwn(card, main.binding)) return card;
  return { ...card, [main.binding]: main.defaultBinding };
}

/** Returns the agent's own card with the interfaces of other versions: where it names none, at the addresses of its own. */
export function withVersions(card: object, own: CardVersion, others: readonly CardVersion[]): object {
  const { list, version: key } = own.discovery.interfaces;
  const listed = interfacesOf(card, own.discovery);
  if (list === undefined || key === undefined || listed === undefined) return card;
  const of = (version: string): Card[] =>
    listed.filter((one): one is Card => isObject(one) && minorOf(String(one[key])) === version);
  const added = others.flatMap(({ version }) =>
    of(version).length > 0 ? [] : of(own.version).map((one) => ({ ...one, [key]: version })),
  );
  return added.length === 0 ? card : { ...card, [list]: [...listed, ...added] };
}

/** Returns the card of an agent as callers of another version read it, with the interfaces of that version. */
export function cardFor(card: object, own: CardVersion, other: AdaptedCardVersion): object {
  const { list, version: key } = own.discovery.interfaces;
  const whole = withVersions(card, own, [other]);
  const listed = interfacesOf(whole, own.discovery);
  const isOfOther = (one: unknown): boolean => isObject(one) && minorOf(String(one[key ?? ""])) === other.version;
  const shown =
    list === undefined || key === undefined || listed === undefined
      ? whole
      : { ...whole, [list]: listed.filter(isOfOther) };
  // What a card becomes is one, as the tables say.
  const adapted = mapped(other.mapping, other.mapping.card, shown, "other") as object;
  return withBinding(withNumber(adapted, other), other.discovery);
}

/** Returns the card with what callers of each version read; what several call by one name is the agent's. */
export function mergedCard(card: object, own: CardVersion, others: readonly AdaptedCardVersion[]): object {
  const forms = others.map((other) => cardFor(card, own, other));
  return Object.assign({}, ...forms, withBinding(withVersions(card, own, others), own.discovery)) as object;
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
