import { isObject } from "../base/json.js";
import { within, writeAs, type Mapping } from "./mapping-values.js";
import { setAt, setId, type ResourceName } from "./resource.js";
import { check, ValidationContext, ValidationError, type Type } from "../schema/schema.js";

export { checked, list, map, names, nothing, type Mapping } from "./mapping-values.js";

/** Mappings of an operation for HTTP+JSON, if its JSON differs from the JSON of the model. */
export interface JsonCodec {
  readonly request: MessageMapping;
  readonly response: Mapping;
}

/** Mappings of all operations for HTTP+JSON, by their names. */
export type JsonCodecs = Readonly<Record<string, JsonCodec>>;

/** Mapping of a message. */
export interface MessageMapping<T = unknown> extends Mapping<T> {
  /** Reads the fields that are present, even if required fields are missing. */
  part(value: Readonly<Record<string, unknown>>, context: ValidationContext): unknown;
  /** Returns the path of a field in the model. */
  pathOf(field: string): readonly string[] | undefined;
  field(name: string): Type<unknown> | undefined;
  /** Returns whether one of the message's fields is a resource name. */
  hasNames(): boolean;
}

/** A field of the message and its path in the model. */
export interface MappedField {
  /**
   * The path in the model; empty if the field contains the whole value. Absent for a resource name.
   */
  readonly path?: readonly string[];
  readonly type?: Type<unknown>;
  /** The resource name, which contains ids of the model. */
  readonly resource?: ResourceName;
  /** Whether the field may be absent in the model. */
  readonly optional?: true;
  /** The value in the model if the field is absent in the message. */
  readonly zero?: null | false | 0 | string | [] | Readonly<Record<string, never>>;
  /** The value in the message if the field is absent in the model. */
  readonly absent?: true;
  /** The name in the proto, if it does not follow from the key. */
  readonly proto?: string;
  /** The oneof of the field. */
  readonly oneof?: string;
  /** The constant of the union member that the field represents. */
  readonly constant?: string;
}

interface Entry extends MappedField {
  readonly name: string;
}

/** Options for a mapping. */
export interface MappingFacts {
  /** The name of the message, for issues. */
  readonly name: string;
  /** Members of the model with a constant value. */
  readonly constants?: Readonly<Record<string, string>>;
  /** The key of the constant that discriminates the members of a union. */
  readonly key?: string;
  /**
   * Returns the fields by their keys. Called at the first use, so that mappings can refer to each
   * other.
   */
  readonly fields: () => Readonly<Record<string, MappedField>>;
}

/** Creates the mapping of a message. */
export function message<T>(facts: MappingFacts): MessageMapping<T> {
  let known: ReadonlyMap<string, Entry> | undefined;
  const entries = (): ReadonlyMap<string, Entry> => (known ??= compile(facts.fields()));
  const read = (value: unknown, context: ValidationContext, complete: boolean): unknown => {
    if (!isObject(value)) {
      context.report(facts.name, value);
      return undefined;
    }
    if (context.tooDeep(value)) return undefined;
    return new Reading(facts, entries(), context).read(value, complete);
  };
  return {
    name: facts.name,
    // The result is a value of the model, unless issues have been reported.
    check: (value, context) => read(value, context, true) as T | undefined,
    part: (value, context) => read(value, context, false),
    write: (value) => writeFields(facts, entries(), value),
    field: (name) => {
      const entry = entries().get(name);
      return entry && (entry.type ?? resourceType);
    },
    pathOf: (field) => entries().get(field)?.path,
    hasNames: () => [...entries().values()].some(({ resource }) => resource !== undefined),
  };
}

/** Type of a resource name in a query or path. */
const resourceType: Type<string> = {
  name: "resource name",
  check(value, context) {
    if (typeof value === "string") return value;
    context.report("resource name", value);
    return undefined;
  },
};

function compile(fields: Readonly<Record<string, MappedField>>): ReadonlyMap<string, Entry> {
  const all = Object.entries(fields).map(([name, field]): Entry => ({ ...field, name }));
  const snake = (name: string): string =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new Map([
    ...all.map((entry) => [entry.proto ?? snake(entry.name), entry] as const),
    ...all.map((entry) => [entry.name, entry] as const),
  ]);
}

/** A context that counts unknown members. */
export class CountingRun extends ValidationContext {
  dropped = 0;
}

/** State of reading one value into the model. */
class Reading {
  readonly #facts: MappingFacts;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #context: ValidationContext;
  readonly #seen = new Set<string>();
  #result: unknown;

  constructor(
    facts: MappingFacts,
    entries: ReadonlyMap<string, Entry>,
    context: ValidationContext,
  ) {
    this.#facts = facts;
    this.#entries = entries;
    this.#context = context;
    this.#result = { ...facts.constants };
  }

