import { trailerPrefix, type CallHeaders, type Peer } from "../protocol/headers.js";
import type { FieldRequirement, Operation } from "../protocol/operation.js";
import type { CallVersion } from "./adapter.js";
import type { CallContext, Caller } from "./context.js";
import type { Observation } from "./observer.js";
import { createContextValues, type ContextValues } from "./values.js";

/** Facts about a request that are known when its head has been received. */
export interface IncomingRequest {
  readonly binding: string;
  readonly headers: CallHeaders;
  /** The protocol version, if the request specifies it outside its headers. */
  readonly version?: string | undefined;
  readonly source: RequestSource;
}

/** Facts about the connection and the request, which are only read if a hook requests them. */
export interface RequestSource {
  readonly peer?: Peer | undefined;
  readonly url?: string;
  readonly watch?: object;
  /** Time at which the caller stops waiting, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
  /**
   * Registers a callback for the end of the connection. Calls it immediately if the caller has
   * already disconnected.
   */
  onClose(listener: () => void): void;
}

/** A request in progress: its caller, its version, and the headers of its response. */
export class Exchange implements Caller {
  readonly binding: string;
  readonly headers: CallHeaders;
  /** The version in the request; empty if the request does not specify one. */
  readonly namedVersion: string;
  /** The user, after the caller has been authenticated; `undefined` for anonymous callers. */
  user: unknown;
  /** Collects the facts for the agent's observer, if the agent has an observer. */
  observation: Observation | undefined;
  readonly #source: RequestSource;
  readonly #versions: readonly [CallVersion, ...CallVersion[]];
  #version: CallVersion;
  #controller: AbortController | undefined;
  #aborted = false;
  #values: ContextValues | undefined;
  #activated: string[] | undefined;
  #headers: Headers | undefined;
  #trailers: Headers | undefined;
  #isHeadSent = false;

  /**
   * Creates an exchange. `versions` contains the possible versions of the call, according to its
   * head.
   */
  constructor(
    incoming: IncomingRequest,
    namedVersion: string,
    versions: readonly [CallVersion, ...CallVersion[]],
  ) {
    this.binding = incoming.binding;
    this.headers = incoming.headers;
    this.namedVersion = namedVersion;
    this.#versions = versions;
    this.#version = versions[0];
    this.#source = incoming.source;
  }

  /** The version of the call. It may change until the request has been read. */
  get version(): CallVersion {
    return this.#version;
  }

  get peer(): Peer | undefined {
    return this.#source.peer;
  }

  get query(): string | undefined {
    return this.#source.url?.split("?", 2)[1];
  }

  get deadline(): number | undefined {
    return this.#source.deadline;
  }

  /**
   * Selects the first possible version for which `fitting` returns a result, and returns the
   * result.
   */
  choose<T>(fitting: (version: CallVersion) => T | undefined): T | undefined {
    for (const version of this.#versions) {
      const found = fitting(version);
      if (found === undefined) continue;
      this.#version = version;
      return found;
    }
    return undefined;
  }

  /** Sets the version of the call, overriding the version in the request headers. */
  settle(version: CallVersion): void {
    this.#version = version;
  }

  /**
   * Signal of the call. The controller is created on first use, because creating it takes longer
   * than the rest of most calls, and most calls are never aborted.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // The caller may have disconnected before any hook read the signal.
      if (this.#aborted) this.#controller.abort();
      else
        this.onClose(() => {
          this.abort();
        });
    }
    return this.#controller.signal;
  }

  get values(): ContextValues {
    return (this.#values ??= createContextValues());
  }

  /** Whether the signal is aborted because the caller no longer waits for the response. */
  get aborted(): boolean {
    return this.#aborted;
  }

