import { matchProtocols, type Matches } from "../diff/compare.js";
import type { Change } from "../diff/types.js";
import { unionNameOf } from "../protocol/names/names.js";
import { codecNames, validatorNames } from "../protocol/names/output-names.js";
import { Renames } from "../protocol/versions/manifest-renames.js";
import { compareVersions, releaseOf } from "../../support/versions.js";
import { methodPaths, renamedServices, renamedUnions, withFoundRenames } from "./found-renames.js";
import { Hints } from "./hints.js";
import { lastOf, messagesOf } from "./parts.js";
import { isDifferent, isExport, Notes, shapeOf } from "./notes.js";
import { cardVersion } from "./card-members.js";
import { restructuringBetween, type Restructuring } from "./restructuring.js";
import type {
  EnumDef,
  LegacyDef,
  LegacyKind,
  MessageDef,
  Protocol,
  TypeRef,
} from "../protocol/model/types.js";

/**
 * New names for the names of a version. A member's name is prefixed with its type: `AgentCard.url`.
 */
export interface NameMap {
  /** New names of the output's exports: types, their functions, and errors. */
  readonly exports: ReadonlyMap<string, string>;
  /**
   * New names of properties, enum keys, and methods of client and service that were renamed without
   * a change of meaning.
   */
  readonly members: ReadonlyMap<string, string>;
  /** Types of requests and responses by the method of the operation: `A2AService.getTask`. */
  readonly operationTypes: ReadonlyMap<string, OperationTypes>;
  /** New values of enums, by the name of the enum. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Strings that are old names in any file, such as JSON-RPC methods, headers and paths. */
  readonly strings: ReadonlyMap<string, string>;
  /** Strings that are old names only in files that import the output. */
  readonly words: ReadonlyMap<string, string>;
  /** Names that now belong to a different type. */
  readonly reused: ReadonlySet<string>;
  /** Structural changes, in addition to renames. */
  readonly structure: Restructuring;
  /** Returns the notes about a name that was removed or whose meaning has changed. */
  readonly notesOf: (name: string) => readonly string[];
  /** Returns the notes about a property that was required and is now optional. */
  readonly absenceOf: (name: string) => readonly string[];
  /**
   * Returns a description of a type whose members have changed; an empty list for any other name.
   */
  readonly shapeOf: (name: string) => readonly string[];
}

/** Types of an operation in both versions; absent if a version has no such type. */
interface OperationTypes {
  readonly request?: { readonly old: string; readonly now: string };
  readonly response?: { readonly old: string; readonly now: string };
}

/**
 * Returns the new names in `later` for the names of `before`, according to the manifest of `later`.
 */
export function namesBetween(
  before: Protocol,
  later: Protocol,
  changes: readonly Change[],
): NameMap {
  const listed = namesSince(later, before);
  const matches = matchesBetween(before, listed);
  const after = withFoundRenames(before, listed, changes, matches);
  const types = renamedTypes(before, after);
  const notes = new Notes(after, changes, types);
  const properties = legacyOfKind(after, "properties");
  const keys = legacyOfKind(after, "keys");
  const members = new Map(renamedMethods(before, matches));
  for (const message of messagesOf(before))
    for (const field of message.fields) {
      const { name } = message;
      const found =
        properties.get(`${name}.${field.name}`) ??
        properties.get(`${types.get(name) ?? name}.${field.name}`);
      if (found === undefined || !isSame(found)) continue;
      // The union of a oneof declares its members.
      const oneof = message.oneofs.find((one) => one.name === field.oneof);
      const owners = oneof === undefined ? [name] : [name, unionNameOf(message, oneof)];
      for (const owner of new Set(owners)) members.set(`${owner}.${field.name}`, lastOf(found.now));
    }
  for (const [member, now] of renamedParams(before, after)) members.set(member, now);
  for (const { name, values } of enumsOf(before))
    for (const { key } of values) {
      const found = keys.get(`${types.get(name) ?? name}.${key}`);
      if (found !== undefined) members.set(`${name}.${key}`, lastOf(found.now));
    }
  const values = enumValues(before, after, types);
  const current = exportsOf(after);
  const isReused = ({ subject, action, name }: Change): boolean =>
    subject === "type" && action === "removed" && current.has(name);
  const reused = new Set(changes.filter(isReused).map(({ name }) => name));
  const structure = restructuringBetween(before, after, types, reused);
  const operationTypes = operationTypesOf(before, matches);
  const responses = [...operationTypes.values()].flatMap(({ response }) => response ?? []);
  const hintedTypes = new Map([...types, ...responses.map(({ old, now }) => [old, now] as const)]);
  const hints = new Hints(before, after, structure, { types: hintedTypes, members });
  return {
    exports: new Map([
      ...[...types].flatMap(([old, now]): [string, string][] => [
        [old, now],
        ...[...validatorNames, ...codecNames].map(([first, last]): [string, string] => [
          first + old + last,
          first + now + last,
        ]),
      ]),
      ...renamedUnions(before, after, { types, members }),
      ...renamedServices(matches),
    ]),
    members,
    operationTypes,
    values,
    strings: distinctStrings(before, after, matches),
    words: ownWords(before, after, { values, members }),
    reused,
    structure,
    notesOf: (name) => [...notes.of(name), ...hints.of(name)],
    absenceOf: (name) => hints.ofAbsent(name),
    shapeOf: (name) => {
      const shape = isDifferent(name, before, after) ? shapeOf(name, after) : undefined;
      return [...(shape === undefined ? [] : [shape]), ...hints.ofType(name)];
    },
  };
}

