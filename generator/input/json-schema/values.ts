import type { ListType, NumberType, StringType, ValueType } from "../../protocol/model/types.js";
import type { Builder, Context } from "./builder.js";
import { allows, describe, intersect, isVoid } from "./intersect.js";
import {
  itemsOf,
  memberOf,
  numberOf,
  scalarOf,
  textOf,
  type JsonNode,
  type JsonScalar,
} from "./json.js";
import {
  allTypes,
  commonTypes,
  constantsOf,
  declaredTypes,
  holds,
  isWithin,
  type JsonType,
  typeOfScalar,
} from "./json-types.js";
import { constraintsOf, hasKey, keywordsOfType } from "./keywords.js";
import { memberNames } from "./names.js";
import { isMap } from "./plan.js";

/**
 * Builds the type of a schema. Types without a TypeScript name are inlined. `objectContext`
 * provides a name for the part of the schema that describes objects, if this part needs a name.
 */
export function inlineValue(
  builder: Builder,
  node: JsonNode,
  context: Context,
  objectContext = context,
): ValueType {
  const flag = scalarOf(node);
  if (typeof flag === "boolean") return { kind: flag ? "any" : "never" };
  const types = innerTypes(builder, node, context);
  const inner = { ...context, types };
  const own = constantsOf(node)
    ? literal(builder, node, context)
    : base(builder, node, inner, objectContext);
  const target = builder.document.targetOf(node);
  const parts = [
    ...(own ? [own] : []),
    ...(target ? [builder.reference(target)] : []),
    ...itemValues(builder, node, "allOf", inner),
    ...alternatives(builder, node, "anyOf", inner),
    ...alternatives(builder, node, "oneOf", inner),
    ...conditions(builder, node, inner),
  ];
  return combine(builder, parts, node, context);
}

/** Returns the types of the members of an `anyOf`, `oneOf` or `allOf`. */
export function itemValues(
  builder: Builder,
  node: JsonNode,
  key: string,
  context: Context,
): ValueType[] {
  const members = itemsOf(memberOf(node, key));
  const names = memberNames(members, context.name);
  return members.map((member, index) => {
    const path = [...context.path, key, String(index)];
    return builder.value(member, { ...context, path, name: names[index] ?? context.name });
  });
}

/**
 * Returns the types that both the schema and its context allow. If no type is allowed by both,
 * returns the types that the schema allows, or all types if the schema itself allows none.
 */
export function innerTypes(builder: Builder, node: JsonNode, context: Context): Context["types"] {
  const types = builder.finder.typesOf(node);
  const common = commonTypes(types, context.types);
  return common.size > 0 ? common : types.size > 0 ? types : allTypes;
}

/** Intersects two types. Reports an error if no value matches both types. */
export function both(
  builder: Builder,
  left: ValueType,
  right: ValueType,
  at: { readonly node: JsonNode; readonly path: readonly string[] },
): ValueType | undefined {
  const common = intersect(left, right, builder.facts);
  if (common !== "nothing") return common;
  const message =
    `"${at.path.join(".")}" must be both ${describe(left)} and ${describe(right)}, so no value ` +
    "is valid";
  builder.diagnostics.add(at.node.location, message, "Correct one of the two");
  return left;
}

function combine(
  builder: Builder,
  parts: readonly ValueType[],
  node: JsonNode,
  { path }: Context,
): ValueType {
  const merged: ValueType[] = [];
  for (const part of parts.flatMap((type) => (type.kind === "allOf" ? type.members : [type]))) {
    const index = merged.findIndex((type) => intersect(type, part, builder.facts) !== undefined);
    const earlier = merged[index];
    if (earlier === undefined) merged.push(part);
    else merged[index] = both(builder, earlier, part, { node, path }) ?? earlier;
  }
  const [first = { kind: "any" }, ...others] = merged;
  return others.length === 0 ? first : { kind: "allOf", members: merged };
}

/** Returns the constants of a schema that satisfy its other scalar keywords. */
function literal(builder: Builder, node: JsonNode, { path }: Context): ValueType {
  const values = constantsOf(node) ?? [];
  const declared = declaredTypes(node) ?? allTypes;
  const fits = (value: JsonScalar): boolean => {
    if (!holds(declared, typeOfScalar(value))) return false;
    return typeof value === "string"
      ? allows(stringType(node), value)
      : typeof value !== "number" || allows(numberType(node, false), value);
  };
  const fitting = values.filter(fits);
  if (fitting.length > 0) return { kind: "literal", values: fitting };
  const name = path.join(".");
  const message =
    values.length === 0
      ? `the constant of "${name}" is not in its "enum"`
      : `the constants of "${name}" (${values.map((value) => JSON.stringify(value)).join(", ")}) ` +
        "violate its other keywords";
  builder.diagnostics.add(node.location, message, "Correct one of the two");
  return { kind: "any" };
}

/**
 * Returns the type that `type` and its keywords describe; `undefined` if they add no constraint.
 */
