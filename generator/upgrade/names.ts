import { lineOf } from "../diff/report.js";
import type { Change } from "../diff/types.js";
import { codecNames, compareVersions, matchesName, validatorNames } from "../protocol/build/legacy.js";
import { isRecord } from "../support/values.js";
import type { EnumDef, LegacyDef, LegacyKind, MessageDef, Protocol } from "../protocol/model/types.js";

/** What the names of one version are called in another. Members go by the name of their type: `AgentCard.url`. */
export interface NameMap {
  /** What the output exports: types, the functions that go with them, errors. */
  readonly exports: ReadonlyMap<string, string>;
  /** Properties, keys of enums, and methods of client and service, that are the same under another name. */
  readonly members: ReadonlyMap<string, string>;
  /** The values of enums: what an old value is now, by the name of the enum. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** What a text is called now that no program has by chance: methods of JSON-RPC, headers, paths. */
  readonly texts: ReadonlyMap<string, string>;
  /** What a text is called now that means something of the output only where a file has to do with it. */
  readonly words: ReadonlyMap<string, string>;
  /** Types whose name is that of another type now. */
  readonly reused: ReadonlySet<string>;
  /** What is to be said of a name whose meaning has changed, or which is gone. */
  readonly notesOf: (name: string) => readonly string[];
  /** Says what a type has whose members are others now; `undefined` for any other name. */
  readonly shapeOf: (name: string) => string | undefined;
}

/** The interfaces of the output that have a method for each operation. */
const operationOwners = ["A2AClient", "A2AService"] as const;

