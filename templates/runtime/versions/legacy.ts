import { isObject, maxDepth } from "../base/json.js";
import { ValidationContext, ValidationError } from "../schema/schema.js";
import type { AdaptedMethod, AdapterFactory, AdapterHost, VersionAdapter } from "../server/adapter.js";
import { notify } from "../base/async.js";
import type { Operation } from "../protocol/operation.js";

/** A name of an earlier version that a caller used. */
export interface LegacyName {
  /** What it names: a method of JSON-RPC, a property or a value. */
  readonly kind: "methods" | "properties" | "values";
  /** The old name; of properties and values with that of their type. */
  readonly old: string;
  readonly now: string;
  /** The version that has the new name first. */
  readonly since: string;
  /** The version that may remove the old name at the earliest. */
  readonly until: string;
  /** What else differs. */
  readonly note?: string;
}

/** A {@link LegacyName} without what it shares with others, and how requests that use it are read. */
export interface LegacyRow extends Pick<LegacyName, "note" | "now" | "old"> {
  /** What the type in the old name is called now, where that is something else. */
  readonly type?: string;
  /** How the present value of a property follows from the old one; absent where it does not. */
  readonly value?: "same" | "opposite" | "only";
  /** The members of the params that have other names now. */
  readonly params?: Readonly<Record<string, string>>;
  /** Set for methods whose params cannot be read any longer. */
  readonly served?: false;
}

/** Old names by kind, all of which were replaced in the same version and may be removed in the same one. */
export interface LegacyPeriod
  extends Pick<LegacyName, "since" | "until">, Readonly<Partial<Record<LegacyName["kind"], readonly LegacyRow[]>>> {}

/** A row with all that it shares with others. */
type LegacyEntry = LegacyName & LegacyRow;

/** Where the members of a type lead: to the type of the member, or of the values of the map that it is. */
export type LegacyPlace = string | { readonly mapOf: string };

/** Old names, and where in requests they can stand. */
export interface LegacyTable {
  readonly names: readonly LegacyPeriod[];
  /** By operation the type of its request, where old names can stand in it. */
  readonly requests: Readonly<Record<string, string>>;
  /** By type and member what is in there, as far as old names can stand in it. */
  readonly places: Readonly<Record<string, Readonly<Record<string, LegacyPlace>>>>;
  /** The members of unions by their constant, and the names of the property that has it, old ones included. */
  readonly unions: Readonly<
    Record<string, { readonly keys: readonly string[]; readonly members: Readonly<Record<string, string>> }>
  >;
}

/** How an agent treats names of earlier versions. */
export interface LegacyOptions {
  /** Is called with each old name once, when a caller uses it for the first time. What it throws goes to `onError`. */
  readonly onUse?: (name: LegacyName) => unknown;
}

/** Makes the adapter that reads old names, anew for each agent. */
export function legacyAdapter(table: LegacyTable, { onUse }: LegacyOptions): AdapterFactory {
  return (host) => {
    const seen = new Set<LegacyEntry>();
    return new LegacyAdapter(table, host, (entry) => {
      if (seen.has(entry)) return;
      seen.add(entry);
      const { kind, old, now, since, until, note } = entry;
      notify(() => onUse?.({ kind, old, now, since, until, ...(note !== undefined && { note }) }), host.report);
    });
  };
}

type Members = Readonly<Record<string, unknown>>;

/** A property with the keys that lead to it. */
interface Property {
  readonly entry: LegacyEntry;
  readonly path: readonly string[];
  readonly now: string;
}

/**
 * Reads old names in requests over JSON-RPC, whatever version they name: many callers use old names and name no
 * version, or the present one. Responses have the present names only.
 */
class LegacyAdapter implements VersionAdapter {
  readonly #table: LegacyTable;
  readonly #host: AdapterHost;
  readonly #use: (entry: LegacyEntry) => void;
  readonly #methods = new Map<string, LegacyEntry>();
  readonly #properties = new Map<string, Property[]>();
  readonly #values = new Map<string, Map<unknown, LegacyEntry>>();

