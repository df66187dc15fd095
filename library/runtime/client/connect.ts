import { isObject } from "../base/json.js";
import type { HttpOptions } from "../protocol/http-options.js";
import type { ProtocolFacts } from "../protocol/operation.js";
import {
  TransportError,
  type AgentInterface,
  type Transport,
  type TransportFactory,
} from "../protocol/transport.js";
import { cardVersionKey, minorOf, versionsIn } from "../protocol/version.js";
import { admit, type AddressRule } from "./admission.js";
import { trustIn } from "./origins.js";
import { Candidate, FirstReachable, type ReachOptions } from "./reachable.js";
import {
  isOfOtherSpoken,
  keyOf,
  type CardFacts,
  type ClientVersion,
  type InterfaceReader,
} from "./versions.js";

/** Options for {@link openFirst}. */
export interface OpenOptions
  extends CardFacts, Omit<AddressRule, "from">, Omit<ReachOptions, "protocol"> {
  /** The URL of the card. Relative URLs in the card are resolved against it. */
  readonly url?: string | undefined;
  /** Reads the interfaces of cards of the client's version; {@link listedInterfaces} by default. */
  readonly interfaces?: InterfaceReader;
  /**
   * Other versions that the client supports. The factories must include factories for these
   * versions.
   */
  readonly versions?: readonly ClientVersion[] | undefined;
  /** Options for the transports of the HTTP bindings. */
  readonly http?: HttpOptions | undefined;
  /** The origins that may receive headers. Default: the origins of all interfaces. */
  readonly trustedOrigins?: readonly string[] | undefined;
}

/**
 * Returns a transport to the agent that a card describes. It uses the first interface in the card
 * for which a factory supports the binding and the version. Interfaces of the client's version are
 * preferred. Patch numbers of versions are ignored. If an interface is unreachable or does not
 * serve its version, the transport tries the next interface, and continues to use that interface
 * for later calls. A call is only repeated if it cannot have taken effect, because no connection
 * was established, or because the operation only reads and no response was received. A call with a
 * stream of requests is never repeated. At most ten interfaces are used. Addresses on the client's
 * machine, such as `unix:` or `data:`, are ignored. An interface with a private address that the
 * card is not allowed to name is treated as unreachable. An interface outside `trustedOrigins` only
 * receives the headers of the protocol. If no interface is usable, throws a {@link TransportError}
 * with a reason for each interface.
 */
export async function openFirst(
  card: unknown,
  factories: readonly TransportFactory[],
  options: OpenOptions,
): Promise<Transport> {
  const transport = openUsable(card, factories, options);
  if (transport !== undefined) return transport;
  const { discovery, url } = options;
  const offered = offeredIn(card, options);
  const given = {
    card,
    offered,
    factories,
    spoken: spokenIn(options),
    named: versionsIn(card, discovery),
  };
  // Import the texts dynamically, so that bundlers put them into a separate file, which only
  // rejected cards load.
  const message = await import("./misfits.js").then(
    ({ describeMisfits }) => describeMisfits(given, options, speaks),
    () => "This client supports no interface in the card",
  );
  throw new TransportError(message, { url: url ?? offered.at(0)?.url ?? "", unsent: true });
}

/** Returns a transport like {@link openFirst}; `undefined` if no interface is usable. */
export function openUsable(
  card: unknown,
  factories: readonly TransportFactory[],
  options: OpenOptions,
): Transport | undefined {
  const { protocol, url, unserved = new Set(), http } = options;
  const distinct = distinctOf(offeredIn(card, options));
  // Remove interfaces that the card no longer contains, which would otherwise stay in the set
  // forever.
  for (const key of unserved) if (!distinct.has(key)) unserved.delete(key);
  const spoken = spokenIn(options);
  const isTrusted = options.trustedOrigins && trustIn(options.trustedOrigins);
  const rule = {
    from: url,
    allowPrivateAddresses: options.allowPrivateAddresses,
    fetch: options.fetch,
  };
  const candidates = [...distinct.values()]
    .flatMap((target) => {
      const factory = factories.find((candidate) => speaks(candidate, target, protocol));
      if (factory === undefined || !isRemote(target, protocol)) return [];
      const isForeign = isTrusted?.(target.url) === false;
      const check = (): Promise<void> =>
        admit(target.url, rule, target.binding === protocol.bindings.grpc);
      const candidate = new Candidate(
        { ...target, ...(isForeign && { isForeign }), http },
        factory,
        check,
      );
      return [{ candidate, rank: rankOf(target, spoken, unserved) }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ candidate }) => candidate);
  if (candidates.length === 0) return undefined;
  const { versionNotSupported } = options;
  return new FirstReachable(candidates.slice(0, maxInterfaces), {
    protocol,
    versionNotSupported,
    unserved,
  });
}