function base(
  builder: Builder,
  node: JsonNode,
  context: Context,
  objectContext: Context,
): ValueType | undefined {
  const declared = declaredTypes(node);
  const common = commonTypes(declared ?? allTypes, context.types);
  const types = [...(common.size > 0 ? common : (declared ?? allTypes))];
  const hasLimits = types.some((type) => keywordsOfType[type]?.some((key) => hasKey(node, key)));
  if (
    !hasLimits &&
    (declared === undefined || isWithin(builder.finder.typesOfOthers(node), declared))
  )
    return undefined;
  const members = types.map((type) => typeValue(builder, type, node, context, objectContext));
  const [first, ...others] = members;
  return first !== undefined && others.length === 0 ? first : { kind: "anyOf", members };
}

function typeValue(
  builder: Builder,
  type: JsonType,
  node: JsonNode,
  context: Context,
  objectContext: Context,
): ValueType {
  switch (type) {
    case "object":
      return objectValue(builder, node, context, objectContext);
    case "array":
      return checked(builder, node, context, listType(builder, node, context));
    case "string":
      return checked(builder, node, context, stringType(node));
    case "number":
    case "integer":
      return checked(builder, node, context, numberType(node, type === "integer"));
    case "boolean":
    case "null":
      return { kind: type };
  }
}

function checked(builder: Builder, node: JsonNode, { path }: Context, type: ValueType): ValueType {
  if (isVoid(type)) {
    const message =
      `the limits of "${path.join(".")}" allow no value: the minimum is above ` + "the maximum";
    builder.diagnostics.add(node.location, message, "Correct one of the two");
  }
  return type;
}

function objectValue(
  builder: Builder,
  node: JsonNode,
  context: Context,
  objectContext: Context,
): ValueType {
  if (!isMap(node)) return builder.object(node, objectContext);
  const others = memberOf(node, "additionalProperties");
  const path = [...context.path, "additionalProperties"];
  const value =
    others && builder.value(others, { path, name: `${context.name}Value`, types: allTypes });
  return { kind: "map", key: "string", value: value ?? { kind: "any" } };
}

function listType(builder: Builder, node: JsonNode, context: Context): ListType {
  const items = memberOf(node, "items");
  const inner = { path: [...context.path, "items"], name: `${context.name}Item`, types: allTypes };
  return {
    kind: "list",
    element: items ? builder.value(items, inner) : { kind: "any" },
    ...limits(node, ["minItems", "maxItems"]),
    ...(scalarOf(memberOf(node, "uniqueItems")) === true && { unique: true }),
  };
}

function stringType(node: JsonNode): StringType {
  const pattern = textOf(node, "pattern");
  return {
    kind: "string",
    ...limits(node, ["minLength", "maxLength"]),
    ...(pattern !== undefined && { pattern }),
  };
}

function numberType(node: JsonNode, integer: boolean): NumberType {
  const keys = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
  ] as const;
  return { kind: "number", integer, ...limits(node, keys) };
}

/** Returns the numbers in the given keywords of a schema. */
export function limits<K extends string>(
  node: JsonNode,
  keys: readonly K[],
): { [key in K]?: number } {
  const found: { [key in K]?: number } = {};
  for (const key of keys) {
    const value = numberOf(node, key);
    if (value !== undefined) found[key] = value;
  }
  return found;
}

function alternatives(
  builder: Builder,
  node: JsonNode,
  key: "anyOf" | "oneOf",
  context: Context,
): ValueType[] {
  if (!hasKey(node, key)) return [];
  const members = itemValues(builder, node, key, context);
  const [first, ...others] = members;
  if (first !== undefined && others.length === 0) return [first];
  const constants = members.flatMap((member) => (member.kind === "literal" ? member.values : []));
  const areConstant = members.every(({ kind }) => kind === "literal");
  if (areConstant && new Set(constants).size === constants.length)
    return [{ kind: "literal", values: constants }];
  return [key === "oneOf" ? { kind: key, members } : anyOf(members)];
}

function anyOf(members: readonly ValueType[]): ValueType {
  const flat = members.flatMap((member) => (member.kind === "anyOf" ? member.members : [member]));
  if (flat.some(({ kind }) => kind === "any")) return { kind: "any" };
  const useful = flat.filter(({ kind }) => kind !== "never");
  const distinct = [...new Map(useful.map((member) => [JSON.stringify(member), member])).values()];
  const [first = { kind: "never" }, ...others] = distinct;
  return others.length === 0 ? first : { kind: "anyOf", members: distinct };
}

function conditions(builder: Builder, node: JsonNode, context: Context): ValueType[] {
  const keys = constraintsOf(node);
  const inner = (key: string, name: string, types = context.types): ValueType => {
    const schema = memberOf(node, key);
    const path = [...context.path, key];
    return schema
      ? builder.value(schema, { types, path, name: context.name + name })
      : { kind: "any" };
  };
  // A list contains a value if not all of its elements are other values.
  const contains = keys.includes("contains") && numberOf(node, "minContains") !== 0;
  const others = { kind: "not", type: inner("contains", "Contained", allTypes) } as const;
  return [
    ...(contains ? [{ kind: "not", type: { kind: "list", element: others } } as const] : []),
    ...(keys.includes("not") ? [{ kind: "not", type: inner("not", "Not") } as const] : []),
    ...(keys.includes("if")
      ? [
          {
            kind: "if",
            test: inner("if", "If"),
            then: inner("then", "Then"),
            otherwise: inner("else", "Else"),
          } as const,
        ]
      : []),
  ];
}