/**
 * Returns `after` with only the old names that were replaced or removed since the version `before`.
 * Names that were already old in `before` have a different meaning in that version.
 */
function namesSince(after: Protocol, { binding }: Protocol): Protocol {
  if (binding === undefined) return after;
  const isNew = ({ since }: { readonly since: string }): boolean =>
    compareVersions(since, releaseOf(binding.version)) > 0;
  return { ...after, legacy: after.legacy.filter(isNew), removed: after.removed.filter(isNew) };
}

/**
 * Returns strings that have only one meaning in every program: methods, headers, the path of the
 * card, routes.
 */
function distinctStrings(
  before: Protocol,
  after: Protocol,
  { operations }: Matches,
): ReadonlyMap<string, string> {
  const pairs = [
    ...[...legacyOfKind(after, "methods")].map(([old, { now }]) => [old, now] as const),
    [before.binding?.headers?.version, after.binding?.headers?.version],
    [before.binding?.headers?.extensions, after.binding?.headers?.extensions],
    [before.binding?.card?.path, after.binding?.card?.path],
    ...operations.pairs.flatMap(({ from: { http }, to }) => {
      const usual = to.http.find(({ use }) => use === undefined);
      return http.map(({ path }) => [path, usual?.path] as const);
    }),
  ];
  return new Map(
    pairs.flatMap(([old, now]) =>
      old === undefined || now === undefined || old === now ? [] : [[old, now]],
    ),
  );
}

/**
 * Returns strings that may have a different meaning in files that do not import the output: the
 * version, enum values, removed properties.
 */
function ownWords(
  before: Protocol,
  after: Protocol,
  { values, members }: Pick<NameMap, "values" | "members">,
): ReadonlyMap<string, string> {
  const current = new Set(
    messagesOf(after).flatMap(({ fields }) => fields.map(({ name }) => name)),
  );
  const properties = [...members].map(([old, now]) => [lastOf(old), now] as const);
  const [was, is] = [before, after].map(cardVersion);
  return new Map([
    ...properties.filter(([old]) => !current.has(old)),
    ...[...values.values()].flatMap((pairs) => [...pairs]),
    ...(was === undefined || is === undefined || was === is ? [] : [[was, is] as const]),
  ]);
}

/** Returns the new names of types and errors, including the deprecated names of `before`. */
function renamedTypes(before: Protocol, after: Protocol): ReadonlyMap<string, string> {
  const now = new Map([...legacyOfKind(after, "types"), ...legacyOfKind(after, "errors")]);
  const current = exportsOf(after);
  const own = [...exportsOf(before)].map((name) => ({ old: name, now: name }));
  return new Map(
    [...own, ...before.legacy.filter(({ kind }) => isExport(kind))].flatMap(
      ({ old, now: name }): [string, string][] => {
        const found = now.get(old)?.now ?? now.get(name)?.now ?? name;
        return found !== old && current.has(found) && !current.has(old) ? [[old, found]] : [];
      },
    ),
  );
}

function exportsOf({ types, binding }: Protocol): ReadonlySet<string> {
  return new Set([...types, ...(binding?.errors ?? [])].map(({ name }) => name));
}

function legacyOfKind({ legacy }: Protocol, kind: LegacyKind): ReadonlyMap<string, LegacyDef> {
  return new Map(legacy.filter((entry) => entry.kind === kind).map((entry) => [entry.old, entry]));
}