  /**
   * Headers that the service adds to the response. Throws a `TypeError` after the head of the
   * response has been sent.
   */
  get responseHeaders(): Headers {
    if (this.#isHeadSent)
      throw new TypeError("The headers have been sent: set them before the first response");
    return (this.#headers ??= serviceHeaders());
  }

  /** Trailers that the service adds to the response. */
  get responseTrailers(): Headers {
    return (this.#trailers ??= serviceHeaders());
  }

  /** Whether the service has added headers or activated an extension. */
  get hasHeaders(): boolean {
    return this.#activated !== undefined || this.#headers !== undefined;
  }

  /**
   * Returns the headers to send: the headers of the service, and the
   * activated extensions, if there are any. The service cannot add headers afterwards.
   */
  headersToSend(): Record<string, string> {
    this.#isHeadSent = true;
    const sent: Record<string, string> = this.#headers === undefined ? {} : added(this.#headers);
    const { headers } = this.#version.protocol;
    if (this.#activated !== undefined && headers !== undefined)
      sent[headers.extensions] = this.#activated.join(", ");
    return sent;
  }

  /** Returns the trailers to send after the last response; `undefined` if the service has added none. */
  trailersToSend(): Record<string, string> | undefined {
    return this.#trailers && added(this.#trailers);
  }

  /**
   * Returns the headers of a response that has no trailers, because it is sent as a whole: the
   * trailers of the service become headers with {@link trailerPrefix}.
   */
  allHeadersToSend(): Record<string, string> {
    const sent = this.headersToSend();
    for (const [name, value] of Object.entries(this.trailersToSend() ?? {}))
      sent[trailerPrefix + name] = value;
    return sent;
  }

  /** Adds an extension to the head of the response. Throws a `TypeError` if `uri` is invalid. */
  activateExtension(uri: string): void {
    if (!isExtensionUri(uri))
      throw new TypeError(`uri must be the URI of an extension, got ${JSON.stringify(uri)}`);
    this.#activated ??= [];
    if (!this.#activated.includes(uri)) this.#activated.push(uri);
  }

  /**
   * Registers a callback for the end of the connection. Calls it immediately if the caller has
   * already disconnected.
   */
  onClose(listener: () => void): void {
    this.#source.onClose(listener);
  }

  /** Aborts the signal because the caller no longer waits for the response. */
  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/** Headers that belong to the transports. */
const ownHeaders =
  /^(?:connection|content-(?:encoding|length|type)|grpc-.*|host|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/** Returns headers that only accept what every transport can send. Others are a `TypeError`. */
function serviceHeaders(): Headers {
  const headers = new Headers();
  const { append, set } = Headers.prototype;
  return Object.assign(headers, {
    append(name: string, value: string) {
      checkHeader(name, value);
      append.call(headers, name, value);
    },
    set(name: string, value: string) {
      checkHeader(name, value);
      set.call(headers, name, value);
    },
  });
}

/** Throws a `TypeError` if gRPC cannot send a header. */
function checkHeader(name: string, value: string): void {
  if (!/^[\w.-]+$/.test(name))
    throw new TypeError(
      `The header ${JSON.stringify(name)} cannot be sent: use letters, digits, "_", "-" and "."`,
    );
  if (!/^[\t -~]*$/.test(value.trim()))
    throw new TypeError(
      `The header ${name} cannot be sent with the value ${JSON.stringify(value)}: encode it in ` +
        "ASCII, for example with encodeURIComponent",
    );
}

/** Returns the headers of a service, without headers that belong to the transports. */
function added(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !ownHeaders.test(name)));
}

/** Returns whether a string can be an item of the header for extensions. */
export function isExtensionUri(uri: string): boolean {
  return /^[!-+\--~]+$/.test(uri);
}

/** Facts about an allowed call. */
export interface Access {
  /** `Major.Minor`. */
  readonly version: string;
  readonly extensions: readonly string[];
  /**
   * The capabilities that fields of the request require and that the agent card does not declare.
   */
  readonly missing: readonly FieldRequirement[];
}

/** Facts about a call, taken from its request and its caller. */
export interface CallFacts {
  readonly operation: Operation;
  readonly user: unknown;
  readonly isAnonymous: boolean;
  readonly tenant: string | undefined;
}

/** The context of a call: its exchange, together with the facts from its request. */
export class Context implements CallContext {
  readonly operation: Operation;
  readonly version: string;
  readonly extensions: readonly string[];
  readonly tenant: string | undefined;
  readonly user: unknown;
  readonly isAnonymous: boolean;
  readonly #exchange: Exchange;

  constructor(
    exchange: Exchange,
    { operation, user, isAnonymous, tenant }: CallFacts,
    { version, extensions }: Access,
  ) {
    this.operation = operation;
    this.version = version;
    this.extensions = extensions;
    this.tenant = tenant;
    this.user = user;
    this.isAnonymous = isAnonymous;
    this.#exchange = exchange;
  }

  get binding(): string {
    return this.#exchange.binding;
  }

  get peer(): Peer | undefined {
    return this.#exchange.peer;
  }

  get query(): string | undefined {
    return this.#exchange.query;
  }

  get headers(): CallHeaders {
    return this.#exchange.headers;
  }

  get deadline(): number | undefined {
    return this.#exchange.deadline;
  }

  get responseHeaders(): Headers {
    return this.#exchange.responseHeaders;
  }

  get responseTrailers(): Headers {
    return this.#exchange.responseTrailers;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get values(): ContextValues {
    return this.#exchange.values;
  }

  activateExtension(uri: string): void {
    this.#exchange.activateExtension(uri);
  }
}
