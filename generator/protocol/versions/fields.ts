import type { Property, Shapes } from "../correlate/shape.js";
import type { ValueType, WireFieldDef } from "../model/types.js";
import { formsOf, zeroOf } from "./forms.js";
import type { MappingContext, Move, Objects, PropertyPaths } from "./context.js";
import { isSame, propertyPath } from "./property-paths.js";
import { both, bothSides, earlier, later, onlyAt, opposite } from "./sides.js";
import type { Conversion, Member, Path, Side, Sides } from "./types.js";

/** Maps a property that both versions have. */
export function mapField(mapper: MappingContext, objects: Objects, move: Move): Member {
  const { shapes } = mapper;
  const { types, owners } = objects;
  const { at } = move;
  const paths = both((side) => propertyPath(owners[side], at[side]));
  const found = both((side) => shapes[side].at(types[side], at[side]));
  const inner = both((side) => found[side]?.type ?? types[side]);
  recordNonEmpty(mapper, objects, at, paths);
  const isWrapped = wrappedHint(mapper, objects, at) !== undefined;
  const value = isWrapped ? ({ kind: "same" } as const) : conversionOf(mapper, inner, move, paths);
  if (move.value === "opposite") return oppositeOf(mapper, objects, move, value);
  const property = both((side) => ({ type: inner[side], isRequired: isRequired(found[side]) }));
  const fill = isAlwaysPresent(objects, at) ? undefined : fillOf(mapper, property, value, paths);
  const isInside = isNextToChoice(mapper, objects, at);
  return {
    at,
    value,
    ...(fill !== undefined && { fill }),
    ...(isInside && { inside: true }),
  };
}

function isRequired(property: Property | undefined): boolean {
  return property?.presence === "required";
}

/** Records that a list or string may be empty in one version only. */
function recordNonEmpty(
  { shapes, accounts }: MappingContext,
  { types }: Objects,
  at: Sides<Path>,
  paths: PropertyPaths,
): void {
  const isFilled = both((side) => isNonEmpty(shapes[side], types[side], at[side]));
  for (const side of bothSides)
    if (isFilled[opposite(side)] && !isFilled[side])
      accounts.narrow(side, paths, "it must not be empty in the other version");
}

/** Returns whether a member of the later version is present whenever its alternative is present. */
function isAlwaysPresent({ present }: Objects, at: Sides<Path>): boolean {
  const [first = "", ...rest] = at[later];
  return rest.length === 0 && present?.has(first) === true;
}

/** Returns the values that replace an absent property, if only one version requires it. */
function fillOf(
  mapper: MappingContext,
  property: Sides<{ readonly type: ValueType; readonly isRequired: boolean }>,
  value: Conversion,
  paths: PropertyPaths,
): Member["fill"] {
  const fill = both((side) => {
    const other = opposite(side);
    if (!property[side].isRequired || property[other].isRequired) return undefined;
    mapper.accounts.fill(other, paths);
    if (value.kind === "digits" && value.number !== side) return "0";
    return mapper.zero(side, property[side].type, paths[side]);
  });
  return fill.some((replacement) => replacement !== undefined) ? fill : undefined;
}

/**
 * Returns whether the object that contains a property requires one of several other members.
 * Records the loss.
 */
function isNextToChoice(
  { shapes, accounts }: MappingContext,
  { types, owners }: Objects,
  at: Sides<Path>,
): boolean {
  const found = bothSides.filter((side) => {
    const container = at[side].slice(0, -1);
    const [name = ""] = at[side].slice(-1);
    const around = container.length === 0 ? undefined : shapes[side].at(types[side], container);
    const oneofs = (around && shapes[side].message(around.type)?.oneofs) ?? [];
    return oneofs.some(({ required, members }) => required && !members.includes(name));
  });
  const reason = "the other version has it in an object that requires other members";
  const paths = both((side) => propertyPath(owners[side], at[side]));
  for (const side of found) accounts.narrow(opposite(side), paths, reason);
  return found.length > 0;
}

function conversionOf(
  mapper: MappingContext,
  inner: Sides<ValueType>,
  { value }: Move,
  paths: PropertyPaths,
): Conversion {
  if (value === "opposite") return { kind: "opposite" };
  if (value !== "only") return mapper.value(...inner, paths);
  const { shapes, accounts } = mapper;
  const types = both((side) => shapes[side].resolve(inner[side]));
  const list = types[earlier].kind === "list" ? earlier : later;
  const single = opposite(list);
  accounts.narrow(list, paths, "the other version has one value instead of the list");
  const elements = both((side) => elementOf(types[side]));
  const none = zeroOf(types[single], shapes[single]);
  return { kind: "only", list, element: mapper.value(...elements, paths), none };
}

