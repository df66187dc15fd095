import { isObject } from "../base/json.js";
import type { HttpOptions } from "../http/client.js";
import type { DiscoveryFacts, ProtocolFacts } from "../protocol/operation.js";
import type { AgentInterface, TransportFactory } from "../protocol/transport.js";
import { minorOf, versionsIn } from "../protocol/version.js";
import { ValidationError } from "../schema/schema.js";

/** What a version says about its cards. */
export interface CardFacts {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
  /** Returns the interfaces of a card that has the form of the version; none of any other. */
  readonly interfaces: InterfaceReader;
}

/** Reads the interfaces of a card. `url` is where it was found; relative URLs in it are resolved against that. */
export type InterfaceReader = (
  card: unknown,
  facts: Omit<CardFacts, "interfaces">,
  url: string | undefined,
) => AgentInterface[];

/** Another version that a client speaks, as `versions/` of the output has it. */
export interface ClientVersion extends CardFacts {
  /** Returns a card of the version as one of the application's. Throws a `ValidationError` for one that cannot be. */
  readonly readCard: (card: unknown) => unknown;
  /** Makes the transports that may be used; by default those of HTTP. For gRPC: `{ ...v0_3, transports: () => [grpc()] }`. */
  readonly transports: (options: HttpOptions) => readonly TransportFactory[];
}

/** Returns the interfaces of a card in each form that it has, each once. */
export function allInterfaces(card: unknown, forms: readonly CardFacts[], url: string | undefined): AgentInterface[] {
  const all = forms.flatMap((form) => (saysOther(card, form) ? [] : form.interfaces(card, form, url)));
  const keys = all.map(keyOf);
  return all.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

/** The same for interfaces that are reached in the same way. */
export function keyOf({ binding, version, url }: AgentInterface): string {
  return JSON.stringify([binding, minorOf(version), url]);
}

/**
 * Returns a card of the application's version, or of another one as one of the application's; any other as it is. What
 * it cannot say is left out.
 */
export function asOwnCard(card: unknown, own: CardFacts, versions: readonly ClientVersion[]): unknown {
  if (own.interfaces(card, own, undefined).length > 0 && !saysOther(card, own)) return card;
  const found = versions.find((form) => !saysOther(card, form) && form.interfaces(card, form, undefined).length > 0);
  if (found === undefined) return card;
  try {
    return found.readCard(card);
  } catch (thrown) {
    // The check that follows says what is wrong with it.
    if (thrown instanceof ValidationError) return card;
    throw thrown;
  }
}

/** Returns whether a card names versions where the form has them, and not the one that the form is of. */
function saysOther(card: unknown, { discovery, protocol }: CardFacts): boolean {
  const { list, main } = discovery.interfaces;
  const isListed = isObject(card) && list !== undefined && Array.isArray(card[list]);
  if (main === undefined && isListed) return false;
  const named = versionsIn(card, discovery);
  return named.length > 0 && named.every(({ version }) => minorOf(version) !== protocol.version);
}
