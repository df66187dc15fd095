import type { HttpOptions } from "../http/client.js";
import type { DiscoveryFacts, ProtocolFacts } from "../protocol/operation.js";
import type { AgentInterface, TransportFactory } from "../protocol/transport.js";
import { minorOf, versionsIn } from "../protocol/version.js";
import type { ReceivedWebhookForm } from "../protocol/webhook-form.js";

/** Facts about a version that are necessary to read its cards. */
export interface CardFacts {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
  /**
   * Whether to refuse known deviations, such as an interface without a version in a card with a
   * version.
   */
  readonly strict?: boolean | undefined;
}

/**
 * Reads the interfaces in a card. `url` is the URL of the card. Relative URLs in the card are
 * resolved against this URL.
 */
export type InterfaceReader = (
  card: unknown,
  facts: CardFacts,
  url: string | undefined,
) => AgentInterface[];

/** Another version that a client supports, exported from `versions/` of the output. */
export interface ClientVersion {
  /** `Major.Minor`. */
  readonly version: string;
  /** The path of cards, relative to the origin of an agent. */
  readonly cardPath: string;
  /**
   * Returns the interfaces of a card of this version; an empty list for cards of other versions.
   */
  readonly interfaces: (card: unknown, url: string | undefined) => AgentInterface[];
  /**
   * Converts a card of this version to the client's version. Returns `undefined` for cards of other
   * versions.
   */
  readonly readCard: (card: unknown) => unknown;
  /**
   * Returns the transports for this version; by default HTTP only. For gRPC:
   * `{ ...v0_3, transports: () => [grpc()] }`.
   */
  readonly transports: (options: HttpOptions) => readonly TransportFactory[];
  /** Returns whether the version has an operation, by its name in the client's version. */
  readonly has: (operation: string) => boolean;
  /** Form of the requests to webhooks. Absent if the version does not define it. */
  readonly webhook?: ReceivedWebhookForm | undefined;
}

/** Returns a key that is equal for interfaces with the same binding, version and URL. */
export function keyOf({ binding, version, url }: AgentInterface): string {
  return JSON.stringify([binding, minorOf(version), url]);
}

/**
 * Returns whether a card as a whole declares another version that the client supports instead of
 * the client's own version. Such a card may be valid in both versions, so its declared version
 * determines how to read it. Returns `false` if each interface has its own version.
 */
export function isOfOtherSpoken(
  card: unknown,
  { protocol, discovery }: CardFacts,
  versions: readonly ClientVersion[],
): boolean {
  if (versions.length === 0 || discovery.interfaces.version !== undefined) return false;
  const declared = versionsIn(card, discovery).map(({ minor }) => minor);
  if (declared.includes(minorOf(protocol.version))) return false;
  return versions.some(({ version }) => declared.includes(minorOf(version)));
}
