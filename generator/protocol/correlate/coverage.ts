import type { MessageDef, ValueType } from "../model/types.js";
import type { Context } from "./context.js";
import { nameOf } from "./fits.js";
import { onlyJson } from "./losses.js";
import type { Property } from "./shape.js";

type Path = readonly string[];

/**
 * Reports each property of a type that no field represents. If the manifest lists the property,
 * adds a loss instead.
 */
export function reportProperties(
  model: ValueType,
  covered: readonly Path[],
  context: Context,
): void {
  for (const type of context.shapes.alternatives(model)) {
    const owner = context.shapes.message(type);
    if (owner !== undefined) reportIn(owner, { type, path: [] }, covered, context);
  }
}

function reportIn(
  owner: MessageDef,
  object: { readonly type: ValueType; readonly path: Path },
  covered: readonly Path[],
  context: Context,
): void {
  const { shapes } = context;
  const properties = shapes.properties(object.type) ?? new Map<string, Property>();
  for (const [name, { type }] of properties) {
    const path = [...object.path, name];
    const within = covered.filter((field) => path.every((key, index) => field[index] === key));
    if (within.some((field) => field.length === path.length)) continue;
    // Fields that represent a part of an object must together represent all of the object.
    if (within.length > 0) reportIn(owner, { type, path }, covered, context);
    else if (shapes.constant(type) === undefined) reportProperty(owner, path, context);
  }
}

function reportProperty({ name, fullName }: MessageDef, path: Path, context: Context): void {
  const { hints, losses, schema } = context;
  const shown = path.join(".");
  if (hints.isOnlyJson(`${fullName}.${shown}`)) return losses.add(onlyJson(name, shown));
  const location = schema.locationOf(fullName, ...path.slice(0, 1)) ?? schema.locationOf(fullName);
  report(`${fullName}.${shown}`, location, context);
}

/**
 * Reports an alternative of a union that no field represents. If the manifest lists the
 * alternative, adds a loss instead.
 */
export function reportAlternative(model: ValueType, type: ValueType, context: Context): void {
  const { shapes, hints, losses, schema, doubtful } = context;
  const fullName = shapes.message(type)?.fullName ?? nameOf(type);
  if (doubtful.has(fullName)) return;
  if (hints.isOnlyJson(fullName)) losses.add(onlyJson(nameOf(model), fullName));
  else report(fullName, schema.locationOf(fullName), context);
}

function report(
  name: string,
  location: ReturnType<Context["schema"]["locationOf"]>,
  { diagnostics }: Context,
): void {
  const hint = `Map a field to it under correlate.fields, or list ${name} under correlate.onlyJson`;
  diagnostics.add(location, `${name} has no counterpart in the proto`, hint);
}
