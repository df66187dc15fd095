import { conversionsBetween, type Conversion } from "./conversions.js";
import { constantsOf } from "../protocol/model/constants.js";
import type {
  CardInterfacesDef,
  MessageDef,
  Protocol,
  TypeDef,
  UnionDef,
  ValueType,
} from "../protocol/model/types.js";
import { matchesName } from "../protocol/build/legacy.js";
import { isRecord } from "../../support/values.js";
import { lastOf, messagesOf } from "./parts.js";

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

/** Interfaces of the card in both versions, if the main interface was moved into the list. */
export interface MovedInterfaces {
  readonly card: string;
  /** Type of an interface in the earlier list, if there was a list. */
  readonly element: string | undefined;
  readonly before: CardInterfacesDef & { readonly main: NonNullable<CardInterfacesDef["main"]> };
  readonly after: Required<Pick<CardInterfacesDef, "list" | "url" | "binding">> &
    Pick<CardInterfacesDef, "version">;
}

/** Properties whose values are the protocol version, by `Type.property`, and the versions. */
export interface VersionMembers {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly from: string;
  readonly to: string;
}

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
  const choices = choicesBetween(before, after, types);
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

/** Versions that are compared. */
interface Context {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly types: ReadonlyMap<string, string>;
  readonly choices: readonly Choice[];
  readonly reused: ReadonlySet<string>;
}

function choicesBetween(
  before: Protocol,
  after: Protocol,
  types: ReadonlyMap<string, string>,
): Choice[] {
  return before.types.flatMap((type): Choice[] => {
    if (type.kind !== "union" || type.discriminator === undefined) return [];
    const now = messageOf(after, types.get(type.name) ?? type.name);
    const cases = now && casesOf(type, type.discriminator, now, { before, after, types });
    return cases === undefined
      ? []
      : [{ now: now?.name ?? type.name, discriminator: type.discriminator, cases }];
  });
}

/**
 * Returns the cases of a union by their constants; `undefined` if no member corresponds to a case.
 */
function casesOf(
  union: UnionDef,
  discriminator: string,
  now: MessageDef,
  { before, after, types }: Pick<Context, "before" | "after" | "types">,
): ReadonlyMap<string, ChoiceCase> | undefined {
  const known = new Map(before.types.map((type): [string, TypeDef] => [type.name, type]));
  const found = new Map<string, ChoiceCase>();
  for (const [constant, type] of constantsOf(union.members, discriminator, known)) {
    const held = now.fields.filter(
      ({ oneof, type: value }) =>
        oneof !== undefined && "name" in value && value.name === (types.get(type) ?? type),
    );
    const members =
      held.length > 0 ? held.map(({ name }) => name) : inlineMembers(type, now, before, after);
    if (members.length === 0 || held.length > 1) return undefined;
    found.set(constant, { type, members, isWrapped: held.length === 1 });
  }
  return found.size === 0 ? undefined : found;
}

/**
 * Returns the members of a oneof that replace the fields of an earlier message, directly or one
 * level below.
 */
function inlineMembers(type: string, now: MessageDef, before: Protocol, after: Protocol): string[] {
  const choice = new Set(
    now.fields.flatMap(({ name, oneof }) => (oneof === undefined ? [] : [name])),
  );
  const fields = messageOf(before, type)?.fields ?? [];
  const direct = fields.filter(({ name }) => choice.has(name)).map(({ name }) => name);
  const nested = fields.flatMap(({ name }) =>
    propertiesOf(after).flatMap(({ old, now: to }) =>
      old.startsWith(`${now.name}.${name}.`) ? [lastOf(to)] : [],
    ),
  );
  return [...new Set([...direct, ...nested.filter((name) => choice.has(name))])];
}

function inlinedBetween({ before, after, types, choices }: Context): Restructuring["inlined"] {
  const found = new Map<string, Map<string, string>>();
  for (const { old, now, value } of propertiesOf(after)) {
    const [owner = "", field = "", member, ...deeper] = old.split(".");
    if (member === undefined || deeper.length > 0 || value !== "same") continue;
    for (const { name, fields } of messagesOf(before)) {
      const union = choices.find(({ cases }) =>
        [...cases.values()].some(({ type }) => type === name),
      )?.now;
      const isOwner = union === owner || (types.get(name) ?? name) === owner;
      if (!isOwner || !fields.some((one) => one.name === field)) continue;
      const path = `${name}.${field}`;
      found.set(path, (found.get(path) ?? new Map<string, string>()).set(member, lastOf(now)));
    }
  }
  return found;
}

/**
 * Returns the properties that were moved into a required object of the same type, and whose values
 * have the same type as before.
 */
