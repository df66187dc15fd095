import { constantsOf } from "../protocol/model/constants.js";
import type {
  EnumDef,
  FieldDef,
  ListType,
  MessageDef,
  NumberType,
  ProtoFieldDef,
  RestDef,
  SchemaValueType,
  StringType,
  TypeDef,
  UnionDef,
  ValueType,
} from "../protocol/model/types.js";
import { jsonName, pascalCase } from "../../support/names.js";
import { keyPredicate, scalarTypes, wellKnownTypes } from "./runtime-names.js";

/** The modules of `runtime/schema/` that checks use. */
export type CheckModule = "message" | "predicates" | "shapes" | "types";

/** A check of values, as an expression that uses the modules of the runtime. */
export type Check =
  /** The schema of a type. */
  | { readonly kind: "schema"; readonly type: string }
  | { readonly kind: "member"; readonly module: CheckModule; readonly name: string }
  | {
      readonly kind: "call";
      readonly of: Extract<Check, { kind: "member" }>;
      readonly args: readonly Check[];
    }
  | { readonly kind: "list"; readonly items: readonly Check[] }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Check>> }
  | { readonly kind: "constant"; readonly value: string | number | boolean | null }
  /** A regular expression. `owner` is the path that it belongs to. */
  | { readonly kind: "pattern"; readonly source: string; readonly owner: string }
  /** The messages that an Any may contain. */
  | { readonly kind: "any" };

/** The schema of a type: a call to `of` with the name of the type, `args`, and a table. */
export interface SchemaDefinition {
  readonly of: Extract<Check, { kind: "member" }>;
  readonly args: readonly Check[];
  readonly table: Readonly<Record<string, Check>>;
  /**
   * Whether the table is the result of a function. This is required if the table refers to other
   * schemas.
   */
  readonly lazy: boolean;
}

/** Returns the schema that checks values of a type. `types` contains all types by name. */
export function schemaOf(type: TypeDef, types: ReadonlyMap<string, TypeDef>): SchemaDefinition {
  switch (type.kind) {
    case "enum":
      return enumSchema(type);
    case "message":
      if (type.rest !== undefined) return lazy(shape("object"), objectTable(type, type.rest));
      return lazy(member("message", "message"), fieldsOf(type));
    case "union":
      return unionSchema(type, types);
    case "alias":
      return lazy(shape("alias"), { type: checkOf(type.type, type.name) });
  }
}

/** Returns the check of a field's value. */
export function fieldCheck(message: MessageDef, field: FieldDef): Check {
  return checkOf(checkedType(field), message.name + pascalCase(field.name));
}

/** Returns the type that the value of a field is checked against. */
export function checkedType({ type, nonEmpty }: Pick<FieldDef, "type" | "nonEmpty">): ValueType {
  if (!nonEmpty || type.kind !== "list") return type;
  return { ...type, minItems: Math.max(type.minItems ?? 1, 1) };
}

function enumSchema({ values }: EnumDef): SchemaDefinition {
  const isPlain = values.every(
    ({ number, aliases = [] }) => number !== undefined && aliases.length === 0,
  );
  const entries = values.map(({ name, number, aliases = [] }): [string, Check] => {
    if (isPlain) return [name, constant(number ?? 0)];
    const spellings = [...(number === undefined ? [] : [number]), ...aliases].map(constant);
    return [name, { kind: "list", items: spellings }];
  });
  const of = isPlain ? member("message", "enumeration") : shape("spelledEnumeration");
  return { of, args: [], table: Object.fromEntries(entries), lazy: false };
}

function unionSchema(type: UnionDef, types: ReadonlyMap<string, TypeDef>): SchemaDefinition {
  const { name, members, exclusive, discriminator } = type;
  if (discriminator === undefined)
    return lazy(shape("alias"), {
      type: checkOf({ kind: exclusive ? "oneOf" : "anyOf", members }, name),
    });
  const table = [...constantsOf(members, discriminator, types)].map(
    ([key, of]) => [key, schema(of)] as const,
  );
  return lazy(shape("union"), Object.fromEntries(table), constant(discriminator));
}

function objectTable(
  type: MessageDef,
  { patterns, others, names, minProperties, maxProperties }: RestDef,
): Readonly<Record<string, Check>> {
  const owner = `${type.name}Member`;
  const rules = patterns.map(({ pattern, type: value }): Check => {
    return {
      kind: "list",
      items: [{ kind: "pattern", source: pattern, owner }, checkOf(value, owner)],
    };
  });
  return {
    fields: { kind: "object", members: fieldsOf(type) },
    ...(rules.length > 0 && { patterns: { kind: "list", items: rules } }),
    ...(others !== undefined && { others: checkOf(others, owner) }),
    ...(names !== undefined && { names: checkOf(names, `${type.name}Key`) }),
    ...constantsIn({ minProperties, maxProperties }),
  };
}

function fieldsOf(type: MessageDef): Readonly<Record<string, Check>> {
  return Object.fromEntries(type.fields.map((field) => [field.name, entryOf(type, field)]));
}