  read(value: Readonly<Record<string, unknown>>, complete: boolean): unknown {
    // Read resource names first, because ids in the path take precedence over ids in the body.
    const keys = Object.keys(value);
    const names = keys.filter((key) => this.#entries.get(key)?.resource !== undefined);
    for (const key of names.length === 0 ? keys : new Set([...names, ...keys])) {
      const entry = this.#entries.get(key);
      const given = value[key];
      if (entry === undefined) {
        this.#drop();
        continue;
      }
      const isNullAbsent = given === null && entry.type?.nullable !== true;
      if (given !== undefined && !isNullAbsent) this.#field(entry, given, value);
    }
    if (complete) this.#complete(value);
    return this.#result;
  }

  #drop(): void {
    if (this.#context instanceof CountingRun) this.#context.dropped += 1;
  }

  #field(entry: Entry, given: unknown, value: unknown): void {
    // If the JSON contains both names of a field, or several members of a oneof, one would
    // overwrite the other.
    const { name, oneof, resource, type } = entry;
    // The names of oneofs have a prefix, because a field may have the same name.
    const slot = oneof === undefined ? name : `~${oneof}`;
    if (this.#seen.has(name) || this.#seen.has(slot)) {
      const members = oneof === undefined ? undefined : this.#members(oneof);
      const expected = members === undefined ? `${name} once` : `at most one of ${members}`;
      this.#context.report(expected, value);
    }
    this.#seen.add(name).add(slot);
    if (resource !== undefined) this.#resource(name, resource, given);
    const checked = type && this.#context.at(name, type, given);
    if (checked !== undefined) this.#set(entry, checked);
  }

  /**
   * Returns the names of the members of a oneof, because JSON does not contain the name of the
   * oneof.
   */
  #members(oneof: string): string {
    const members = [...new Set(this.#entries.values())].filter((entry) => entry.oneof === oneof);
    return members.map(({ name }) => name).join(", ");
  }

  #resource(name: string, resource: ResourceName, given: unknown): void {
    if (given === "") return;
    const ids = typeof given === "string" ? resource.match(given) : undefined;
    if (ids === undefined) {
      this.#missing(name, `a name like "${resource.pattern}"`, given);
      return;
    }
    if (isObject(this.#result)) for (const [path, id] of ids) setId(this.#result, path, id);
  }

  #set({ name, path = [], constant }: Entry, checked: unknown): void {
    const { key } = this.#facts;
    const isWholeValue = path.length === 0 && !isObject(checked);
    if (!isObject(this.#result) || isWholeValue) {
      this.#result = checked;
      return;
    }
    // A union member replaces the result, because each member has its own constant.
    const isUnionMember = key !== undefined && constant !== undefined;
    const target = isUnionMember ? { [key]: constant } : this.#result;
    this.#result = target;
    if (path.length > 0) setAt(target, path, checked);
    else this.#merge(name, target, checked as object);
  }

  /**
   * Adds the members of an object. Reports a string that differs from an existing string, because
   * two resource names then contain different values for the same id.
   */
  #merge(field: string, target: Readonly<Record<string, unknown>>, added: object): void {
    for (const [name, member] of Object.entries(added)) {
      const before = Object.hasOwn(target, name) ? target[name] : undefined;
      if (typeof before === "string" && before !== member)
        this.#missing(field, `the ${name} "${before}"`, added);
      else setAt(target, [name], member);
    }
  }

  /** Sets absent fields to their defaults, and reports missing fields. */
  #complete(value: unknown): void {
    const { key, name } = this.#facts;
    if (key !== undefined && this.#seen.size === 0)
      this.#context.report(`one member of ${name}`, value);
    for (const entry of new Set(this.#entries.values())) {
      if (this.#seen.has(entry.name) || entry.optional === true) continue;
      if (entry.zero !== undefined) this.#set(entry, structuredClone(entry.zero));
      else if (entry.type !== undefined) this.#missing(entry.name, entry.type.name, undefined);
    }
  }

  #missing(name: string, expected: string, given: unknown): void {
    this.#context.reportAt(name, expected, given);
  }
}

function writeFields(
  { key, name }: MappingFacts,
  entries: ReadonlyMap<string, Entry>,
  value: unknown,
): unknown {
  const result: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const entry of new Set(entries.values())) {
    const { path = [], type, resource, constant, oneof, absent } = entry;
    // Only write the union member whose constant is in the value.
    const found = isObject(value) ? value[key ?? ""] : undefined;
    if (constant !== undefined && found !== constant) continue;
    const given =
      resource === undefined ? valueAt(value, path) : resource.write(...idsOf(resource, value));
    const written = given === undefined ? absent : given;
    if (written === undefined) continue;
    // A value of the model may contain several members of a oneof, but a parser would only keep the
    // last.
    if (oneof !== undefined && seen.has(oneof)) throw tooMany(name, oneof);
    seen.add(oneof ?? "");
    result[entry.name] = type === undefined ? written : within(path, () => writeAs(type, written));
  }
  return result;
}

function idsOf(resource: ResourceName, value: unknown): (string | undefined)[] {
  return resource.paths.map((path) => {
    const id = valueAt(value, path);
    return typeof id === "string" ? id : undefined;
  });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (found, key) => (isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined),
    value,
  );
}

function tooMany(type: string, oneof: string): ValidationError {
  const expected = `only one member of ${oneof}`;
  const issue = {
    message: `/ expected ${expected}, got several`,
    path: [],
    pointer: "",
    expected,
    found: "several",
  };
  return new ValidationError(type, [issue]);
}

/**
 * Converts a value of the model to ProtoJSON. Throws a {@link ValidationError} if ProtoJSON cannot
 * represent it.
 */
export function toProtoJson<T>(type: Mapping<T>, value: T): unknown {
  return type.write(value);
}

/** Converts ProtoJSON to the model. Throws a {@link ValidationError} with all issues. */
export function fromProtoJson<T>(type: Mapping<T>, json: unknown): T {
  const result = check(type, json, "json");
  if (result.issues !== undefined) throw new ValidationError(type.name, result.issues);
  return result.value;
}
