import type { CallHeaders, Peer } from "../protocol/headers.js";
import type { FieldRequirement, Operation } from "../protocol/operation.js";
import type { CallVersion } from "./adapter.js";
import type { CallContext, Caller } from "./context.js";
import { createContextValues, type ContextValues } from "./values.js";

/** What a binding says about a request when its head has come in. */
export interface IncomingRequest {
  readonly binding: string;
  readonly headers: CallHeaders;
  /** The version where the request carries it elsewhere than in its headers. */
  readonly version?: string | undefined;
  /** Registers what to do when the caller goes away; calls it at once where that has happened. */
  readonly onClose: (listener: () => void) => void;
  /** What knows the other end of the connection; nothing is asked of it until a hook does. */
  readonly source?: { readonly peer?: Peer | undefined; readonly url?: string } | undefined;
}

/** A request and its response on their way: who asks, whether anybody still waits, and what the head will say. */
export class Exchange implements Caller {
  readonly binding: string;
  readonly headers: CallHeaders;
  /** The version that the request names; empty where it names none. */
  readonly namedVersion: string;
  /** The user, as soon as the caller was identified; `undefined` for anonymous callers. */
  user: unknown;
  readonly #onClose: (listener: () => void) => void;
  readonly #source: IncomingRequest["source"];
  readonly #versions: readonly [CallVersion, ...CallVersion[]];
  #version: CallVersion;
  #controller: AbortController | undefined;
  #aborted = false;
  #values: ContextValues | undefined;
  #activated: string[] | undefined;

  /** `versions` are those that the call may be held in, by what its head says. */
  constructor(incoming: IncomingRequest, namedVersion: string, versions: readonly [CallVersion, ...CallVersion[]]) {
    this.binding = incoming.binding;
    this.headers = incoming.headers;
    this.namedVersion = namedVersion;
    this.#versions = versions;
    this.#version = versions[0];
    this.#onClose = incoming.onClose;
    this.#source = incoming.source;
  }

  /** The version that the call is held in, as far as that is known. */
  get version(): CallVersion {
    return this.#version;
  }

  get peer(): Peer | undefined {
    return this.#source?.peer;
  }

  get query(): string | undefined {
    return this.#source?.url?.split("?", 2)[1];
  }

  /** Decides for the first version that the rest of the request fits; returns what fits in it. */
  choose<T>(fitting: (version: CallVersion) => T | undefined): T | undefined {
    for (const version of this.#versions) {
      const found = fitting(version);
      if (found === undefined) continue;
      this.#version = version;
      return found;
    }
    return undefined;
  }

  /** Decides for a version, whatever the head of the request says. */
  settle(version: CallVersion): void {
    this.#version = version;
  }

  /** Made when it is first asked for: a controller costs more than the rest of most calls, which nobody aborts. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
      else
        this.#onClose(() => {
          this.abort();
        });
    }
    return this.#controller.signal;
  }

  get values(): ContextValues {
    return (this.#values ??= createContextValues());
  }

  /** Whether the service has been told that nobody waits for the response any longer. */
  get aborted(): boolean {
    return this.#aborted;
  }

  /** The extensions in use, as the response names them; `undefined` where there are none. */
  get activated(): string | undefined {
    return this.#activated?.join(", ");
  }

  /** Notes an extension for the head of the response. Throws a `TypeError` where `uri` is not a URI. */
  activateExtension(uri: string): void {
    if (!/^[!-+\--~]+$/.test(uri)) throw new TypeError(`Not the URI of an extension: ${JSON.stringify(uri)}`);
    this.#activated ??= [];
    if (!this.#activated.includes(uri)) this.#activated.push(uri);
  }

  /** Registers what to do when the caller goes away; calls it at once where that has happened. */
  onClose(listener: () => void): void {
    this.#onClose(listener);
  }

  /** Fires the signal: nobody waits for the response any longer. */
  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/** What is known of a call once it may be made. */
export interface Access {
  /** `Major.Minor`. */
  readonly version: string;
  readonly extensions: readonly string[];
  /** The capabilities that fields of the request need and the agent card does not declare. */
  readonly missing: readonly FieldRequirement[];
}

/** What the request itself says about its call, and who makes it. */
export interface CallFacts {
  readonly operation: Operation;
  readonly user: unknown;
  readonly isAnonymous: boolean;
  readonly tenant: string | undefined;
}

/** The context of a call, complete from the beginning: nothing is written to it afterwards. */
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
