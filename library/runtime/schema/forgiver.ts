import type { Alternative, check, Forgiver, Given, Member, ValidationContext } from "./schema.js";

// A client loads this module with the first response that deviates. So that bundlers do not split
// the modules of each client, this module only imports types.

type CheckFunction = typeof check;

/** Matches the start of a data URI with base64. */
const dataUri = /^data:[^,]{0,200};base64,/i;

/**
 * Returns the string that a peer means by another string: base64 without line ends and outside of a
 * data URI, or a timestamp in UTC instead of one without a zone.
 */
export function meantBy(text: string, type: string): string | undefined {
  if (type.startsWith("RFC 3339")) return /T[\d:.]+$/.test(text) ? `${text}Z` : undefined;
  if (type !== "base64") return undefined;
  return text.replace(dataUri, "").replace(/[\r\n]+/g, "");
}

/**
 * Returns the object in a whole response that has one more object around it, with a single member
 * that is named like the type: `{ "task": {} }` for a `Task`. Reports the deviation.
 */
export function innerOf(
  value: Given,
  name: string,
  { entries, needed }: Parameters<Forgiver["innerOf"]>[2],
  context: ValidationContext,
): Given | undefined {
  if (!isWhole(context)) return undefined;
  const keys = Object.keys(value);
  const [key = ""] = keys;
  if (keys.length !== 1) return undefined;
  const isNamedAfterType = key === name.charAt(0).toLowerCase() + name.slice(1);
  // If nothing is required, or the key is a field, the object may be a valid response itself.
  if (!isNamedAfterType || needed.length === 0 || entries.has(key)) return undefined;
  const inner = value[key];
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return undefined;
  context.report(name, value, true);
  return inner as Given;
}

/** Returns whether a context is at the start of a response. */
function isWhole({ tolerant, path }: ValidationContext): boolean {
  return tolerant && path.length === 0;
}

/**
 * Returns a whole response as the member of its missing oneof: `{ "task": {} }` for a task. Exactly
 * one member must have the type of the response.
 */
export function bareIn(
  entries: ReadonlyMap<string, Member>,
  oneof: object,
  value: Given,
  context: ValidationContext,
  check: CheckFunction,
): Given | undefined {
  if (!isWhole(context) || Object.keys(value).some((key) => entries.has(key))) return undefined;
  const members = [...new Set(entries.values())].filter((member) => member.oneof === oneof);
  const alternatives = members.map(({ name, type }) => ({
    name,
    type,
    has: (key: string) => type.field?.(key) !== undefined,
  }));
  const found = fitting(alternatives, value);
  if (found === undefined) return undefined;
  // Unknown values could belong to another version, so they are not accepted here.
  const { value: read } = check(found.type, value, "json", {
    forgiver: context.forgiver,
    onDeviation: (deviations) => {
      context.accept(deviations);
    },
  });
  return read === undefined ? undefined : { [found.name]: read };
}

/**
 * Returns the value of a missing field: the member with its alias, its constant, an empty list, or
 * in responses, another default. Reports the deviation. Returns `undefined` if the field has no
 * such value.
 */
export function restored(
  member: Member,
  object: Given,
  context: ValidationContext,
): { readonly value: unknown } | undefined {
  const { name, type, alias = name } = member;
  const given = object[alias];
  const isUnderAlias = given !== undefined && given !== null;
  const value = isUnderAlias ? given : defaultOf(member, context);
  if (value === undefined) return undefined;
  context.reportAt(name, type.name, undefined, true);
  return { value: isUnderAlias ? context.at(alias, type, value) : value };
}

function defaultOf({ type, maybeEmpty }: Member, { tolerant }: ValidationContext): unknown {
  if (maybeEmpty && type.element) return [];
  if (!maybeEmpty || !tolerant) return type.constant;
  const zero = ["", 0, false].find((value) => type.isDefault?.(value));
  return zero ?? type.constant;
}

/**
 * Returns the alternative for an object without a marker. Members that are unknown to all
 * alternatives are ignored, and exactly one alternative must have all other members. `key` is the
 * member for the marker. Returns `undefined` if several alternatives or none fit, if the object has
 * a marker, or if an unknown member contains the marker of another alternative or, as `type`, any
 * other value.
 */
export function fitting<A extends Alternative>(
  alternatives: readonly A[],
  value: Given,
  key?: string,
): A | undefined {
  const hasMarker = key !== undefined && value[key] !== undefined && value[key] !== null;
  if (hasMarker) return undefined;
  const present = Object.keys(value).filter((name) => name !== key && value[name] !== undefined);
  const known = present.filter((name) => alternatives.some((candidate) => candidate.has(name)));
  const possible = alternatives.filter((candidate) => known.every((name) => candidate.has(name)));
  const fit = possible.at(0);
  if (fit === undefined || possible.length > 1 || known.length === 0) return undefined;
  const { constant } = fit;
  const otherMarkers = alternatives
    .map((alternative) => alternative.constant)
    .filter((marker) => marker !== constant);
  const isForAnother = (name: string): boolean => {
    // Early versions name the marker `type`.
    const isMarker = name === "type" && constant !== undefined;
    return otherMarkers.includes(value[name]) || (isMarker && value[name] !== constant);
  };
  const unknown = present.filter((name) => !known.includes(name));
  return unknown.some(isForAnother) ? undefined : fit;
}

/** Returns the message of the error for a response that is invalid even if it is forgiven. */
export function refusal(name: string, problem: string): string {
  const hint = "To accept it unchecked, set validate to false";
  return `The response to ${name} is invalid: ${problem}. ${hint}`;
}