/**
 * Returns whether a property has the same meaning under its new name, so that it can simply be
 * renamed in code.
 */
function isSame({ old, type = ownerOf(old), now, note, value = "same" }: LegacyDef): boolean {
  return value === "same" && note === undefined && type === ownerOf(now);
}

/** Returns the counterparts of the parts of two versions. */
function matchesBetween(before: Protocol, after: Protocol): Matches {
  const names = legacyOfKind(after, "methods");
  return matchProtocols(before, after, new Renames(before, after), (method) =>
    [names.get(method)?.now].filter((name) => name !== undefined),
  );
}

/** Returns the new names of renamed methods. */
function renamedMethods(before: Protocol, { operations }: Matches): [string, string][] {
  return operations.pairs.flatMap(({ from, to: { method, ownMethod = method } }) =>
    methodPaths(before, from).flatMap((path): [string, string][] =>
      lastOf(path) === ownMethod ? [] : [[path, ownMethod]],
    ),
  );
}

function operationTypesOf(before: Protocol, { operations }: Matches): NameMap["operationTypes"] {
  const pairOf = (old: TypeRef, now: TypeRef): OperationTypes["request"] =>
    old.kind === "named" && now.kind === "named" ? { old: old.name, now: now.name } : undefined;
  return new Map(
    operations.pairs.flatMap(({ from: old, to: now }) => {
      const [request, response] = [
        pairOf(old.request, now.request),
        pairOf(old.response, now.response),
      ];
      const types = { ...(request && { request }), ...(response && { response }) };
      return methodPaths(before, old).map((path) => [path, types] as const);
    }),
  );
}

/** Returns the methods of the operations that an earlier version does not have. */
export function newMethods(before: Protocol, after: Protocol): string[] {
  return matchesBetween(before, after).operations.added.map(
    ({ method, ownMethod = method }) => ownMethod,
  );
}

/**
 * Returns the request properties that the manifest renames for a single method. For example, `id`
 * is now `taskId`, and another property is now `id`. Omits a type if methods with this type have
 * conflicting new names.
 */
function renamedParams(before: Protocol, after: Protocol): [string, string][] {
  const methods = legacyOfKind(after, "methods");
  const found = new Map<string, Set<string | undefined>>();
  for (const { request, jsonRpc = "" } of before.operations)
    for (const { name, fields } of request.kind === "named" ? membersOf(request.name, before) : [])
      for (const { name: field } of fields) {
        const member = `${name}.${field}`;
        found.set(
          member,
          (found.get(member) ?? new Set()).add(methods.get(jsonRpc)?.params?.[field]),
        );
      }
  return [...found].flatMap(([member, [now, ...others]]): [string, string][] =>
    now === undefined || others.length > 0 ? [] : [[member, now]],
  );
}

/** Returns the message with the given name, or the messages of the union with this name. */
function membersOf(name: string, { types }: Protocol): MessageDef[] {
  const type = types.find((found) => found.name === name);
  if (type?.kind === "message") return [type];
  return type?.kind === "union"
    ? messagesOf({ types }).filter((message) =>
        type.members.some((member) => "name" in member && member.name === message.name),
      )
    : [];
}

/** Returns, for each enum of the earlier version, the new texts of values whose text has changed. */
function enumValues(
  before: Protocol,
  after: Protocol,
  types: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const current = new Map(enumsOf(after).map((type) => [type.name, type]));
  const renamed = legacyOfKind(after, "keys");
  return new Map(
    enumsOf(before).map(({ name, values }) => {
      const nameNow = types.get(name) ?? name;
      const textsNow = new Map(
        current.get(nameNow)?.values.map((value) => [value.key, value.name]),
      );
      const changes = values.flatMap(({ key, name: text }): [string, string][] => {
        const renamedTo = renamed.get(`${nameNow}.${key}`)?.now;
        const keyNow = textsNow.has(key) || renamedTo === undefined ? key : lastOf(renamedTo);
        const textNow = textsNow.get(keyNow);
        return textNow === undefined || textNow === text ? [] : [[text, textNow]];
      });
      return [name, new Map(changes)];
    }),
  );
}

function enumsOf({ types }: Protocol): EnumDef[] {
  return types.filter((type) => type.kind === "enum");
}

function ownerOf(member: string): string {
  return member.slice(0, member.lastIndexOf("."));
}
