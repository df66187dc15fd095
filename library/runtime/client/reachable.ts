import type { ErrorClass } from "../protocol/error.js";
import type { ProtocolFacts } from "../protocol/operation.js";
import {
  TransportError,
  withTenant,
  type AgentInterface,
  type Call,
  type Transport,
  type TransportFactory,
} from "../protocol/transport.js";
import { minorOf } from "../protocol/version.js";
import type { Failure } from "./failed-call.js";
import { originOf, trustIn } from "./origins.js";
import { keyOf } from "./versions.js";

/** An interface that the client supports. Its transport is opened by the first call. */
export class Candidate {
  readonly target: AgentInterface;
  readonly #factory: TransportFactory;
  readonly #check: () => Promise<void>;
  #transport: Transport | undefined;
  #isClosed = false;

  /** `check` rejects if the interface must not be called. */
  constructor(target: AgentInterface, factory: TransportFactory, check: () => Promise<void>) {
    this.target = target;
    this.#factory = factory;
    this.#check = check;
  }

  /** The transport, once it is open. */
  get transport(): Transport | undefined {
    return this.#transport;
  }

  async open(): Promise<Transport> {
    await this.#check();
    // A transport that is opened after the client was closed would never be closed.
    if (this.#isClosed)
      throw new TransportError("The client is closed: create a new client", {
        url: "",
        unsent: true,
      });
    try {
      // A concurrent call may have opened the transport.
      return (this.#transport ??= this.#factory.open(this.target));
    } catch (cause) {
      const { binding, url } = this.target;
      throw new TransportError(`${url} is not a valid address for ${binding}`, {
        url,
        cause,
        unsent: true,
      });
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#transport?.close?.();
    this.#transport = undefined;
  }
}

/** Options for {@link FirstReachable}. */
export interface ReachOptions {
  readonly protocol: ProtocolFacts;
  /** The error of an agent that does not serve the version of a call. */
  readonly versionNotSupported?: ErrorClass | undefined;
  /** The keys of the interfaces that are known not to serve their version. */
  readonly unserved?: Set<string> | undefined;
}

/**
 * Transport that calls the first reachable interface. After a failure, an interface is tried last.
 */
export class FirstReachable implements Transport {
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
        const transport = candidate.transport ?? (await candidate.open());
        if (carries(transport, call))
          return await transport.unary(this.#addressed(call, candidate));
      } catch (error) {
        failures.push(await this.#passed(error, call, candidate));
      }
    }
    throw await errorOf(failures, call);
  }

  async *stream(call: Call): AsyncGenerator<unknown, void, undefined> {
    const failures: Failure[] = [];
    for (const candidate of this.#candidates) {
      let hasBegun = false;
      try {
        const transport = candidate.transport ?? (await candidate.open());
        if (!carries(transport, call)) continue;
        for await (const response of transport.stream(this.#addressed(call, candidate))) {
          hasBegun = true;
          yield response;
        }
        return;
      } catch (error) {
        // After the first response, the call cannot be repeated, because it would return the same
        // responses again.
        if (hasBegun) throw error;
        failures.push(await this.#passed(error, call, candidate));
      }
    }
    throw await errorOf(failures, call);
  }

  close(): void {
    for (const candidate of this.#candidates) candidate.close();
  }

  #addressed(call: Call, { target }: Candidate): Call {
    const { protocol } = this.#options;
    const addressed = withTenant(call, protocol.tenant, target.tenant);
    if (!isForeign(target, call)) return addressed;
    return { ...addressed, headers: ownHeaders(call, protocol), via: undefined };
  }

  /**
   * Returns an interface's error if the call may be passed to the next interface. Otherwise, throws
   * the error.
   */
  async #passed(error: unknown, call: Call, candidate: Candidate): Promise<Failure> {
    const { target } = candidate;
    const { versionNotSupported, unserved, protocol } = this.#options;
    // Only failed calls load this module. Without it, the call cannot be passed on.
    const { judge } = await import("./failed-call.js").catch(() => {
      throw error;
    });
    const foreignOrigin = isForeign(target, call) ? originOf(target.url) : undefined;
    const facts = { call, protocol, foreignOrigin, versionNotSupported, TransportError };
    const { failure, isUnserved } = judge(error, facts);
    if (isUnserved) unserved?.add(keyOf(target));
    this.#candidates = [...this.#candidates.filter((other) => other !== candidate), candidate];
    return failure;
  }
}

/** Returns the error of a call that has failed at all interfaces. */
async function errorOf(failures: readonly Failure[], call: Call): Promise<Failure> {
  const { allFailed } = await import("./failed-call.js");
  return allFailed(failures, call, TransportError);
}

/**
 * Returns whether an interface is outside of the origins that may receive the headers of a call.
 */
function isForeign({ url, isForeign }: AgentInterface, { trustedOrigins }: Call): boolean {
  return isForeign === true || (trustedOrigins !== undefined && !trustIn(trustedOrigins)(url));
}

/**
 * Returns the headers of the protocol with the client's values. The call's own values must not be
 * sent, because an interceptor may have stored a secret in such a header: the card can choose the
 * header of an API key.
 */
function ownHeaders(
  { headers, extensions }: Call,
  { headers: names }: ProtocolFacts,
): Record<string, string> {
  const own: Record<string, string> = {};
  const key = names.version.toLowerCase();
  const { [key]: version }: Readonly<Partial<Record<string, string>>> = headers;
  const isVersion = version !== undefined && /^\d{1,4}\.\d{1,4}$/.test(version);
  if (isVersion) own[key] = version;
  if (extensions !== undefined) own[names.extensions.toLowerCase()] = extensions.join(",");
  return own;
}

function carries(transport: Transport, { operation }: Call): boolean {
  return transport.carries?.(operation) ?? true;
}