/** Finds out what the names of `before` are called in `after`, from the names that its manifest knows. */
export function namesBetween(before: Protocol, wanted: Protocol, changes: readonly Change[]): NameMap {
  const after = sinceThen(wanted, before);
  const types = renamedTypes(before, after);
  const notes = new Notes(after, changes, types);
  const properties = legacyOfKind(after, "properties");
  const keys = legacyOfKind(after, "keys");
  const members = new Map(renamedMethods(before, after));
  for (const { name, fields } of messagesOf(before))
    for (const field of fields) {
      const found =
        properties.get(`${name}.${field.name}`) ?? properties.get(`${types.get(name) ?? name}.${field.name}`);
      if (found !== undefined && isSame(found)) members.set(`${name}.${field.name}`, lastOf(found.now));
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
  return {
    exports: new Map(
      [...types].flatMap(([old, now]) => [
        [old, now],
        ...[...validatorNames, ...codecNames].map(([first, last]): [string, string] => [
          first + old + last,
          first + now + last,
        ]),
      ]),
    ),
    members,
    values,
    texts: distinctTexts(before, after),
    words: ownWords(before, after, { values, members }),
    reused: new Set(changes.filter(isReused).map(({ name }) => name)),
    notesOf: (name) => notes.of(name),
    shapeOf: (name) => (isDifferent(name, before, after) ? shapeOf(name, after) : undefined),
  };
}

/** A version with those names only that are old since `before`: what was old there already means something else. */
function sinceThen(after: Protocol, { binding }: Protocol): Protocol {
  if (binding === undefined) return after;
  const isNew = ({ since }: { readonly since: string }): boolean => compareVersions(since, binding.version) > 0;
  return { ...after, legacy: after.legacy.filter(isNew), removed: after.removed.filter(isNew) };
}

/** Texts that mean nothing else anywhere: methods, headers, the path of the card, routes without a variable. */
function distinctTexts(before: Protocol, after: Protocol): ReadonlyMap<string, string> {
  const pairs = [
    ...[...legacyOfKind(after, "methods")].map(([old, { now }]) => [old, now] as const),
    [before.binding?.headers.version, after.binding?.headers.version],
    [before.binding?.headers.extensions, after.binding?.headers.extensions],
    [before.binding?.card.path, after.binding?.card.path],
    ...before.operations.flatMap(({ method, http }) => {
      const now = after.operations.find((operation) => operation.method === method)?.http;
      const usual = now?.find(({ use }) => use === undefined);
      return http.map(({ path }) => [path, usual?.path] as const);
    }),
  ];
  return new Map(
    pairs.flatMap(([old, now]) => (old === undefined || now === undefined || old === now ? [] : [[old, now]])),
  );
}

/** Texts that may mean something else elsewhere: the version, values of enums, names of properties that are old only. */
function ownWords(
  before: Protocol,
  after: Protocol,
  { values, members }: Pick<NameMap, "values" | "members">,
): ReadonlyMap<string, string> {
  const current = new Set(messagesOf(after).flatMap(({ fields }) => fields.map(({ name }) => name)));
  const properties = [...members].map(([old, now]) => [lastOf(old), now] as const);
  const [was, is] = [before, after].map(cardVersion);
  return new Map([
    ...properties.filter(([old]) => !current.has(old)),
    ...[...values.values()].flatMap((pairs) => [...pairs]),
    ...(was === undefined || is === undefined || was === is ? [] : [[was, is] as const]),
  ]);
}

/** The version as cards have it: in full where the card of the skeleton has it so, and else as it travels. */
function cardVersion({ binding }: Protocol): string | undefined {
  if (binding === undefined) return undefined;
  const { version, wireVersion, card } = binding;
  const says = (value: unknown): boolean =>
    value === version ||
    (isRecord(value) && Object.values(value).some(says)) ||
    (Array.isArray(value) && value.some(says));
  return says(card.sample) ? version : wireVersion;
}

/** The names of types and errors that are others now, the deprecated ones of `before` too. */
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

function isExport(kind: LegacyKind): boolean {
  return kind === "types" || kind === "errors";
}

function legacyOfKind({ legacy }: Protocol, kind: LegacyKind): ReadonlyMap<string, LegacyDef> {
  return new Map(legacy.filter((entry) => entry.kind === kind).map((entry) => [entry.old, entry]));
}

/** Whether a property is the same under another name, so that code that uses it stays right. */
function isSame({ old, type = ownerOf(old), now, note, value = "same" }: LegacyDef): boolean {
  return value === "same" && note === undefined && type === ownerOf(now);
}

/** The methods of operations, by what JSON-RPC called them and calls them now. */
function renamedMethods(before: Protocol, after: Protocol): [string, string][] {
  const now = legacyOfKind(after, "methods");
  return before.operations.flatMap(({ method, jsonRpc = "" }): [string, string][] => {
    const name = now.get(jsonRpc)?.now;
    const found = after.operations.find((operation) => name !== undefined && operation.jsonRpc === name);
    if (found === undefined || found.method === method) return [];
    return operationOwners.map((owner) => [`${owner}.${method}`, found.method]);
  });
}

/**
 * The properties of requests that the method tells to be old ones: an `id` that is a `taskId` now, where there is another
 * `id`. Types whose methods do not agree are left alone.
 */
function renamedParams(before: Protocol, after: Protocol): [string, string][] {
  const methods = legacyOfKind(after, "methods");
  const found = new Map<string, Set<string | undefined>>();
  for (const { request, jsonRpc = "" } of before.operations)
    for (const { name, fields } of request.kind === "named" ? membersOf(request.name, before) : [])
      for (const { name: field } of fields) {
        const member = `${name}.${field}`;
        found.set(member, (found.get(member) ?? new Set()).add(methods.get(jsonRpc)?.params?.[field]));
      }
  return [...found].flatMap(([member, [now, ...others]]): [string, string][] =>
    now === undefined || others.length > 0 ? [] : [[member, now]],
  );
}

/** The messages that a type is, or can be. */
function membersOf(name: string, { types }: Protocol): MessageDef[] {
  const type = types.find((found) => found.name === name);
  if (type?.kind === "message") return [type];
  return type?.kind === "union"
    ? messagesOf({ types }).filter((message) =>
        type.members.some((member) => "name" in member && member.name === message.name),
      )
    : [];
}

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
      const texts = new Map(current.get(nameNow)?.values.map(({ key, name: text }) => [key, text]));
      const pairs = values.flatMap(({ key, name: text }): [string, string][] => {
        const now = texts.get(key) ?? texts.get(lastOf(renamed.get(`${nameNow}.${key}`)?.now ?? ""));
        return now === undefined || now === text ? [] : [[text, now]];
      });
      return [name, new Map(pairs)];
    }),
  );
}

