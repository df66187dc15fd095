import type { FieldDef, MessageDef, ValueType, WireMapping } from "../model/types.js";
import { keyOf, locationOf, namesIn, type Context } from "./context.js";
import { nameOf } from "./fits.js";
import { onlyProtobuf } from "./losses.js";
import { pathsIn } from "./paths.js";

const unmapped: WireMapping = { kind: "unmapped" };

/** Determines which part of the model a field represents. */
export function mappingOf(
  message: MessageDef,
  field: FieldDef,
  model: ValueType,
  context: Context,
): WireMapping {
  const { hints, shapes, losses } = context;
  const key = keyOf(message, field);
  const patterns = hints.resource(key);
  if (patterns !== undefined) return resourceMapping(key, patterns, model, context);
  if (hints.isOnlyProtobuf(key)) {
    losses.add(onlyProtobuf(message.name, field.name));
    return unmapped;
  }
  const hint = hints.path(key);
  const path = hint ?? ownPath(message, field, model, context);
  const found = path && shapes.at(model, path);
  if (path !== undefined && found !== undefined) return { kind: "path", path, ...found };
  return hint === undefined
    ? unknownMapping(message, field, model, context)
    : wrongHint(key, hint, model, context);
}

/**
 * Returns the path for a field without a hint: the property with the field's name, or the whole
 * type if the type is a list or map and this is the only field that can represent it.
 */
function ownPath(
  { fields }: MessageDef,
  field: FieldDef,
  model: ValueType,
  { shapes }: Context,
): readonly string[] | undefined {
  if (shapes.properties(model)?.has(field.name) === true) return [field.name];
  const { kind } = shapes.resolve(model);
  if ((kind !== "list" && kind !== "map") || field.type.kind !== kind) return undefined;
  return fields.filter(({ type }) => type.kind === kind).length === 1 ? [] : undefined;
}

function wrongHint(
  key: string,
  path: readonly string[],
  model: ValueType,
  { hints, diagnostics }: Context,
): WireMapping {
  const message = `${key} is mapped to "${path.join(".")}", which ${nameOf(model)} does not have`;
  diagnostics.add(hints.locationOf("fields", key), message, "Correct it under correlate.fields");
  return unmapped;
}

function resourceMapping(
  key: string,
  patterns: readonly string[],
  model: ValueType,
  { hints, shapes, diagnostics }: Context,
): WireMapping {
  const paths = patterns.flatMap(pathsIn);
  for (const path of paths.filter((candidate) => shapes.at(model, candidate) === undefined)) {
    const message =
      `the resource name of ${key} contains "${path.join(".")}", which ${nameOf(model)} does ` +
      "not have";
    const location = hints.locationOf("resources", key);
    diagnostics.add(location, message, "Correct it under correlate.resources");
  }
  return { kind: "resource", patterns };
}

/** Reports a member of a oneof that could represent several alternatives. */
export function ambiguousMapping(
  message: MessageDef,
  field: FieldDef,
  names: readonly string[],
  context: Context,
): WireMapping {
  for (const name of [...names, ...namesIn(field.type)]) context.doubtful.add(name);
  context.diagnostics.add(
    locationOf(message, field, context),
    `the field ${keyOf(message, field)} could correspond to ${names.join(" or ")}`,
    "Specify which under correlate.members",
  );
  return unmapped;
}

/** Reports a field that represents no part of the model. */
export function unknownMapping(
  message: MessageDef,
  field: FieldDef,
  model: ValueType,
  context: Context,
): WireMapping {
  context.diagnostics.add(
    locationOf(message, field, context),
    `the field ${keyOf(message, field)} has no counterpart in ${nameOf(model)}`,
    "Specify its property under correlate.fields, or list it under correlate.onlyProtobuf",
  );
  for (const name of namesIn(field.type)) context.doubtful.add(name);
  return unmapped;
}
