import { isObject } from "../base/json.js";
import type { Operation } from "../protocol/operation.js";
import { isEarlier, minorOf } from "../protocol/version.js";
import { withBinding } from "./access.js";
import type { CallVersion, CardFacts, VersionAdapter } from "./adapter.js";

/** The versions that an agent serves, with the agent's own version first. */
export type CallVersions = readonly [CallVersion, ...CallVersion[]];

/**
 * Returns the possible versions of a call: the version that the call specifies, or the agent's
 * version. A call that does not specify a version may have the version `assumed`, or an earlier
 * version that does not define a version header.
 */
export function versionsFor(versions: CallVersions, named: string, assumed: string): CallVersions {
  const [own, ...others] = versions;
  if (others.length === 0) return versions;
  const requested = minorOf(named || assumed);
  const exact = versions.find(({ protocol }) => protocol.version === requested);
  if (named !== "") return [exact ?? own];
  const latestFirst = others
    .filter(({ protocol }) => isEarlier(protocol.version, requested))
    .sort((a, b) => (isEarlier(a.protocol.version, b.protocol.version) ? 1 : -1));
  const usable = exact === undefined ? latestFirst : [exact, ...latestFirst];
  const first = usable.at(0);
  return first === undefined ? [own] : [first, ...usable.slice(1)];
}

/**
 * Form of the card for callers that do not specify a version: `merged`, with the members that
 * callers of each served version read; `selected`, for the version of a call that does not specify
 * one; or `own`, for the agent's version.
 */
export type CardForm = "merged" | "selected" | "own";

/**
 * The forms of an agent's card: for callers of the agent's version, and for callers that do not
 * specify a version.
 */
export class CardForms {
  readonly #facts: CardFacts;
  readonly #adapters: readonly VersionAdapter[];
  readonly #report: (error: unknown) => void;
  /** The operations that respond with a card. */
  readonly #operations: ReadonlySet<Operation>;

  /**
   * Creates the forms. If a card cannot be converted to a version, `report` is called with the
   * error.
   */
  constructor(
    [{ operations }, ...others]: CallVersions,
    facts: CardFacts,
    report: (error: unknown) => void,
  ) {
    const adapters = others.flatMap(({ adapter }) => adapter ?? []);
    this.#facts = facts;
    this.#adapters = adapters;
    this.#report = report;
    this.#operations = new Set(
      operations.filter((operation) => adapters.some((adapter) => adapter.returnsCard(operation))),
    );
  }

  /** Returns a card with the interfaces of all versions. A signed card is returned unchanged. */
  own(card: object): object {
    return isSigned(card, this.#facts) ? card : this.#listed(card);
  }

  /**
   * Returns a card with the members that callers of each version read. The card has no signatures,
   * because they would not match. If several versions have a member with the same name, its values
   * are merged if they are objects. Otherwise, the agent's value is kept. A version that cannot
   * represent the card is omitted.
   */
  merged(card: object): object {
    const adapted = this.#adapters.map((adapter) => {
      try {
        return adapter.card(card);
      } catch (error) {
        this.#report(error);
        return undefined;
      }
    });
    return adapted.reduceRight<object>(
      (whole, form) => (form === undefined ? whole : joined(form, whole)),
      this.#adapters.length === 0 ? this.own(card) : this.#listed(unsigned(card, this.#facts)),
    );
  }

  /**
   * Returns a response for callers of the agent's version. If the response is a card, adds the
   * interfaces of all versions.
   */
  response(operation: Operation, response: unknown): unknown {
    return this.#operations.has(operation) && isObject(response) ? this.own(response) : response;
  }

  #listed(card: object): object {
    return this.#adapters.reduce(
      (whole, adapter) => adapter.listed(whole),
      withBinding(card, this.#facts.discovery),
    );
  }
}

/** Returns a card without signatures. */
export function unsigned(card: object, { signatures }: CardFacts): object {
  return Object.fromEntries(Object.entries(card).filter(([key]) => key !== signatures));
}

/** Returns whether a card has signatures. */
export function isSigned(card: object, { signatures }: CardFacts): boolean {
  const found: unknown = signatures === undefined ? undefined : Reflect.get(card, signatures);
  return Array.isArray(found) && found.length > 0;
}

/**
 * Merges two objects. If both objects have a member, its values are merged if both are objects.
 * Otherwise, the value from the second object is used.
 */
function joined(first: object, second: object): object {
  const members = new Map<string, unknown>(Object.entries(first));
  for (const [name, value] of Object.entries(second)) {
    const firstValue = members.get(name);
    const areObjects = isObject(firstValue) && isObject(value);
    members.set(name, areObjects ? joined(firstValue, value) : value);
  }
  return Object.fromEntries(members);
}