function elementOf(type: ValueType): ValueType {
  return type.kind === "list" ? type.element : type;
}

/**
 * Maps a boolean to a boolean with the opposite meaning. If both versions read an absent property
 * as the same boolean, the mapping sets the property explicitly, because its meaning would
 * otherwise be inverted.
 */
function oppositeOf(
  mapper: MappingContext,
  { types, owners }: Objects,
  { at }: Move,
  value: Conversion,
): Member {
  const { accounts } = mapper;
  const paths = both((side) => propertyPath(owners[side], at[side]));
  const absent = both((side) => absenceOf(mapper, side, types[side], at[side]));
  const meaning = absent[earlier];
  if (meaning === undefined || meaning !== absent[later]) return { at, value };
  for (const side of bothSides) accounts.fill(side, paths);
  return { at, value, fill: [!meaning, !meaning] };
}

/** Returns the value that an absent boolean represents, if the version defines it. */
function absenceOf(
  { shapes, protocols }: MappingContext,
  side: Side,
  type: ValueType,
  path: Path,
): boolean | undefined {
  const name = shapes[side].message(type)?.name;
  const messages = protocols[side].wire?.messages ?? [];
  const carriers = messages.filter(({ model }) => "name" in model && model.name === name);
  const isCarrier = ({ mapping, trueIfAbsent }: WireFieldDef): boolean =>
    trueIfAbsent === true && mapping.kind === "path" && isSame(mapping.path, path);
  if (carriers.some(({ fields }) => fields.some(isCarrier))) return true;
  return shapes[side].at(type, path)?.presence === "implicit" ? false : undefined;
}

function isNonEmpty(shapes: Shapes, type: ValueType, path: Path): boolean {
  const [name] = path;
  return (
    path.length === 1 &&
    shapes.message(type)?.fields.find((field) => field.name === name)?.nonEmpty === true
  );
}

/**
 * Returns the mapping that adds a property that one version requires and the other version does not
 * have. `paths` lists the names of the property.
 */
export function filledField(
  mapper: MappingContext,
  side: Side,
  path: Path,
  type: ValueType,
  paths: readonly string[],
): Member {
  const given = side === later ? fillValueOf(mapper, paths) : undefined;
  const isId = given === newId;
  const value = given === undefined || isId ? mapper.zero(side, type, paths[0] ?? "") : given;
  const isLast = side === earlier && marksLastEvent(mapper, paths);
  const idFact = isId ? "id" : undefined;
  const fact = isLast ? "last" : idFact;
  return {
    at: onlyAt(side, path),
    value: { kind: "same" },
    fill: onlyAt(side, value),
    ...(fact !== undefined && { fact }),
  };
}

/** Returns whether a property of the earlier version marks the last event of a stream. */
export function marksLastEvent(
  { protocols: [{ versions }] }: MappingContext,
  paths: readonly string[],
): boolean {
  return versions?.last !== undefined && paths.includes(versions.last);
}

/** The notation in manifests for a unique new id. */
const newId = "{uuid}";

/**
 * Returns the value for a property that earlier versions do not have: the value in the manifest for
 * any of the property's names, or the protocol version if the property is the version of a card.
 */
export function fillValueOf(
  { protocols, names }: MappingContext,
  paths: readonly string[],
): unknown {
  const hints = protocols[later].versions?.fill ?? {};
  const hint = paths.find((path) => Object.hasOwn(hints, path));
  if (hint !== undefined) {
    names.used.add(`fill.${hint}`);
    return hints[hint];
  }
  const { card } = protocols[later].binding ?? {};
  const isVersion =
    card?.versions?.some((keys) => paths.includes(propertyPath([card.type], keys))) === true;
  return isVersion ? protocols[earlier].binding?.wireVersion : undefined;
}

/**
 * Returns the form in which the earlier version represents values that are not objects, if the
 * manifest defines it.
 */
export function wrappedHint(
  { protocols, shapes, names: oldNames }: MappingContext,
  { types, owners }: Objects,
  at: Sides<Path>,
): { readonly as: string; readonly flag: string } | undefined {
  const hints = protocols[later].versions?.wrapped ?? {};
  const names = owners[later].map((owner) => propertyPath([owner], at[later]));
  const hint = names.find((name) => Object.hasOwn(hints, name));
  const found = both((side) => shapes[side].at(types[side], at[side]));
  if (hint === undefined || found[earlier] === undefined || found[later] === undefined)
    return undefined;
  const isAny = both((side) => formsOf(found[side]?.type ?? types[side], shapes[side]).has("any"));
  if (isAny[earlier] === isAny[later]) return undefined;
  oldNames.used.add(`wrapped.${hint}`);
  return hints[hint];
}
