import { isObject } from "../../runtime/base/json.js";
import { withoutCases } from "../../runtime/client/cases.js";
import { check } from "../../runtime/schema/schema.js";
import type { SigningFacts } from "../kit-facts.js";
import type { AgentCard } from "../model.js";
import { canonicalJson } from "./canonical-json.js";

/**
 * Returns the possible payloads of a received card: the payload according to the specification; the
 * card as received, because it may contain members of a later version; and the card without empty
 * members, which some SDKs sign. The last payload is only included if it has the same meaning as
 * the card.
 * @throws A `TypeError` if the card has no canonical JSON.
 */
export function payloadsOf(
  card: AgentCard,
  received: unknown,
  facts: SigningFacts,
): readonly string[] {
  const { value: checked } = check(facts.card, card, "json");
  // Read the card as the client does, which only corrects the form of an invalid card.
  const isValid = check(facts.card, received, "json").issues === undefined;
  const corrected = isValid ? received : withoutCases(received);
  const payloads = [
    checked === undefined ? undefined : payloadOf(withUnknown(checked, corrected)),
    payloadOf(received),
    filledPayload(received),
  ];
  return [...new Set(payloads.filter((payload) => payload !== undefined))];
}

/**
 * Returns the data that a signature covers which some SDKs can verify: the card without its empty
 * values.
 * @throws A `TypeError` if an empty value has a meaning, because anyone could then add or remove
 *   it.
 */
export function payloadWithoutEmpty(card: unknown): string {
  const payload = filledPayload(card);
  if (payload !== undefined) return payload;
  throw new TypeError(
    "The card cannot be signed without its empty values, because one of them has a meaning, such " +
      "as a security " +
      "requirement without scopes: omit `withoutEmpty`",
  );
}

/**
 * Returns the data that the signatures of a checked card cover: the card without its signatures.
 * @throws A `TypeError` if the card has no canonical JSON.
 */
export function payloadOf(card: unknown): string {
  return canonicalJson(isObject(card) ? { ...card, signatures: undefined } : card);
}

/**
 * Returns the payload of a card without its empty values; `undefined` if one of them has a meaning.
 */
function filledPayload(card: unknown): string | undefined {
  const filled = withoutEmpty(isObject(card) ? { ...card, signatures: undefined } : card);
  return filled && payloadOf(filled.value);
}

/**
 * Returns the checked form of a received value with the unknown members that the check has dropped.
 * If the payload did not contain these members, an attacker could add them to a signed card. For
 * example, an attacker could add interfaces of an earlier version, which a client for both versions
 * would use.
 */
function withUnknown(checked: unknown, received: unknown): unknown {
  if (Array.isArray(checked) && Array.isArray(received) && checked.length === received.length)
    return checked.map((item, index) => withUnknown(item, received[index]));
  if (!isObject(checked) || !isObject(received)) return checked;
  const members = Object.entries(received)
    .filter(([name, member]) => Object.hasOwn(checked, name) || !isEmpty(member))
    .map(([name, member]) => [
      name,
      Object.hasOwn(checked, name) ? withUnknown(checked[name], member) : member,
    ]);
  return { ...checked, ...Object.fromEntries(members) };
}

/**
 * Returns whether a member may be absent from the checked form because it has its default value.
 */
function isEmpty(value: unknown): boolean {
  return !value || (typeof value === "object" && Object.keys(value).length === 0);
}

/**
 * Members of a card whose values are objects with names that the agent chooses. In such an object,
 * an empty member has a meaning.
 */
const maps: ReadonlySet<string> = new Set(["schemes", "scopes", "securitySchemes"]);

/**
 * Effect of removing an empty member: `none` if the meaning does not change, `members` if removing
 * a direct member changes the meaning, and `all` if removing a member at any depth does.
 */
type Meaning = "none" | "members" | "all";

/**
 * Returns a value without empty strings, lists and objects, at any depth, or `undefined` if the
 * result would have a different meaning. For example, a security requirement without scopes is
 * empty. If the payload omitted it, an attacker could add such a requirement to a signed card, and
 * the signature would still be valid.
 */
function withoutEmpty(
  value: unknown,
  meaning: Meaning = "none",
): { readonly value: unknown } | undefined {
  if (!Array.isArray(value) && !isObject(value))
    return { value: value === "" || value === null ? undefined : value };
  const isList = Array.isArray(value);
  const kept: [string, unknown][] = [];
  // Removing an element of a list changes the indexes of the elements after it.
  const isFixed = isList || meaning !== "none";
  for (const [name, member] of Object.entries(value)) {
    const ownMeaning = isList ? "none" : meaningIn(name);
    const filled = withoutEmpty(member, meaning === "all" ? meaning : ownMeaning);
    if (filled === undefined || (isFixed && filled.value === undefined)) return undefined;
    if (filled.value !== undefined) kept.push([name, filled.value]);
  }
  if (kept.length === 0) return { value: undefined };
  return { value: isList ? kept.map(([, item]) => item) : Object.fromEntries(kept) };
}

function meaningIn(name: string): Meaning {
  // The parameters of an extension are arbitrary JSON, so an empty value may have a meaning at any
  // depth.
  if (name === "params") return "all";
  return maps.has(name) ? "members" : "none";
}
