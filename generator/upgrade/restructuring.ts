import { matchesName } from "../protocol/build/legacy.js";
import type { Protocol, ValueType } from "../protocol/model/types.js";
import {
  interfacesBetween,
  versionsBetween,
  type MovedInterfaces,
  type VersionMembers,
} from "./card-members.js";
import { choicesBetween, type Choice, type Versions } from "./choices.js";
import { conversionsBetween, type Conversion } from "./conversions.js";
import { lastOf, messageOf, messagesOf, propertiesOf } from "./parts.js";

/**
 * Change in the form of a value: each element of a list or map is wrapped or changed, or the value
 * becomes the only member of an object.
 */
export type FormChange =
  | { readonly kind: "each"; readonly of: FormChange }
  | { readonly kind: "member"; readonly name: string; readonly of: FormChange | undefined };

/**
 * Structural changes in the later version, in addition to renames. Types have their earlier names.
 */
export interface Restructuring {
  readonly choices: readonly Choice[];
  /**
   * By `Type.property` of a removed object, the current names of its members, which are now in the
   * enclosing type: `uri` → `url`.
   */
  readonly inlined: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By `Type.property`, the path of the replacement inside a required object of the same type. */
  readonly moved: ReadonlyMap<string, readonly [holder: string, name: string]>;
  /**
   * By `Type.property`, the new property, which has the opposite value or the only element of the
   * list.
   */
  readonly converted: ReadonlyMap<string, Conversion>;
  /**
   * By `Type.property` of a message that still exists, the reason why the property has no
   * replacement.
   */
  readonly removed: ReadonlyMap<string, string>;
  /** By `Type.property`, how the form of the property's value has changed. */
  readonly reshaped: ReadonlyMap<string, FormChange>;
  /** Path of the removed property that marked the last event of a stream: `Event.final`. */
  readonly last: string | undefined;
  readonly interfaces: MovedInterfaces | undefined;
  readonly versions: VersionMembers | undefined;
}

/**
 * Compares the structures of two versions. `types` contains the new names of renamed types, and
 * `reused` contains the names that now belong to a different type.
 */
export function restructuringBetween(
  before: Protocol,
  after: Protocol,
  types: ReadonlyMap<string, string>,
  reused: ReadonlySet<string>,
): Restructuring {
  const choices = choicesBetween({ before, after, types });
  const context = { before, after, types, choices, reused };
  return {
    choices,
    inlined: inlinedBetween(context),
    moved: movedBetween(context),
    converted: conversionsBetween(before, after, types),
    removed: removedBetween(context),
    reshaped: reshapedBetween(context),
    last: after.versions?.last === undefined ? before.versions?.last : undefined,
    interfaces: interfacesBetween(before, after),
    versions: versionsBetween(before, after),
  };
}

interface Context extends Versions {
  readonly choices: readonly Choice[];
  readonly reused: ReadonlySet<string>;
}

function inlinedBetween(context: Context): Restructuring["inlined"] {
  const { before, after } = context;
  const found = new Map<string, Map<string, string>>();
  for (const { old, now, value } of propertiesOf(after)) {
    const [owner = "", field = "", member, ...deeper] = old.split(".");
    if (member === undefined || deeper.length > 0 || value !== "same") continue;
    for (const { name, fields } of messagesOf(before)) {
      if (!isNamed(name, owner, context) || !hasField(fields, field)) continue;
      const path = `${name}.${field}`;
      found.set(path, (found.get(path) ?? new Map<string, string>()).set(member, lastOf(now)));
    }
  }
  return found;
}

/** Returns whether a message has a new name, as itself or as a case of a former union. */
function isNamed(name: string, now: string, { types, choices }: Context): boolean {
  const isCase = ({ cases }: Choice): boolean =>
    [...cases.values()].some(({ type }) => type === name);
  return choices.find(isCase)?.now === now || (types.get(name) ?? name) === now;
}

function hasField(fields: readonly { readonly name: string }[], name: string): boolean {
  return fields.some((field) => field.name === name);
}

/**
 * Returns the properties that were moved into a required object of the same type, and whose values
 * have the same type as before.
 */
function movedBetween({ before, after, types }: Context): Restructuring["moved"] {
  const moved = new Map<string, readonly [holder: string, name: string]>();
  for (const { old, now, note } of propertiesOf(after)) {
    const [owner = "", field = "", ...deeper] = old.split(".");
    if (note !== undefined || deeper.length > 0) continue;
    const [target = "", name = ""] = now.split(".");
    const was = messagesOf(before).find(
      (message) => message.name === owner || types.get(message.name) === owner,
    );
    const fields = messageOf(after, types.get(owner) ?? owner)?.fields ?? [];
    const required = fields.filter(({ presence }) => presence === "required");
    const holder = required.find(({ type }) => "name" in type && type.name === target);
    if (was !== undefined && holder !== undefined && hasField(was.fields, field))
      moved.set(`${was.name}.${field}`, [holder.name, name]);
  }
  return moved;
}

function removedBetween(context: Context): Restructuring["removed"] {
  const { before, after, types, choices, reused } = context;
  const constants = new Set(choices.map(({ discriminator }) => discriminator));
  const entries = after.removed.filter(({ kind }) => kind === "properties");
  const removed = new Map<string, string>();
  for (const { name, fields } of messagesOf(before)) {
    const now = messageOf(after, types.get(name) ?? name);
    if (now === undefined || reused.has(name)) continue;
    for (const { name: field } of fields) {
      if (constants.has(field) || hasField(now.fields, field)) continue;
      const paths = [name, now.name].map((owner) => `${owner}.${field}`);
      const found = entries.find(({ old }) => paths.some((path) => matchesName(old, path)));
      if (found !== undefined) removed.set(`${name}.${field}`, found.note);
    }
  }
  return removed;
}

function reshapedBetween({ before, after, types }: Context): Restructuring["reshaped"] {
  const reshaped = new Map<string, FormChange>();
  for (const { name, fields } of messagesOf(before)) {
    const owner = types.get(name) ?? name;
    for (const { name: field, type } of fields) {
      const renamed = propertiesOf(after).find(({ old }) => old === `${owner}.${field}`)?.now;
      if (renamed !== undefined && !renamed.startsWith(`${owner}.`)) continue;
      const newName = lastOf(renamed ?? field);
      const now = messageOf(after, owner)?.fields.find((candidate) => candidate.name === newName);
      const change = now && formChangeOf(type, now.type, after);
      if (change !== undefined) reshaped.set(`${name}.${field}`, change);
    }
  }
  return reshaped;
}

/**
 * Returns the difference between the forms of a list or map in the two versions; `undefined` if the
 * forms are equal.
 */
function formChangeOf(from: ValueType, to: ValueType, after: Protocol): FormChange | undefined {
  if (from.kind !== "list" && from.kind !== "map") return undefined;
  const message = "name" in to ? messageOf(after, to.name) : undefined;
  const [only, ...others] = message?.fields ?? [];
  if (only !== undefined && others.length === 0 && only.type.kind === from.kind)
    return { kind: "member", name: only.name, of: formChangeOf(from, only.type, after) };
  const inner = elementOf(from);
  const now = elementOf(to);
  const of = from.kind === to.kind && inner && now ? formChangeOf(inner, now, after) : undefined;
  return of && { kind: "each", of };
}

function elementOf(type: ValueType): ValueType | undefined {
  if (type.kind === "list") return type.element;
  return type.kind === "map" ? type.value : undefined;
}
