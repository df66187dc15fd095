import type { HttpOptions } from "../http/client.js";
import type { DiscoveryFacts, ProtocolFacts } from "../protocol/operation.js";
import type { AgentInterface, TransportFactory } from "../protocol/transport.js";
import { minorOf, versionsIn } from "../protocol/version.js";

/** What a version says about its cards. */
export interface CardFacts {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
}

/**
 * Reads the interfaces that a card names where a version has them. `url` is where it was found; relative URLs in it are
 * resolved against that.
 */
export type InterfaceReader = (card: unknown, facts: CardFacts, url: string | undefined) => AgentInterface[];

/** Another version that a client speaks, as `versions/` of the output has it. */
export interface ClientVersion {
  /** `Major.Minor`. */
  readonly version: string;
  /** The path of cards below the origin of an agent. */
  readonly cardPath: string;
  /** Returns the interfaces of a card that has the form of the version; none of any other. */
  readonly interfaces: (card: unknown, url: string | undefined) => AgentInterface[];
  /** Returns a card of the version as one of the application's; `undefined` for one that is not of the version. */
  readonly readCard: (card: unknown) => unknown;
  /** Makes the transports that may be used; by default those of HTTP. For gRPC: `{ ...v0_3, transports: () => [grpc()] }`. */
  readonly transports: (options: HttpOptions) => readonly TransportFactory[];
}

/** The same for interfaces that are reached in the same way. */
export function keyOf({ binding, version, url }: AgentInterface): string {
  return JSON.stringify([binding, minorOf(version), url]);
}

/**
 * Returns whether a card as a whole is of another version that the client speaks, and not of its own: it has the form of
 * both, and says which of them it is. If each interface has a version of its own, the interfaces decide.
 */
export function isOfOtherSpoken(
  card: unknown,
  { protocol, discovery }: CardFacts,
  versions: readonly ClientVersion[],
): boolean {
  if (versions.length === 0 || discovery.interfaces.version !== undefined) return false;
  const named = versionsIn(card, discovery).map(({ version }) => minorOf(version));
  return !named.includes(minorOf(protocol.version)) && versions.some(({ version }) => named.includes(minorOf(version)));
}