function movedBetween({ before, after, types }: Context): Restructuring["moved"] {
  return new Map(
    propertiesOf(after).flatMap(({ old, now, note }) => {
      const [owner = "", field = "", ...deeper] = old.split(".");
      const was = messagesOf(before).find(
        ({ name }) => (types.get(name) ?? name) === owner || name === owner,
      );
      const [target = "", name = ""] = now.split(".");
      const holder = messageOf(after, types.get(owner) ?? owner)?.fields.find(
        ({ type, presence }) => presence === "required" && "name" in type && type.name === target,
      );
      const isThere = was?.fields.some((one) => one.name === field) === true;
      if (
        was === undefined ||
        !isThere ||
        holder === undefined ||
        note !== undefined ||
        deeper.length > 0
      )
        return [];
      return [[`${was.name}.${field}`, [holder.name, name]] as const];
    }),
  );
}

function removedBetween({
  before,
  after,
  types,
  choices,
  reused,
}: Context): Restructuring["removed"] {
  const constants = new Set(choices.map(({ discriminator }) => discriminator));
  const entries = after.removed.filter(({ kind }) => kind === "properties");
  return new Map(
    messagesOf(before).flatMap(({ name, fields }) => {
      const now = messageOf(after, types.get(name) ?? name);
      if (now === undefined || reused.has(name)) return [];
      return fields.flatMap(({ name: field }) => {
        if (constants.has(field) || now.fields.some((one) => one.name === field)) return [];
        const found = entries.find(({ old }) =>
          [name, now.name].some((own) => matchesName(old, `${own}.${field}`)),
        );
        return found === undefined ? [] : [[`${name}.${field}`, found.note] as const];
      });
    }),
  );
}

function reshapedBetween({ before, after, types }: Context): Restructuring["reshaped"] {
  return new Map(
    messagesOf(before).flatMap(({ name, fields }) =>
      fields.flatMap(({ name: field, type }) => {
        const owner = types.get(name) ?? name;
        const renamed = propertiesOf(after).find(({ old }) => old === `${owner}.${field}`)?.now;
        if (renamed !== undefined && !renamed.startsWith(`${owner}.`)) return [];
        const now = messageOf(after, owner)?.fields.find(
          (one) => one.name === lastOf(renamed ?? field),
        );
        const found = now && formChangeOf(type, now.type, after);
        return found === undefined ? [] : [[`${name}.${field}`, found] as const];
      }),
    ),
  );
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
  const [inner, now] = [elementOf(from), elementOf(to)];
  const of = from.kind === to.kind && inner && now ? formChangeOf(inner, now, after) : undefined;
  return of && { kind: "each", of };
}

function elementOf(type: ValueType): ValueType | undefined {
  return type.kind === "list" ? type.element : type.kind === "map" ? type.value : undefined;
}

function interfacesBetween(
  earlier: Protocol,
  { binding: to }: Protocol,
): MovedInterfaces | undefined {
  const from = earlier.binding;
  const before = from?.card.interfaces;
  const { main, list, url, binding, version } = to?.card.interfaces ?? {};
  if (from === undefined || before?.main === undefined || main !== undefined) return undefined;
  if (list === undefined || url === undefined || binding === undefined) return undefined;
  const after = { list, url, binding, ...(version !== undefined && { version }) };
  const listed = messageOf(earlier, from.card.type)?.fields.find(
    ({ name }) => name === before.list,
  )?.type;
  const element =
    listed?.kind === "list" && "name" in listed.element ? listed.element.name : undefined;
  return { card: from.card.type, element, before: { ...before, main: before.main }, after };
}

function versionsBetween(before: Protocol, after: Protocol): VersionMembers | undefined {
  const [from, to] = [before, after].map(cardVersion);
  if (from === undefined || to === undefined) return undefined;
  return { before: versionMembers(before, from), after: versionMembers(after, to), from, to };
}

/**
 * Returns the version in the form that cards contain: the full version if the sample card contains
 * the full version, otherwise `Major.Minor`.
 */
export function cardVersion({ binding }: Protocol): string | undefined {
  if (binding === undefined) return undefined;
  const { version, wireVersion, card } = binding;
  const contains = (value: unknown): boolean =>
    value === version ||
    (isRecord(value) && Object.values(value).some(contains)) ||
    (Array.isArray(value) && value.some(contains));
  return contains(card.sample) ? version : wireVersion;
}

/**
 * Returns the properties that contain the version in the sample card, or the version of an
 * interface.
 */
function versionMembers(protocol: Protocol, version: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown, type: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, type);
    if (!isRecord(value)) return;
    for (const { name, type: held } of messageOf(protocol, type)?.fields ?? []) {
      if (value[name] === version) found.add(`${type}.${name}`);
      const inner = held.kind === "list" ? held.element : held;
      if ("name" in inner) visit(value[name], inner.name);
    }
  };
  const { card } = protocol.binding ?? {};
  if (card !== undefined) visit(card.sample, card.type);
  return found;
}

function propertiesOf({ legacy }: Protocol): Protocol["legacy"] {
  return legacy.filter(({ kind }) => kind === "properties");
}

function messageOf(protocol: Protocol, name: string): MessageDef | undefined {
  return messagesOf(protocol).find((type) => type.name === name);
}
