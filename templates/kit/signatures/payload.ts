import { isObject } from "../../runtime/base/json.js";
import { check } from "../../runtime/schema/schema.js";
import { AgentCardSchema } from "../../validators.js";
import type { AgentCard } from "../../models.js";

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
export function payloadOf(card: unknown): string | undefined {
  const { value } = check(AgentCardSchema, card, "json");
  return value === undefined ? undefined : withoutSignatures(value);
}

/**
 * Returns what a card that was received may have been signed as: as the specification says; as it came, where it has
 * members that only a later version knows; and without all that is empty, as some SDKs sign it.
 */
export function payloadsOf(card: AgentCard, received: unknown): readonly string[] {
  const forms = [payloadOf(card), withoutSignatures(received), withoutSignatures(withoutEmpty(received))];
  return [...new Set(forms.filter((form) => form !== undefined))];
}

function withoutSignatures(card: unknown): string {
  return canonicalJson(isObject(card) ? { ...card, signatures: undefined } : card);
}

/** Returns a value without empty strings, lists and objects, and without what consists of these alone. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return filled(value.map(withoutEmpty).filter((item) => item !== undefined));
  if (!isObject(value)) return value === "" || value === null ? undefined : value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const);
  return filled(Object.fromEntries(members.filter(([, member]) => member !== undefined)));
}

function filled<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