/** Returns the entry of a field in the schema of its message. */
function entryOf(message: MessageDef, field: FieldDef): Check {
  const checked = presenceCheck(message, field);
  const entry =
    field.alias === undefined
      ? checked
      : call(member("message", "also"), constant(field.alias), checked);
  if (field.proto === undefined || followsFromJson(field.name, field.proto)) return entry;
  return call(member("message", "named"), constant(field.proto.name), entry);
}

function presenceCheck(message: MessageDef, field: FieldDef): Check {
  const check = fieldCheck(message, field);
  const oneof = message.oneofs.find(({ name }) => name === field.oneof);
  if (oneof === undefined) {
    const presence = field.maybeEmpty === true ? "maybeEmpty" : field.presence;
    return call(member("message", presence), check);
  }
  // The name of a oneof is only necessary to tell it from other oneofs of the message.
  const names = message.oneofs.length > 1 ? [constant(oneof.name)] : [];
  const rule = oneof.required ? "exactlyOne" : "atMostOne";
  return call(member("message", rule), check, ...names);
}

/** Returns whether the runtime can derive the proto name from the JSON name. */
function followsFromJson(name: string, proto: ProtoFieldDef): boolean {
  const derived = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return derived === proto.name && jsonName(proto.name) === name;
}

/** Returns the check of a value. `owner` is the path that the value belongs to. */
export function checkOf(type: ValueType, owner: string): Check {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return plain(scalarTypes[type.scalar]);
    case "wellKnown":
      return type.wellKnown === "Any" ? { kind: "any" } : plain(wellKnownTypes[type.wellKnown]);
    case "message":
    case "enum":
    case "union":
    case "alias":
      return schema(type.name);
    case "list":
      return listCheck(type, owner);
    case "map":
      return mapCheck(type, owner);
    default:
      return jsonCheck(type, owner);
  }
}

function mapCheck(
  { key, value }: Extract<ValueType, { readonly kind: "map" }>,
  owner: string,
): Check {
  if (value.kind === "any" && key === "string") return plain("struct");
  const keys = key === "string" ? [] : [member("predicates", keyPredicate(key))];
  return call(plain("map"), checkOf(value, owner), ...keys);
}

function listCheck({ element, minItems, maxItems, unique }: ListType, owner: string): Check {
  const type = checkOf(element, owner);
  const limits = constantsIn({ minItems, maxItems, unique });
  const count = Object.keys(limits).length;
  if (count === 0) return call(plain("list"), type);
  if (minItems === 1 && count === 1)
    return call(plain("list"), type, object({ nonEmpty: constant(true) }));
  return call(shape("limitedList"), type, object(limits));
}

function jsonCheck(type: SchemaValueType, owner: string): Check {
  switch (type.kind) {
    case "any":
      return plain("value");
    case "boolean":
      return plain("boolean");
    case "never":
      return shape("never");
    case "null":
      return shape("nil");
    case "string":
      return stringCheck(type, owner);
    case "number":
      return numberCheck(type);
    case "literal":
      return call(shape("literal"), ...type.values.map(constant));
    case "anyOf":
    case "oneOf":
    case "allOf":
      return call(
        shape(type.kind),
        ...type.members.map((alternative) => checkOf(alternative, owner)),
      );
    case "not":
      return call(shape("not"), checkOf(type.type, owner));
    case "if": {
      const parts = [type.test, type.then, type.otherwise];
      return call(shape("when"), ...parts.map((part) => checkOf(part, owner)));
    }
  }
}

function stringCheck({ minLength, maxLength, pattern }: StringType, owner: string): Check {
  const limits: Readonly<Record<string, Check>> = {
    ...constantsIn({ minLength, maxLength }),
    ...(pattern !== undefined && { pattern: { kind: "pattern", source: pattern, owner } }),
  };
  return isEmpty(limits) ? plain("string") : call(shape("text"), object(limits));
}

function numberCheck({ kind, integer, ...rest }: NumberType): Check {
  const limits = constantsIn(rest);
  const check = shape(integer ? "integer" : kind);
  return isEmpty(limits) ? call(check) : call(check, object(limits));
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** Returns the options that are set. */
function constantsIn(
  options: Readonly<Record<string, number | boolean | undefined>>,
): Readonly<Record<string, Check>> {
  const given = Object.entries(options).flatMap(([key, value]) =>
    value === undefined || value === false ? [] : [[key, constant(value)] as const],
  );
  return Object.fromEntries(given);
}

function lazy(
  of: SchemaDefinition["of"],
  table: SchemaDefinition["table"],
  ...args: SchemaDefinition["args"]
): SchemaDefinition {
  return { of, args, table, lazy: true };
}

function member(module: CheckModule, name: string): SchemaDefinition["of"] {
  return { kind: "member", module, name };
}

function plain(name: string): SchemaDefinition["of"] {
  return member("types", name);
}

function shape(name: string): SchemaDefinition["of"] {
  return member("shapes", name);
}

function call(of: SchemaDefinition["of"], ...args: readonly Check[]): Check {
  return { kind: "call", of, args };
}

function schema(type: string): Check {
  return { kind: "schema", type };
}

function object(members: Readonly<Record<string, Check>>): Check {
  return { kind: "object", members };
}

function constant(value: string | number | boolean | null): Check {
  return { kind: "constant", value };
}
