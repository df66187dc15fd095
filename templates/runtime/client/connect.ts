import { isObject } from "../base/json.js";
import type { A2AError, ErrorClass } from "../protocol/error.js";
import type { ClientOperation, ProtocolFacts } from "../protocol/operation.js";
import {
  TransportError,
  withTenant,
  type AgentInterface,
  type Call,
  type Transport,
  type TransportFactory,
} from "../protocol/transport.js";
import { adviceOn, minorOf, shorten } from "../protocol/version.js";
import { isUnsent } from "./unsent.js";
import { isOfOtherSpoken, keyOf, type CardFacts, type ClientVersion, type InterfaceReader } from "./versions.js";

/** What {@link openFirst} needs besides a card and the ways to speak. */
export interface OpenOptions extends CardFacts {
  /** Where the card was found; relative URLs in it are resolved against this. */
  readonly url?: string | undefined;
  /** Reads the interfaces of cards of the own version; {@link listedInterfaces} by default. */
  readonly interfaces?: InterfaceReader;
  /** Other versions, whose transports are among the factories. */
  readonly versions?: readonly ClientVersion[] | undefined;
  /** The error of an agent that does not serve the version of a call. */
  readonly versionNotSupported?: ErrorClass | undefined;
  /** The interfaces of which that is known; those that are found to be so are added. */
  readonly unserved?: Set<string> | undefined;
}

/**
 * Returns a transport to the agent of a card. It uses the first interface, in the order of the card, whose binding and
 * version one of the factories has, those of the own version before others; the patch number does not matter. Where that
 * cannot be reached, or does not serve its version, it goes on to the next and tries that first from then on. A call moves on only while no part of it can
 * have taken effect: when no connection came about or, for operations that read, when nothing has been received. A call
 * with a stream of requests never moves on. Interfaces beyond the tenth that fits do not count, and neither do addresses
 * of the own machine such as `unix:` or `data:`. Throws a {@link TransportError} where no interface fits.
 */
export function openFirst(card: unknown, factories: readonly TransportFactory[], options: OpenOptions): Transport {
  const { protocol, discovery, interfaces = listedInterfaces, versions = [], url, unserved = new Set() } = options;
  const facts = { protocol, discovery };
  const offered = [
    ...(isOfOtherSpoken(card, facts, versions) ? [] : interfaces(card, facts, url)),
    ...versions.flatMap((version) => version.interfaces(card, url)),
  ];
  const distinct = distinctOf(offered);
  // What the card no longer offers would stay for ever.
  for (const key of unserved) if (!distinct.has(key)) unserved.delete(key);
  const spoken = [protocol.version, ...versions.map(({ version }) => version)];
  const candidates = [...distinct.values()]
    .flatMap((target) => {
      const factory = factories.find(({ binding, version = protocol.version }) => {
        return binding === target.binding && minorOf(target.version) === minorOf(version);
      });
      if (factory === undefined || !isRemote(target, protocol)) return [];
      return [{ candidate: new Candidate(target, factory), rank: rankOf(target, spoken, unserved) }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ candidate }) => candidate);
  if (candidates.length > 0) {
    const { versionNotSupported } = options;
    return new FirstReachable(candidates.slice(0, maxInterfaces), { protocol, versionNotSupported, unserved });
  }
  const speaks = factories.map(({ binding, version = protocol.version }) => `${binding} ${version}`).join(", ");
  const shown = offered.slice(0, maxShown).map(({ binding, version, url }) => `${binding} ${version} at ${url}`);
  const offers = shown.map((text) => shorten(text, 200)).join(", ") + (offered.length > maxShown ? ", …" : "");
  const message = `The agent offers ${offers || "no interface"}; this client speaks ${speaks || "nothing"}`;
  const advice = adviceOn(card, protocol.version, discovery, spoken);
  throw new TransportError(advice === undefined ? message : `${message}; ${advice}`, {
    url: options.url ?? offered.at(0)?.url ?? "",
    unsent: true,
  });
}

/** Returns the first of the interfaces that are reached in the same way. */
function distinctOf(offered: readonly AgentInterface[]): ReadonlyMap<string, AgentInterface> {
  const distinct = new Map<string, AgentInterface>();
  for (const target of offered) {
    const key = keyOf(target);
    if (!distinct.has(key)) distinct.set(key, target);
  }
  return distinct;
}

/** Returns where an interface comes: by its version, and after all others where that is not served. */
function rankOf(target: AgentInterface, spoken: readonly string[], unserved: ReadonlySet<string>): number {
  return spoken.indexOf(minorOf(target.version)) + (unserved.has(keyOf(target)) ? spoken.length : 0);
}

/** Interfaces of a card that a call tries at most. */
const maxInterfaces = 10;

/** Interfaces of a card that a message names at most. */
const maxShown = 10;

/** Returns whether an interface is elsewhere: a card may name files and sockets of the machine that reads it. */
function isRemote({ url, binding }: AgentInterface, { bindings }: ProtocolFacts): boolean {
  if (binding === bindings.grpc) return !/^(?:\w+:\/\/)?unix(?:-abstract)?:/i.test(url);
  return (binding !== bindings.jsonRpc && binding !== bindings.http) || !URL.canParse(url) || /^https?:/i.test(url);
}