  constructor(table: LegacyTable, host: AdapterHost, use: (entry: LegacyEntry) => void) {
    this.#table = table;
    this.#host = host;
    this.#use = use;
    for (const entry of table.names.flatMap(entriesOf)) {
      const [owner = "", ...path] = entry.old.split(".");
      const { type = owner } = entry;
      if (entry.kind === "methods") this.#methods.set(entry.old, entry);
      else if (entry.kind === "values") listed(this.#values, type, () => new Map()).set(path.join("."), entry);
      else listed(this.#properties, type, () => []).push({ entry, path, now: afterDot(entry.now) });
    }
  }

  versionOf(named: string | undefined, binding: string | undefined): string | undefined {
    const { protocol, versions } = this.#host;
    if (binding !== protocol.bindings.jsonRpc) return undefined;
    if (named === undefined) return protocol.version;
    const isRead = versions.includes(named) || this.#table.names.some(({ since }) => isBefore(named, since));
    return isRead ? named : undefined;
  }

  method(name: string): AdaptedMethod | undefined {
    const entry = this.#methods.get(name);
    if (entry === undefined) return undefined;
    const { now: method, since, served } = entry;
    if (served !== false) return { method };
    return { method, problem: `${name} is ${method} since ${since}, which takes other params` };
  }

  request({ name: operation }: Operation, params: unknown, calledAs = ""): unknown {
    const context = new ValidationContext("json");
    const entry = this.#methods.get(calledAs);
    if (entry !== undefined) this.#use(entry);
    const renames = entry?.params;
    const renamed = renames === undefined || !isObject(params) ? params : renameAll(params, renames, context);
    const type = own(this.#table.requests, operation);
    const result = type === undefined ? renamed : this.#read(type, renamed, context);
    if (context.issues.length > 0) throw new ValidationError(type ?? operation, context.issues);
    return result;
  }

  /** Returns a value with its present names, as it is where it has no others. */
  #read(type: string, value: unknown, context: ValidationContext): unknown {
    if (typeof value === "string") return this.#readText(type, value);
    // What is nested deeper is refused when it is checked.
    if (typeof value !== "object" || value === null || context.path.length >= maxDepth) return value;
    if (Array.isArray(value)) return changed(value, (item, key) => this.#at(key, type, item, context));
    const member = this.#memberOf(type, value);
    const present = this.#rename(member, value as Members, context);
    const places = own(this.#table.places, member);
    return places === undefined ? present : this.#readMembers(places, present, context);
  }

  #readText(type: string, text: string): string {
    const entry = this.#values.get(type)?.get(text);
    if (entry === undefined) return text;
    this.#use(entry);
    return afterDot(entry.now);
  }

  #readMembers(places: Readonly<Record<string, LegacyPlace>>, value: Members, context: ValidationContext): Members {
    const found: Record<string, unknown> = {};
    for (const [key, place] of Object.entries(places)) {
      if (!Object.hasOwn(value, key)) continue;
      const given = value[key];
      const read =
        typeof place === "string" ? this.#at(key, place, given, context) : this.#inMap(key, place, given, context);
      if (read !== given) found[key] = read;
    }
    return Object.keys(found).length === 0 ? value : { ...value, ...found };
  }

  #inMap(key: string, { mapOf }: { readonly mapOf: string }, map: unknown, context: ValidationContext): unknown {
    if (!isObject(map)) return map;
    context.path.push(key);
    const entries = Object.entries(map).map(([name, item]) => [name, this.#at(name, mapOf, item, context)] as const);
    context.path.pop();
    return entries.some(([name, item]) => item !== map[name]) ? Object.fromEntries(entries) : map;
  }

  #at(key: string | number, type: string, value: unknown, context: ValidationContext): unknown {
    context.path.push(key);
    const read = this.#read(type, value, context);
    context.path.pop();
    return read;
  }

  /** The member of a union that an object is, by its constant under any of the names that this has had. */
  #memberOf(type: string, value: object): string {
    const union = own(this.#table.unions, type);
    const key = union?.keys.find((name) => Object.hasOwn(value, name));
    const constant: unknown = key === undefined ? undefined : Reflect.get(value, key);
    return (union && typeof constant === "string" ? own(union.members, constant) : undefined) ?? type;
  }

  /** Returns an object with the present names of its properties. */
  #rename(type: string, value: Members, context: ValidationContext): Members {
    let result: Record<string, unknown> | undefined;
    for (const { entry, path, now } of this.#properties.get(type) ?? []) {
      const given = memberAt(value, path);
      if (given === undefined || given === null) continue;
      this.#use(entry);
      const old = path.join(".");
      const present = presentOf(entry, given);
      if (present === undefined) context.report(expectationOf(entry, old), value);
      else if (isGiven(result ?? value, now)) context.report(`either ${now} or ${old}`, value);
      else result = { ...without(result ?? value, path), [now]: present };
    }
    return result ?? value;
  }
}

const kinds = ["methods", "properties", "values"] as const;

function entriesOf({ since, until, ...rows }: LegacyPeriod): LegacyEntry[] {
  return kinds.flatMap((kind) => (rows[kind] ?? []).map((row) => ({ ...row, kind, since, until })));
}

/** Compares `Major.Minor` with the version that a name is old from on. */
function isBefore(version: string, since: string): boolean {
  if (!/^\d+\.\d+$/.test(version)) return false;
  const [own = [], other = []] = [version, since].map((text) => text.split(".").map(Number));
  const [major = 0, minor = 0] = own;
  const [laterMajor = 0, laterMinor = 0] = other;
  return major < laterMajor || (major === laterMajor && minor < laterMinor);
}

function listed<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function afterDot(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

function isGiven(value: Members, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined && value[key] !== null;
}

/** Returns params with members renamed that a method had under other names, all at once. */
function renameAll(params: Members, names: Readonly<Record<string, string>>, context: ValidationContext): Members {
  const renamed: Record<string, unknown> = { ...params };
  for (const old of Object.keys(names)) Reflect.deleteProperty(renamed, old);
  for (const [old, now] of Object.entries(names)) {
    if (!isGiven(params, old)) continue;
    if (isGiven(renamed, now)) context.report(`either ${now} or ${old}`, params);
    renamed[now] = params[old];
  }
  return renamed;
}

/** The present value of a property, if it follows from the old one. */
function presentOf({ value }: LegacyEntry, given: unknown): unknown {
  if (value === "opposite") return typeof given === "boolean" ? !given : undefined;
  if (value === "only") return Array.isArray(given) && given.length === 1 ? (given as unknown[])[0] : undefined;
  return value === "same" ? given : undefined;
}

function expectationOf({ value, now, old: name }: LegacyEntry, old: string): string {
  if (value === "opposite") return `a boolean in ${old}, the opposite of ${afterDot(now)}`;
  return value === "only" ? `a list of one element in ${old}, now ${afterDot(now)}` : `${now} in place of ${name}`;
}

/** The value at a path of own members. */
function memberAt(value: Members, path: readonly string[]): unknown {
  let member: unknown = value;
  for (const key of path) member = isObject(member) && Object.hasOwn(member, key) ? member[key] : undefined;
  return member;
}

/** A copy without the member that a path leads to, and without the object around it where that is empty then. */
function without(value: Members, [key = "", ...rest]: readonly string[]): Record<string, unknown> {
  const { [key]: member, ...others } = value;
  if (rest.length === 0 || !isObject(member)) return others;
  const inner = without(member, rest);
  return Object.keys(inner).length === 0 ? others : { ...others, [key]: inner };
}

/** A list with each item replaced, or the list itself where none of them changes. */
function changed(items: readonly unknown[], replace: (item: unknown, index: number) => unknown): readonly unknown[] {
  const replaced = items.map(replace);
  return replaced.some((item, index) => item !== items[index]) ? replaced : items;
}
