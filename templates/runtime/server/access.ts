import { isThenable } from "../base/async.js";
import { isObject } from "../base/json.js";
import type { A2AError, ErrorClass, ErrorTable } from "../protocol/error.js";
import type { DiscoveryFacts, Operation, ProtocolFacts } from "../protocol/operation.js";
import { checkRequirements, memberAt } from "../protocol/requirements.js";
import { minorOf, shorten } from "../protocol/version.js";
import type { CardCaller } from "./context.js";
import type { Access, Exchange } from "./exchange.js";

/** The agent card, or the function that makes it for a caller. */
export type CardSource = object | CardFactory;

/** Makes the agent card for a caller. */
export type CardFactory = (caller: CardCaller) => object | Promise<object>;

/** What {@link AccessCheck} decides by. */
export interface AccessRules {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
  readonly errors: ErrorTable;
  readonly card: CardSource;
  /** The version of a call that names none; what the protocol says where it is absent. */
  readonly assumeVersion: string | undefined;
  /** The versions that are served as they are, the agent's own first, and all that are served. */
  readonly versions: readonly string[];
  readonly served: readonly string[];
}

const none: readonly never[] = [];

/** Decides whether a call may be made: in its version, with its extensions, by what the agent card offers. */
export class AccessCheck {
  readonly #rules: AccessRules;
  readonly #hasExtensions: boolean;

  constructor(rules: AccessRules) {
    this.#rules = rules;
    this.#hasExtensions = rules.errors.extensionRequired !== undefined && rules.discovery.extensions !== undefined;
  }

  /** Throws an {@link A2AError} where the call may not be made. Returns a promise only where it has to wait. */
  check(exchange: Exchange, operation: Operation): Access | PromiseLike<Access> {
    const version = this.version(exchange);
    const extensions = splitList(exchange.headers.get(exchange.version.protocol.headers.extensions.toLowerCase()));
    const { requires, fieldRequires } = operation;
    // A function that makes the card is only called where something depends on the result.
    const needsCard = this.#hasExtensions || requires !== undefined || fieldRequires !== undefined;
    if (!needsCard) return { version, extensions, missing: none };
    const card = cardFor(this.#rules.card, exchange.headers);
    const decide = (made: object): Access => {
      const missing = this.#checkCard(made, operation, extensions);
      return { version, extensions, missing };
    };
    return isThenable(card) ? card.then(decide) : decide(card);
  }

  /** Returns the version of the call as `Major.Minor`. Throws the error for one that is not served. */
  version({ namedVersion, version: { protocol: spoken, adapter } }: Exchange): string {
    const { protocol, errors, assumeVersion, versions } = this.#rules;
    if (adapter !== undefined) return spoken.version;
    const asked = namedVersion || (assumeVersion ?? protocol.assumedVersion);
    if (asked === protocol.version) return asked;
    const version = minorOf(asked);
    if (errors.versionNotSupported === undefined || versions.includes(version)) return version;
    throw this.#unserved(version, namedVersion, errors.versionNotSupported);
  }

  /**
   * Returns the error to send in place of one for an unknown operation. If the agent does not serve the version of the
   * call, the error says so: it is the reason for most calls of unknown operations.
   */
  unknown(error: unknown, { namedVersion, version: { adapter } }: Exchange): unknown {
    const { protocol, errors, served, assumeVersion } = this.#rules;
    const version = minorOf(namedVersion || (assumeVersion ?? protocol.assumedVersion));
    const isServed = adapter !== undefined || served.includes(version);
    if (isServed || errors.versionNotSupported === undefined || !(error instanceof errors.methodNotFound)) return error;
    // Without a version, the operation may as well be unknown to every version.
    if (namedVersion === "") return new errors.methodNotFound(`${error.message}. ${this.#advice(version, "")}`);
    return this.#unserved(version, namedVersion, errors.versionNotSupported);
  }

  #unserved(version: string, namedVersion: string, VersionNotSupported: ErrorClass): A2AError {
    return new VersionNotSupported(this.#advice(version, namedVersion), {
      metadata: { requestedVersion: shorten(version), supportedVersions: this.#rules.served.join(",") },
    });
  }

  /** Says which versions the agent serves, and how to call it. */
  #advice(version: string, namedVersion: string): string {
    const { protocol, served } = this.#rules;
    const header = protocol.headers.version;
    const meaning = namedVersion === "" ? `, which a call without ${header} means` : "";
    const call = `call it in ${protocol.version}, with ${header}: ${protocol.version}`;
    return `The agent does not serve version ${shorten(version)}${meaning}, but ${served.join(", ")}: ${call}`;
  }

  #checkCard(card: object, operation: Operation, extensions: readonly string[]): Access["missing"] {
    const { discovery, errors } = this.#rules;
    for (const uri of this.#hasExtensions ? requiredExtensions(card, discovery) : none) {
      if (!extensions.includes(uri)) throw missingExtension(uri, errors);
    }
    return checkRequirements(operation, card);
  }
}

/** Returns the card for whoever sent the headers. */
export function cardFor(source: CardSource, headers: CardCaller["headers"]): object | Promise<object> {
  return isFactory(source) ? source({ headers }) : source;
}

/** Returns a card with the binding of the address that it names itself, where that is the default and so left out. */
export function withBinding(card: object, { interfaces: { main } }: DiscoveryFacts): object {
  if (main?.binding === undefined || memberAt(card, [main.binding]) !== undefined) return card;
  return { ...card, [main.binding]: main.defaultBinding };
}

/** Returns whether the card is made for each caller. */
export function isFactory(card: CardSource): card is CardFactory {
  return typeof card === "function";
}

/** The URIs of the extensions that the agent card insists on. */
function requiredExtensions(card: object, { extensions: keys }: DiscoveryFacts): string[] {
  if (keys === undefined) return [];
  const extensions = memberAt(card, keys.list);
  if (!Array.isArray(extensions)) return [];
  return extensions.flatMap((extension: unknown) => {
    const uri = isObject(extension) && extension[keys.required] === true ? extension[keys.uri] : undefined;
    return typeof uri === "string" ? [uri] : [];
  });
}

function missingExtension(uri: string, { extensionRequired, invalidRequest }: ErrorTable): A2AError {
  const ExtensionRequired = extensionRequired ?? invalidRequest;
  return new ExtensionRequired(`The agent needs its callers to support the extension ${uri}`, {
    metadata: { extension: uri },
  });
}

function splitList(value: string | undefined): readonly string[] {
  if (value === undefined || value === "") return none;
  return [...new Set(value.split(",").map((item) => item.trim()))].filter((item) => item !== "");
}