/** Returns the interfaces in a card, in any version that the client supports. */
function offeredIn(card: unknown, options: OpenOptions): readonly AgentInterface[] {
  const { interfaces = listedInterfaces, versions = [], url } = options;
  const own = isOfOtherSpoken(card, options, versions) ? [] : interfaces(card, options, url);
  return [...own, ...versions.flatMap((version) => version.interfaces(card, url))];
}

/** Returns the versions that the client supports. */
function spokenIn({ protocol, versions = [] }: OpenOptions): readonly string[] {
  return [protocol.version, ...versions.map(({ version }) => version)];
}

function speaks(
  { binding, version }: TransportFactory,
  target: AgentInterface,
  protocol: ProtocolFacts,
): boolean {
  const isSameVersion = minorOf(target.version) === minorOf(version ?? protocol.version);
  return binding === target.binding && isSameVersion;
}

/**
 * Returns the interfaces without duplicates. If several interfaces have the same key, keeps the
 * first.
 */
function distinctOf(offered: readonly AgentInterface[]): ReadonlyMap<string, AgentInterface> {
  const distinct = new Map<string, AgentInterface>();
  for (const target of offered) {
    const key = keyOf(target);
    if (!distinct.has(key)) distinct.set(key, target);
  }
  return distinct;
}

/**
 * Returns the rank of an interface, which depends on its version. Interfaces that are known not to
 * serve their version come last.
 */
function rankOf(
  target: AgentInterface,
  spoken: readonly string[],
  unserved: ReadonlySet<string>,
): number {
  const rank = spoken.indexOf(minorOf(target.version));
  return unserved.has(keyOf(target)) ? rank + spoken.length : rank;
}

/** Maximum number of interfaces that a call tries. */
const maxInterfaces = 10;

/**
 * Returns whether an interface is remote. A card may also contain URLs of files and sockets on the
 * client's machine.
 */
function isRemote({ url, binding }: AgentInterface, { bindings }: ProtocolFacts): boolean {
  if (binding === bindings.grpc) return !/^(?:\w+:\/\/)?unix(?:-abstract)?:/i.test(url);
  const isHttp = binding === bindings.jsonRpc || binding === bindings.http;
  // Calls of an invalid URL fail with a more specific error.
  return !isHttp || !URL.canParse(url) || /^https?:/i.test(url);
}

/** Reads the list of interfaces in a card. */
export const listedInterfaces: InterfaceReader = (card, { protocol, discovery, strict }, base) => {
  const keys = discovery.interfaces;
  const list = isObject(card) && card[keys.list ?? ""];
  if (!Array.isArray(list)) return [];
  // In release candidates, only the card as a whole had a version.
  const cardKey = strict ? undefined : cardVersionKey(discovery);
  const cardVersion = cardKey !== undefined && isObject(card) ? card[cardKey] : undefined;
  const defaultVersion = typeof cardVersion === "string" ? cardVersion : protocol.assumedVersion;
  return list.flatMap((item: unknown) => {
    const text = (key: string | undefined): string | undefined => {
      const value = key !== undefined && isObject(item) ? item[key] : undefined;
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    const address = text(keys.url);
    const binding = text(keys.binding);
    if (address === undefined || binding === undefined) return [];
    // If interfaces have no version of their own, they have the version of the card.
    const hasOwnVersion = keys.version !== undefined;
    const version = hasOwnVersion ? (text(keys.version) ?? defaultVersion) : protocol.version;
    // Addresses of gRPC are not URLs, but have the form host:port.
    const url = binding === protocol.bindings.grpc ? address : absolute(address, base);
    return [{ url, binding, version, tenant: text(keys.tenant) }];
  });
};

function absolute(url: string, base: string | undefined): string {
  try {
    return new URL(url, base).href;
  } catch {
    return url;
  }
}