/** Reads the interfaces that a card lists, by the keys of the protocol. */
export const listedInterfaces: InterfaceReader = (card, { protocol, discovery }, base) => {
  const keys = discovery.interfaces;
  const list = isObject(card) && card[keys.list ?? ""];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const text = (key: string | undefined): string | undefined => {
      const value = key !== undefined && isObject(item) ? item[key] : undefined;
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    const [url, binding, tenant] = [text(keys.url), text(keys.binding), text(keys.tenant)];
    if (url === undefined || binding === undefined) return [];
    const version = keys.version === undefined ? protocol.version : (text(keys.version) ?? protocol.assumedVersion);
    // Addresses of gRPC are no URLs: host:port.
    return [{ url: binding === protocol.bindings.grpc ? url : absolute(url, base), binding, version, tenant }];
  });
};

function absolute(url: string, base: string | undefined): string {
  try {
    return new URL(url, base).href;
  } catch {
    return url;
  }
}

/** An interface that fits, opened when it is first needed. */
class Candidate {
  readonly target: AgentInterface;
  readonly #factory: TransportFactory;
  #transport: Transport | undefined;

  constructor(target: AgentInterface, factory: TransportFactory) {
    this.target = target;
    this.#factory = factory;
  }

  open(): Transport {
    try {
      return (this.#transport ??= this.#factory.open(this.target));
    } catch (cause) {
      const { binding, url } = this.target;
      throw new TransportError(`${url} is no address for ${binding}`, { url, cause, unsent: true });
    }
  }

  close(): void {
    this.#transport?.close?.();
    this.#transport = undefined;
  }
}

/** Why a call went on to the next interface. */
type Failure = TransportError | A2AError;

type ReachOptions = Pick<OpenOptions, "protocol" | "versionNotSupported" | "unserved">;

/** Calls the first interface that can be reached; one that could not be is the last to be tried from then on. */
class FirstReachable implements Transport {
  readonly #options: ReachOptions;
  #candidates: readonly Candidate[];

  constructor(candidates: readonly Candidate[], options: ReachOptions) {
    this.#candidates = candidates;
    this.#options = options;
  }

  /** The version of the interface in use. */
  get version(): string {
    return minorOf(this.#candidates[0]?.target.version ?? this.#options.protocol.version);
  }

  /** The binding of the interface in use. */
  get binding(): string {
    return this.#candidates[0]?.target.binding ?? "";
  }

  async unary(call: Call): Promise<unknown> {
    const failures: Failure[] = [];
    for (const candidate of this.#candidates) {
      try {
        const transport = candidate.open();
        if (carries(transport, call)) return await transport.unary(this.#addressed(call, candidate));
      } catch (error) {
        failures.push(this.#passed(error, call, candidate));
      }
    }
    throw allFailed(failures, call);
  }

  async *stream(call: Call): AsyncGenerator<unknown, void, undefined> {
    const failures: Failure[] = [];
    for (const candidate of this.#candidates) {
      let begun = false;
      try {
        const transport = candidate.open();
        if (!carries(transport, call)) continue;
        for await (const response of transport.stream(this.#addressed(call, candidate))) {
          begun = true;
          yield response;
        }
        return;
      } catch (error) {
        if (begun) throw error;
        failures.push(this.#passed(error, call, candidate));
      }
    }
    throw allFailed(failures, call);
  }

  close(): void {
    for (const candidate of this.#candidates) candidate.close();
  }

  #addressed(call: Call, { target }: Candidate): Call {
    return withTenant(call, this.#options.protocol.tenant, target.tenant);
  }

  /** Returns the error of an interface that the call may leave for the next one, and throws any other. */
  #passed(error: unknown, { operation, signal }: Call, candidate: Candidate): Failure {
    const { versionNotSupported: NotServed, unserved } = this.#options;
    const isUnserved = NotServed !== undefined && error instanceof NotServed && !streamsRequests(operation);
    if (isUnserved) unserved?.add(keyOf(candidate.target));
    // What a caller ends says nothing about the interface.
    else if (!(error instanceof TransportError) || signal?.aborted === true || !mayRepeat(error, operation))
      throw error;
    this.#candidates = [...this.#candidates.filter((other) => other !== candidate), candidate];
    return error;
  }
}

function carries(transport: Transport, { operation }: Call): boolean {
  return transport.carries?.(operation) ?? true;
}

/** Returns whether sending the call once more does no harm: it has not arrived, or changes nothing. */
function mayRepeat(error: TransportError, operation: ClientOperation): boolean {
  if (streamsRequests(operation)) return false;
  return isUnsent(error) || (error.status === undefined && operation.safe === true);
}

function streamsRequests({ streaming }: ClientOperation): boolean {
  return streaming === "client" || streaming === "both";
}

function allFailed(failures: readonly Failure[], { operation }: Call): Failure {
  const first = failures.at(0);
  if (first === undefined) return new TransportError(`No interface of the agent has ${operation.name}`, { url: "" });
  if (failures.length === 1) return first;
  const message = `No interface of the agent can be reached: ${failures.map((error) => error.message).join("; ")}`;
  const unsent = failures.every(isUnsent);
  const url = failures.find((failure) => failure instanceof TransportError)?.url ?? "";
  return new TransportError(message, { url, unsent, cause: new AggregateError(failures) });
}
