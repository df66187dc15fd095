import { constantsOf } from "../protocol/model/constants.js";
import type { MessageDef, Protocol, TypeDef, UnionDef } from "../protocol/model/types.js";
import { lastOf, messageOf, propertiesOf } from "./parts.js";

/** Message of a former union, and the members of the new object that replace it. */
export interface ChoiceCase {
  /** Earlier name of the message: `TaskStatusUpdateEvent`. */
  readonly type: string;
  /**
   * Members of which exactly one is present: `statusUpdate`. If a message was split, the list
   * contains several members.
   */
  readonly members: readonly string[];
  /**
   * Whether the member contains the message. Otherwise, the object itself has the members of the
   * message.
   */
  readonly isWrapped: boolean;
}

/**
 * Union with a constant discriminator that was replaced by an object with exactly one member
 * present.
 */
export interface Choice {
  /** Name of the object. */
  readonly now: string;
  /** Name of the discriminator field: `kind`. */
  readonly discriminator: string;
  readonly cases: ReadonlyMap<string, ChoiceCase>;
}

/** Versions that are compared, and the new names of renamed types. */
export interface Versions {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly types: ReadonlyMap<string, string>;
}

/** Returns the unions that were replaced by objects with exactly one member present. */
export function choicesBetween(versions: Versions): Choice[] {
  const { before, after, types } = versions;
  return before.types.flatMap((type): Choice[] => {
    if (type.kind !== "union" || type.discriminator === undefined) return [];
    const { discriminator } = type;
    const now = messageOf(after, types.get(type.name) ?? type.name);
    const cases = now && casesOf(type, discriminator, now, versions);
    return cases === undefined ? [] : [{ now: now?.name ?? type.name, discriminator, cases }];
  });
}

/**
 * Returns the cases of a union by their constants; `undefined` if no member corresponds to a case.
 */
function casesOf(
  union: UnionDef,
  discriminator: string,
  now: MessageDef,
  versions: Versions,
): ReadonlyMap<string, ChoiceCase> | undefined {
  const { before, types } = versions;
  const known = new Map(before.types.map((type): [string, TypeDef] => [type.name, type]));
  const found = new Map<string, ChoiceCase>();
  for (const [constant, type] of constantsOf(union.members, discriminator, known)) {
    const held = membersWith(types.get(type) ?? type, now);
    const members = held.length > 0 ? held : inlineMembers(type, now, versions);
    if (members.length === 0 || held.length > 1) return undefined;
    found.set(constant, { type, members, isWrapped: held.length === 1 });
  }
  return found.size === 0 ? undefined : found;
}

/** Returns the members of an object's oneofs that contain a type. */
function membersWith(type: string, { fields }: MessageDef): string[] {
  const choice = fields.filter(({ oneof }) => oneof !== undefined);
  const held = choice.filter((field) => "name" in field.type && field.type.name === type);
  return held.map(({ name }) => name);
}

/**
 * Returns the members of a oneof that replace the fields of an earlier message, directly or one
 * level below.
 */
function inlineMembers(type: string, now: MessageDef, { before, after }: Versions): string[] {
  const choice = now.fields.filter(({ oneof }) => oneof !== undefined).map(({ name }) => name);
  const fields = messageOf(before, type)?.fields.map(({ name }) => name) ?? [];
  const replaced = propertiesOf(after);
  const nested = fields.flatMap((field) =>
    replaced.filter(({ old }) => old.startsWith(`${now.name}.${field}.`)),
  );
  const names = new Set([...fields, ...nested.map((property) => lastOf(property.now))]);
  return [...names].filter((name) => choice.includes(name));
}
