import { isThenable } from "../base/async.js";
import { isObject } from "../base/json.js";
import type { A2AError, ErrorClass, ErrorTable } from "../protocol/error.js";
import type { DiscoveryFacts, Operation, ServiceFacts } from "../protocol/operation.js";
import { checkRequirements, memberAt } from "../protocol/requirements.js";
import { minorOf, shorten } from "../protocol/version.js";
import type { CardCaller } from "./context.js";
import type { Access, Exchange } from "./exchange.js";

/** The agent card, or the function that creates it for a caller. */
export type CardSource = object | CardFactory;

/** Creates the agent card for a caller. */
export type CardFactory = (caller: CardCaller) => object | Promise<object>;

/** Rules of an {@link AccessCheck}. */
export interface AccessRules {
  readonly protocol: ServiceFacts;
  readonly discovery: DiscoveryFacts;
  readonly errors: ErrorTable;
  readonly card: CardSource;
  /**
   * URIs of extensions that calls must request, in addition to the extensions that the card
   * requires.
   */
  readonly requiredExtensions?: readonly string[] | undefined;
  /**
   * The version of a call that does not specify one. By default, the version that the protocol
   * defines.
   */
  readonly assumeVersion: string | undefined;
  /** The versions that are served without an adapter, with the agent's version first. */
  readonly versions: readonly string[];
  /** All served versions. */
  readonly served: readonly string[];
}

const none: readonly never[] = [];

/**
 * Checks whether a call is allowed, based on its version, its extensions and the capabilities in
 * the agent card.
 */
export class AccessCheck {
  readonly #rules: AccessRules;
  readonly #hasExtensions: boolean;
  /** Name of the header for extensions, in lower case. Absent if calls have none. */
  readonly #header: string | undefined;

  constructor(rules: AccessRules) {
    this.#rules = rules;
    this.#header = rules.protocol.headers?.extensions.toLowerCase();
    this.#hasExtensions =
      rules.errors.extensionRequired !== undefined && rules.discovery.extensions !== undefined;
  }

  /**
   * Throws an {@link A2AError} if the call is not allowed. Returns a promise only if the card is
   * created asynchronously.
   */
  check(exchange: Exchange, operation: Operation): Access | PromiseLike<Access> {
    const version = this.version(exchange);
    const { protocol } = exchange.version;
    const isOwn = protocol === this.#rules.protocol;
    const header = isOwn ? this.#header : protocol.headers?.extensions.toLowerCase();
    const extensions = header === undefined ? none : splitList(exchange.headers.get(header));
    const { requires, fieldRequires } = operation;
    // Only call a card factory if the result of the check depends on the card.
    const needsCard = this.#hasExtensions || requires !== undefined || fieldRequires !== undefined;
    if (!needsCard) return { version, extensions, missing: none };
    const card = cardFor(this.#rules.card, exchange.headers);
    if (!isThenable(card))
      return { version, extensions, missing: this.#checkCard(card, operation, extensions) };
    return card.then((made) => ({
      version,
      extensions,
      missing: this.#checkCard(made, operation, extensions),
    }));
  }

  /**
   * Returns the version of the call as `Major.Minor`. Throws the error for a version that is not
   * served.
   */
  version({ namedVersion, version: { protocol: spoken, adapter } }: Exchange): string {
    const { protocol, errors, assumeVersion, versions } = this.#rules;
    if (adapter !== undefined) return spoken.version;
    const requested = namedVersion || (assumeVersion ?? protocol.assumedVersion);
    if (requested === protocol.version) return requested;
    const version = minorOf(requested);
    if (errors.versionNotSupported === undefined || versions.includes(version)) return version;
    throw this.#unserved(version, namedVersion, errors.versionNotSupported);
  }

  /**
   * Returns the error for an unknown operation. If the version of the call is not served, returns
   * the error for an unsupported version instead, because the version is the likely cause.
   */
  unknown(error: unknown, { namedVersion, version: { adapter } }: Exchange): unknown {
    const { protocol, errors, served, assumeVersion } = this.#rules;
    const version = minorOf(namedVersion || (assumeVersion ?? protocol.assumedVersion));
    const isServed = adapter !== undefined || served.includes(version);
    if (isServed || errors.versionNotSupported === undefined) return error;
    if (!(error instanceof errors.methodNotFound)) return error;
    // If the call specifies no version, the operation may be unknown in every version.
    if (namedVersion === "")
      return new errors.methodNotFound(`${error.message}. ${this.#advice(version, "")}`);
    return this.#unserved(version, namedVersion, errors.versionNotSupported);
  }

  #unserved(version: string, namedVersion: string, VersionNotSupported: ErrorClass): A2AError {
    return new VersionNotSupported(this.#advice(version, namedVersion), {
      metadata: {
        requestedVersion: shorten(version),
        supportedVersions: this.#rules.served.join(","),
      },
    });
  }

  /**
   * Returns a hint with the versions that the agent serves, and the header that specifies the
   * version of a call.
   */
  #advice(version: string, namedVersion: string): string {
    const { protocol, served } = this.#rules;
    const header = protocol.headers?.version ?? "";
    const explanation = namedVersion === "" ? `, the version of a call without ${header},` : "";
    const call = `call it in ${protocol.version}, with ${header}: ${protocol.version}`;
    return (
      `Version ${shorten(version)}${explanation} is not supported: the agent serves ` +
      `${served.join(", ")}; ${call}`
    );
  }

  #checkCard(card: object, operation: Operation, extensions: readonly string[]): Access["missing"] {
    const { discovery, errors, requiredExtensions: byAgent = none } = this.#rules;
    if (this.#hasExtensions) {
      for (const uri of requiredExtensions(card, discovery))
        checkRequested(uri, extensions, errors);
      for (const uri of byAgent) checkRequested(uri, extensions, errors);
    }
    return checkRequirements(operation, card);
  }
}

/** Returns the card for the caller with these headers. */
export function cardFor(
  source: CardSource,
  headers: CardCaller["headers"],
): object | Promise<object> {
  return isFactory(source) ? source({ headers }) : source;
}

/**
 * Returns a card with the binding of its main interface, which a card may omit if it is the
 * default.
 */
export function withBinding(card: object, { interfaces: { main } }: DiscoveryFacts): object {
  if (main?.binding === undefined || memberAt(card, [main.binding]) !== undefined) return card;
  return { ...card, [main.binding]: main.defaultBinding };
}

/** Returns whether the card is created for each caller. */
export function isFactory(card: CardSource): card is CardFactory {
  return typeof card === "function";
}

/** Returns the URIs of the extensions that the agent card requires. */
function requiredExtensions(card: object, { extensions: keys }: DiscoveryFacts): string[] {
  if (keys === undefined) return [];
  const extensions = memberAt(card, keys.list);
  if (!Array.isArray(extensions)) return [];
  return extensions.flatMap((extension: unknown) => {
    if (!isObject(extension) || extension[keys.required] !== true) return [];
    const uri = extension[keys.uri];
    return typeof uri === "string" ? [uri] : [];
  });
}

/** Throws the error for a required extension that the caller does not request. */
function checkRequested(uri: string, requested: readonly string[], errors: ErrorTable): void {
  if (requested.includes(uri)) return;
  const ExtensionRequired = errors.extensionRequired ?? errors.invalidRequest;
  throw new ExtensionRequired(`The agent requires the extension ${uri}`, {
    metadata: { extension: uri },
  });
}

function splitList(value: string | undefined): readonly string[] {
  if (value === undefined || value === "") return none;
  return [...new Set(value.split(",").map((item) => item.trim()))].filter((item) => item !== "");
}
