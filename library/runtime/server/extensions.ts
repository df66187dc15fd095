import { isObject } from "../base/json.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { memberAt, withMember } from "../protocol/requirements.js";
import type { CardFacts } from "./adapter.js";
import type { ServerCall } from "./context.js";
import { isExtensionUri } from "./exchange.js";
import type { ServerExtension } from "./extension.js";
import type { AcceptedCall } from "./request.js";
import { isSigned } from "./versions.js";

/** Keys of the extensions in an agent card. */
type ExtensionKeys = NonNullable<DiscoveryFacts["extensions"]>;

/**
 * Manages the extensions of an agent: declares them in cards, and activates them for calls that
 * request them.
 */
export class Extensions {
  /** URIs of the extensions that every call must request. */
  readonly required: readonly string[];
  readonly #all: readonly ServerExtension[];
  readonly #keys: ExtensionKeys;
  readonly #facts: CardFacts;

  /**
   * Throws a `TypeError` if an extension is invalid or listed twice, or if the protocol version has
   * no extensions.
   */
  constructor(all: readonly ServerExtension[], facts: CardFacts) {
    const keys = facts.discovery.extensions;
    if (keys === undefined)
      throw new TypeError(
        "extensions must be absent: cards of this protocol version do not declare extensions",
      );
    for (const [index, extension] of all.entries())
      checkExtension(`extensions[${String(index)}]`, extension);
    if (new Set(all.map(({ uri }) => uri)).size < all.length)
      throw new TypeError(
        "extensions contains two extensions with the same URI: remove one of them",
      );
    this.#all = all;
    this.#keys = keys;
    this.#facts = facts;
    this.required = all
      .filter(({ declaration }) => isRequired(declaration, keys))
      .map(({ uri }) => uri);
  }

  /**
   * Returns a card that declares the extensions. If the card already has an entry for an extension,
   * the entry is kept, but becomes required if the extension is required. Throws a `TypeError` if a
   * signed card would have to change, because its signatures would then be invalid.
   */
  declared(card: object): object {
    const { list, uri: key } = this.#keys;
    const found = memberAt(card, list);
    const listed: readonly unknown[] = Array.isArray(found) ? found : [];
    const added = this.#all.filter(
      ({ uri }) => !listed.some((entry) => isObject(entry) && entry[key] === uri),
    );
    const isLax = (entry: unknown): entry is object => isObject(entry) && this.#isLax(entry);
    if (added.length === 0 && !listed.some(isLax)) return card;
    if (isSigned(card, this.#facts)) throw signedWithout(added, list);
    const kept = listed.map((entry) =>
      isLax(entry) ? { ...entry, [this.#keys.required]: true } : entry,
    );
    const declared = [...kept, ...added.map(({ declaration }) => declaration)];
    return withMember(card, list, declared) as object;
  }

  /**
   * Activates the extensions that a call requests. If an extension rejects the call, this method
   * throws the error to send, or rejects with the error. Only returns a promise if an extension is
   * asynchronous.
   */
  accept(call: AcceptedCall): Promise<void> | undefined {
    const requested = call.context.extensions;
    if (requested.length === 0) return undefined;
    const active = this.#all.filter(({ uri }) => requested.includes(uri));
    for (const { uri } of active) call.context.activateExtension(uri);
    const hasCallback = active.some((extension) => extension.accept !== undefined);
    return hasCallback ? acceptAll(active, call) : undefined;
  }

  /**
   * Returns whether the agent requires an extension, but its entry in a card does not mark it as
   * required.
   */
  #isLax(entry: Readonly<Record<string, unknown>>): boolean {
    const uri = entry[this.#keys.uri];
    return typeof uri === "string" && this.required.includes(uri) && !isRequired(entry, this.#keys);
  }
}

/**
 * Calls `accept` of the extensions one after the other, because an extension may depend on values
 * that an earlier extension sets.
 */
async function acceptAll(active: readonly ServerExtension[], call: ServerCall): Promise<void> {
  for (const extension of active) await extension.accept?.(call);
}

function isRequired(entry: object, { required }: ExtensionKeys): boolean {
  return Reflect.get(entry, required) === true;
}

function checkExtension(path: string, extension: ServerExtension): void {
  const { uri, declaration }: Partial<ServerExtension> = isObject(extension) ? extension : {};
  if (typeof uri !== "string" || !isObject(declaration))
    throw new TypeError(
      `${path} must be an extension with a URI and a declaration: pass the result of extension(…)`,
    );
  if (!isExtensionUri(uri))
    throw new TypeError(`${path} must have a URI without spaces and commas, got "${uri}"`);
}

function signedWithout(added: readonly ServerExtension[], list: readonly string[]): TypeError {
  const uris = added.map(({ uri }) => uri).join(", ") || "an extension as required";
  return new TypeError(
    `The agent card is signed and does not declare ${uris}: add the declaration to ` +
      `${list.join(".")} before you sign it`,
  );
}
