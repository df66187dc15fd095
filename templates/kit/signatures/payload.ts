import { isObject } from "../../runtime/base/json.js";
import { check } from "../../runtime/schema/schema.js";
import type { SigningFacts } from "../kit-facts.js";
import type { AgentCard } from "../model.js";

/**
 * Returns a value as canonical JSON (RFC 8785): members sorted by name, no white space, and numbers as JavaScript
 * writes them.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}

/**
 * Returns the payload of a card's signatures: the card without its signatures, and without members that have their
 * default value.
 */
export function payloadOf(card: unknown, facts: SigningFacts): string | undefined {
  const { value } = check(facts.card, card, "json");
  return value === undefined ? undefined : withoutSignatures(value);
}

/**
 * Returns the possible payloads of a received card: the payload according to the specification; the card as received,
 * because it may contain members of a later version; and the card without empty members, which some SDKs sign. The last
 * payload is only included if it means the same as the card.
 */
export function payloadsOf(card: AgentCard, received: unknown, facts: SigningFacts): readonly string[] {
  const filled = withoutEmpty(isObject(received) ? { ...received, signatures: undefined } : received);
  const forms = [payloadOf(card, facts), withoutSignatures(received), filled && withoutSignatures(filled.value)];
  return [...new Set(forms.filter((form) => form !== undefined))];
}

function withoutSignatures(card: unknown): string {
  return canonicalJson(isObject(card) ? { ...card, signatures: undefined } : card);
}

/** Members of a card whose own members have names that the agent chooses. In these, an empty member has a meaning. */
const maps: ReadonlySet<string> = new Set(["schemes", "scopes", "securitySchemes"]);

/** Effect of removing an empty member: no change of meaning, a change of meaning, or a change at every depth. */
type Meaning = "none" | "members" | "all";

/**
 * Returns a value without empty strings, lists and objects, at any depth, or `undefined` if the result would have
 * another meaning. For example, a security requirement without scopes is empty: if it could be removed, an attacker
 * could add such a requirement to a signed card without invalidating the signature.
 */
function withoutEmpty(value: unknown, meaning: Meaning = "none"): { readonly value: unknown } | undefined {
  if (!Array.isArray(value) && !isObject(value)) return { value: value === "" || value === null ? undefined : value };
  const isList = Array.isArray(value);
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const filled = withoutEmpty(member, meaning === "all" ? meaning : isList ? "none" : meaningIn(name));
    if (filled === undefined || (filled.value === undefined && (isList || meaning !== "none"))) return undefined;
    if (filled.value !== undefined) kept.push([name, filled.value]);
  }
  if (kept.length === 0) return { value: undefined };
  return { value: isList ? kept.map(([, item]) => item) : Object.fromEntries(kept) };
}

function meaningIn(name: string): Meaning {
  // Parameters of an extension are arbitrary JSON, so an empty value may have a meaning at any depth.
  return name === "params" ? "all" : maps.has(name) ? "members" : "none";
}