/** Tells whether a type has other members than before, or was not there. */
function isDifferent(name: string, before: Protocol, after: Protocol): boolean {
  return shapeOf(name, after) !== shapeOf(name, before);
}

/** Says what a message or an enum has: `SendMessageResponse has one of task, message`. */
function shapeOf(name: string, protocol: Protocol): string | undefined {
  const listOf = (names: readonly string[]): string => {
    const shown = names.slice(0, mostMembers);
    return [...shown, ...(shown.length < names.length ? ["…"] : [])].join(", ");
  };
  const type = protocol.types.find((found) => found.name === name);
  if (type?.kind === "enum") return `${name} has the keys ${listOf(type.values.map(({ key }) => key))}`;
  if (type?.kind !== "message") return undefined;
  const parts = [
    ...type.oneofs.map((oneof) => {
      const members = type.fields.filter((field) => field.oneof === oneof.name).map((field) => field.name);
      return `one of ${listOf(members)}`;
    }),
    listOf(type.fields.filter(({ oneof }) => oneof === undefined).map((field) => field.name)),
  ];
  return `${name} has ${parts.filter((part) => part !== "").join("; ")}`;
}

const mostMembers = 16;

/** Gives what manifest and comparison say about a name of the earlier version. */
class Notes {
  readonly #after: Protocol;
  readonly #changes: readonly Change[];
  readonly #types: ReadonlyMap<string, string>;

  constructor(after: Protocol, changes: readonly Change[], types: ReadonlyMap<string, string>) {
    this.#after = after;
    this.#changes = changes;
    this.#types = types;
  }

  of(name: string): string[] {
    const [type = "", ...rest] = name.split(".");
    const [member] = rest;
    if (operationOwners.some((owner) => owner === type)) return member === undefined ? [] : this.#ofOperation(member);
    const names = [name, [this.#types.get(type) ?? type, ...rest].join(".")];
    const isMeant = ({ old }: { readonly old: string }): boolean => names.some((own) => matchesName(old, own));
    const moved = this.#after.legacy.filter((entry) => isMeant(entry) && (!isExport(entry.kind) || entry.note));
    const gone = this.#after.removed.filter((entry) => isMeant(entry) || entry.old === type);
    const notes = [
      ...moved.map(({ old, now, note }) => `${old} is ${now} now${note === undefined ? "" : `: ${note}`}`),
      ...gone.map(({ old, note }) => `${old.replace(/.*\*.*/, member ?? name)} is gone: ${note}`),
    ];
    return notes.length > 0 ? notes : this.#ofChanges(names);
  }

  #ofOperation(method: string): string[] {
    const operation = this.#after.operations.find((found) => found.method === method);
    const named = [operation?.request, operation?.response].map((ref) =>
      ref?.kind === "named" ? ref.name : undefined,
    );
    const [request, response] = named;
    const parts = [request && `takes ${request}`, response && `gives ${response}`].filter(Boolean);
    return parts.length === 0 ? [] : [`${method} ${parts.join(" and ")} now`];
  }

  #ofChanges(names: readonly string[]): string[] {
    return this.#changes.flatMap((change) =>
      names.includes(change.name) && change.breaks.source !== undefined
        ? [`${lineOf(change)} (${change.breaks.source})`]
        : [],
    );
  }
}

function enumsOf({ types }: Protocol): EnumDef[] {
  return types.filter((type) => type.kind === "enum");
}

function messagesOf({ types }: Pick<Protocol, "types">): MessageDef[] {
  return types.filter((type) => type.kind === "message");
}

function ownerOf(member: string): string {
  return member.slice(0, member.lastIndexOf("."));
}

function lastOf(member: string): string {
  return member.slice(member.lastIndexOf(".") + 1);
}
