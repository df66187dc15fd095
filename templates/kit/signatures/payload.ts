import { isObject } from "../../runtime/base/json.js";
import { check } from "../../runtime/schema/schema.js";
import type { SigningFacts } from "../kit-facts.js";
import type { AgentCard } from "../model.js";

/**
 * Returns a value as JSON in the one form that RFC 8785 gives it: members in the order of their names, no blanks, and
 * numbers as JavaScript writes them.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}

/** Returns what the signatures of a card are made of: without themselves, and without members that only have their default. */
export function payloadOf(card: unknown, facts: SigningFacts): string | undefined {
  const { value } = check(facts.card, card, "json");
  return value === undefined ? undefined : withoutSignatures(value);
}

/**
 * Returns what a card that was received may have been signed as: as the specification says; as it came, where it has
 * members that only a later version knows; and without all that is empty, as some SDKs sign it. The last one only if it
 * means the same as the card.
 */
export function payloadsOf(card: AgentCard, received: unknown, facts: SigningFacts): readonly string[] {
  const filled = withoutEmpty(isObject(received) ? { ...received, signatures: undefined } : received);
  const forms = [payloadOf(card, facts), withoutSignatures(received), filled && withoutSignatures(filled.value)];
  return [...new Set(forms.filter((form) => form !== undefined))];
}

function withoutSignatures(card: unknown): string {
  return canonicalJson(isObject(card) ? { ...card, signatures: undefined } : card);
}

/** Members of a card whose own members have names that the agent chooses: an empty one of them says something. */
const maps: ReadonlySet<string> = new Set(["schemes", "scopes", "securitySchemes"]);

/** What the absence of an empty member would mean: nothing else, something else, or that at every depth. */
type Meaning = "none" | "members" | "all";

/**
 * Returns a value without empty strings, lists and objects, and without what consists of these alone; `undefined` if the
 * result would mean something else. A requirement without scopes is empty, for instance: if it could be left out, anybody
 * could add one to a card that is signed so.
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
  // Parameters of an extension are any JSON.
  return name === "params" ? "all" : maps.has(name) ? "members" : "none";
}
