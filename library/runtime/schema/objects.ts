import { either, firstOf, never, withNullable } from "./choices.js";
import { isCounted, isInt32, ownMember } from "./constraints.js";
import { isObject } from "../base/json.js";
import { checkFields, compile, snakeCase, type Field, type Table } from "./message.js";
import {
  check,
  schema,
  type Forgiver,
  type ValidationContext,
  type Schema,
  type Type,
} from "./schema.js";
import { numberOf, value as json } from "./types.js";

/** The members that a JSON Schema defines for an object. */
export interface ObjectShape {
  /** The fields, by their JSON names. */
  readonly fields: { readonly [name: string]: Field };
  /** Types of the members, including fields, whose names match a pattern. */
  readonly patterns?: readonly (readonly [RegExp, Type<unknown>])[];
  /**
   * Type of additional members, which are neither fields nor match a pattern. By default,
   * additional members are ignored.
   */
  readonly others?: Type<unknown>;
  /** Type that the names of all members must have. */
  readonly names?: Type<unknown>;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/**
 * Creates the schema of an object that has constraints in addition to its fields. `shape` is called
 * at the first use.
 */
export function object<T>(name: string, shape: () => ObjectShape): Schema<T> {
  let known: { readonly shape: ObjectShape; readonly table: Table } | undefined;
  const compiled = () => {
    if (known !== undefined) return known;
    const given = shape();
    return (known = { shape: given, table: compile(Object.entries(given.fields)) });
  };
  return schema<T>({
    name,
    check(value, context) {
      if (!isObject(value)) {
        context.report(name, value);
        return undefined;
      }
      if (context.tooDeep(value)) return undefined;
      const { table, shape: rules } = compiled();
      const before = context.issues.length;
      const fields = checkFields(table, value, context);
      const others = checkOthers(table, rules, value, context);
      if (rules.patterns !== undefined)
        checkPatterns(rules, context.lenient ? fields : pick(value, table), context);
      // Only an object without other members is canonical.
      const result =
        fields === value ? value : Object.fromEntries([...Object.entries(fields), ...others]);
      // Only report issues of the whole object if all members are valid, because invalid members
      // could cause such issues.
      if (context.issues.length === before) checkWhole(rules, result, context);
      return result as T;
    },
    field: (key) => compiled().table.entries.get(key)?.type,
  });
}

/**
 * Checks the members that are not fields. Returns those members for which the shape defines a type.
 */
function checkOthers(
  table: Table,
  shape: ObjectShape,
  value: Record<string, unknown>,
  context: ValidationContext,
): [string, unknown][] {
  const kept: [string, unknown][] = [];
  const additional = additionalType(shape, context);
  for (const key of Object.keys(value)) {
    const given = value[key];
    const field = table.entries.get(key);
    // Only lenient checks read fields by their proto names.
    const isField = field !== undefined && (context.lenient || field.name === key);
    if (given === undefined || isField) continue;
    const [first = additional, ...further] = patternsOf(shape, key);
    if (first === undefined) continue;
    const checked = context.at(key, first, given);
    for (const type of further) context.at(key, type, checked);
    if (checked !== undefined) kept.push([key, checked]);
  }
  return kept;
}

/** Returns the type of members that match no pattern; `undefined` if they are ignored. */
function additionalType(
  { others, minProperties }: ObjectShape,
  { lenient }: ValidationContext,
): Type<unknown> | undefined {
  if (!lenient) return others;
  // The canonical form omits forbidden members.
  if (others === never) return undefined;
  // If a minimum number of members is required, unknown members must be kept, because they count.
  return others ?? (minProperties === undefined ? undefined : json);
}

/** Checks each field against the types of the patterns that match its name. */
function checkPatterns(
  shape: ObjectShape,
  fields: Readonly<Record<string, unknown>>,
  context: ValidationContext,
): void {
  for (const [key, item] of Object.entries(fields))
    for (const type of patternsOf(shape, key)) context.at(key, type, item);
}

/** Returns the members of an object that are fields. */
function pick(
  value: Readonly<Record<string, unknown>>,
  { entries }: Table,
): Record<string, unknown> {
  const isField = ([key, member]: [string, unknown]): boolean =>
    entries.get(key)?.name === key && member !== undefined;
  return Object.fromEntries(Object.entries(value).filter(isField));
}

function patternsOf({ patterns = [] }: ObjectShape, key: string): Type<unknown>[] {
  return patterns.filter(([pattern]) => pattern.test(key)).map(([, type]) => type);
}

/** Checks the names and the number of members. */
function checkWhole(
  shape: ObjectShape,
  value: Readonly<Record<string, unknown>>,
  context: ValidationContext,
): void {
  const { names, minProperties = 0, maxProperties = Infinity } = shape;
  if (names !== undefined)
    for (const key of Object.keys(value)) {
      const isValid = value[key] === undefined || check(names, key, "strict").issues === undefined;
      if (!isValid) context.report(`names of members that are ${names.name}`, key);
    }
  if (isCounted(value, minProperties, maxProperties)) return;
  const most = maxProperties === Infinity ? [] : [`at most ${String(maxProperties)}`];
  const least = minProperties === 0 ? [] : [`at least ${String(minProperties)}`];
  context.report(`an object with ${[...least, ...most].join(" and ")} members`, value);
}

/** Creates the schema of a union of messages, discriminated by the constant in the field `key`. */
export function union<T>(
  name: string,
  key: string,
  members: () => { readonly [constant: string]: Type<unknown> },
): Schema<T> {
  let table: ReadonlyMap<unknown, Type<unknown>> | undefined;
  const known = () => (table ??= new Map(Object.entries(members())));
  const memberWithoutConstant = (
    value: Readonly<Record<string, unknown>>,
    { fitting }: Forgiver,
  ): Type<unknown> | undefined => {
    const hasOtherSpelling = snakeCase(key) !== key && Object.hasOwn(value, snakeCase(key));
    if (hasOtherSpelling) return undefined;
    const alternatives = [...known()].map(([constant, type]) => ({
      constant,
      type,
      has: fieldOf(type),
    }));
    return fitting(alternatives, value, key)?.type;
  };
  return schema<T>({
    name,
    check(value, context) {
      if (!isObject(value)) {
        context.report(name, value);
        return undefined;
      }
      const { forgiver, lenient } = context;
      const isProtoName = lenient && !Object.hasOwn(value, key);
      const constant = ownMember(value, isProtoName ? snakeCase(key) : key);
      const member = known().get(constant) ?? (forgiver && memberWithoutConstant(value, forgiver));
      if (member !== undefined) return member.check(value, context) as T | undefined;
      const expected = either([...known().keys()].map((text) => JSON.stringify(text)));
      const isLeft = typeof constant === "string" && context.mayKeep(value);
      context.reportAt(key, expected, constant, isLeft);
      return isLeft ? (value as T) : undefined;
    },
    field: (field) => firstOf([...known().values()], (member) => member.field?.(field)),
  });
}

/** Returns a function that returns whether the objects of a type may have a member. */
function fieldOf(type: Type<unknown>): (key: string) => boolean {
  return (key) => type.field?.(key) !== undefined;
}

/** Creates the schema of an alias. `target` is called at the first use. */
export function alias<T>(name: string, target: () => { readonly type: Type<unknown> }): Schema<T> {
  let type: Type<unknown> | undefined;
  const known = () => (type ??= target().type);
  const named = schema<T>({
    name,
    check: (value, context) => known().check(value, context) as T | undefined,
    field: (key) => known().field?.(key),
  });
  const listed = Object.defineProperty(named, "element", { get: () => known().element });
  return withNullable(listed, () => known().nullable === true);
}

/**
 * Creates the schema of an enum. Each value lists the alternative spellings and numbers that
 * lenient checks accept. If the values have numbers, the mode `open` also accepts unknown numbers.
 */
export function spelledEnumeration<T extends string>(
  name: string,
  values: { readonly [K in T]: readonly (string | number)[] },
): Schema<T> {
  const isValue = (value: unknown): value is T =>
    typeof value === "string" && Object.hasOwn(values, value);
  const all = Object.keys(values).filter(isValue);
  const expected = `${name} (${all.join(", ")})`;
  const hasNumbers = all.some((value) =>
    values[value].some((spelling) => typeof spelling === "number"),
  );
  return schema<T>({
    name,
    check(value, context) {
      if (isValue(value)) return value;
      const given = context.text ? [value, numberOf(value)] : [value];
      const isMeant = (candidate: T): boolean =>
        values[candidate].some((spelling) => given.includes(spelling));
      const found = context.lenient ? all.find(isMeant) : undefined;
      if (found !== undefined) return found;
      const isUnknownNumber = hasNumbers && isInt32(value);
      if (isUnknownNumber && context.mode === "open") return value as unknown as T;
      const isLeft = context.tolerant && typeof value === "string";
      context.report(expected, value, isLeft);
      return isLeft ? (value as T) : undefined;
    },
    isDefault: (value) => isValue(value) && values[value].includes(0),
  });
}
