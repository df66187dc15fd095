import type { FieldDef, RestDef, ValueType } from "../../protocol/model/types.js";
import { pascalCase } from "../../../support/names.js";
import { docsOf, type Builder, type Context } from "./builder.js";
import { isSame } from "./intersect.js";
import { memberOf, membersOf, textsOf, type JsonNode } from "./json.js";
import { allTypes } from "./json-types.js";
import { hasKey } from "./keywords.js";
import { both, limits } from "./values.js";

/**
 * Returns the fields of a schema that combines definitions and properties, in the order of the
 * source.
 */
export function mergedFields(builder: Builder, node: JsonNode, context: Context): FieldDef[] {
  const fields = new Map<string, FieldDef>();
  for (const part of builder.planner.partsOf(node) ?? []) {
    const isInline = "node" in part;
    const added = isInline
      ? ownFields(builder, part.node, context)
      : builder.message(part.definition).fields;
    for (const field of added) {
      const earlier = fields.get(field.name);
      const at =
        (isInline
          ? builder.document.property(part.node, field.name, [])?.entry.value
          : undefined) ?? node;
      fields.set(
        field.name,
        earlier ? mergeFields(builder, earlier, field, { node: at, path: context.path }) : field,
      );
    }
  }
  return [...fields.values()];
}

function mergeFields(
  builder: Builder,
  left: FieldDef,
  right: FieldDef,
  at: { readonly node: JsonNode; readonly path: readonly string[] },
): FieldDef {
  const parts = [left.type, right.type].flatMap((type) =>
    type.kind === "allOf" ? type.members : [type],
  );
  const unlike = parts.filter(
    (type, index) => parts.findIndex((other) => isSame(type, other)) === index,
  );
  const common = both(builder, left.type, right.type, { ...at, path: [...at.path, left.name] });
  return {
    ...left,
    docs: right.docs === "" ? left.docs : right.docs,
    deprecated: left.deprecated || right.deprecated,
    type: common ?? { kind: "allOf", members: unlike },
    presence: left.presence === "required" ? left.presence : right.presence,
  };
}

/**
 * Returns the fields that a schema declares as properties, and the fields that it only lists as
 * required.
 */
export function ownFields(builder: Builder, node: JsonNode, context: Context): FieldDef[] {
  const required = textsOf(memberOf(node, "required"));
  const properties = membersOf(memberOf(node, "properties"));
  const fields = properties.map(([name, { value }]): FieldDef => {
    const type = builder.value(value, memberContext(context, name, pascalCase(name)));
    return {
      name,
      ...docsOf(value),
      type,
      presence: required.includes(name) ? "required" : "optional",
      nonEmpty: false,
    };
  });
  const missing = required.filter((name) => !properties.some(([other]) => other === name));
  const others = missing.map((name): FieldDef => {
    const type = undeclaredType(builder, node, context, name);
    return { name, docs: "", deprecated: false, type, presence: "required", nonEmpty: false };
  });
  return [...fields, ...others];
}

/** Returns the constraints on additional members; `undefined` if they are unconstrained. */
export function restOf(builder: Builder, node: JsonNode, context: Context): RestDef | undefined {
  const keys = [
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
  ];
  if (!keys.some((key) => hasKey(node, key))) return undefined;
  const patterns = membersOf(memberOf(node, "patternProperties")).map(([pattern, { value }]) => {
    const inner = memberContext(context, "patternProperties", "Value");
    return { pattern, type: builder.value(value, { ...inner, path: [...inner.path, pattern] }) };
  });
  const others = othersOf(builder, node, context);
  const names = memberOf(node, "propertyNames");
  const nameContext = {
    ...memberContext(context, "propertyNames", "Name"),
    types: new Set(["string"] as const),
  };
  return {
    patterns,
    ...(others && { others }),
    ...(names && { names: builder.value(names, nameContext) }),
    ...limits(node, ["minProperties", "maxProperties"]),
  };
}

/**
 * Returns the type of a member that is not declared as a property. As for every member, patterns
 * that match its name are checked separately.
 */
function undeclaredType(
  builder: Builder,
  node: JsonNode,
  context: Context,
  name: string,
): ValueType {
  const patterns = membersOf(memberOf(node, "patternProperties")).map(
    ([pattern]) => new RegExp(pattern, "u"),
  );
  const matches = patterns.some((pattern) => pattern.test(name));
  return (matches ? undefined : othersOf(builder, node, context)) ?? { kind: "any" };
}

function othersOf(builder: Builder, node: JsonNode, context: Context): ValueType | undefined {
  const others = memberOf(node, "additionalProperties");
  return others && builder.value(others, memberContext(context, "additionalProperties", "Value"));
}

function memberContext({ path, name }: Context, key: string, suffix: string): Context {
  return { path: [...path, key], name: name + suffix, types: allTypes };
}
