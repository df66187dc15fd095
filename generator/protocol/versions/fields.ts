import type { Shapes } from "../correlate/shape.js";
import type { ValueType } from "../model/types.js";
import { formsOf, zeroOf } from "./forms.js";
import type { MappingContext, Move, Objects, PropertyPaths } from "./context.js";
import { propertyPath } from "./property-paths.js";
import { both, bothSides, earlier, later, onlyAt, opposite } from "./sides.js";
import type { Conversion, Member, Path, Side, Sides } from "./types.js";

/** Maps a property that both versions have. */
export function mapField(mapper: MappingContext, objects: Objects, move: Move): Member {
  const { shapes, accounts } = mapper;
  const { types, owners } = objects;
  const paths = [
    propertyPath(owners[earlier], move.at[earlier]),
    propertyPath(owners[later], move.at[later]),
  ] as const;
  const found = both((side) => shapes[side].at(types[side], move.at[side]));
  const inner = both((side) => found[side]?.type ?? types[side]);
  const isFilled = both((side) => isNonEmpty(shapes[side], types[side], move.at[side]));
  for (const side of bothSides)
    if (isFilled[opposite(side)] && !isFilled[side])
      accounts.narrow(side, paths, "it must not be empty in the other version");
  const isWrapped = wrappedHint(mapper, objects, move.at) !== undefined;
  const value = isWrapped ? ({ kind: "same" } as const) : conversionOf(mapper, inner, move, paths);
  if (move.value === "opposite") return oppositeOf(mapper, objects, move, value);
  const isPresent =
    move.at[later].length === 1 && objects.present?.has(move.at[later][0] ?? "") === true;
  const needs = both((side) => {
    const other = found[opposite(side)];
    if (isPresent || found[side]?.presence !== "required" || other?.presence === "required")
      return undefined;
    accounts.fill(opposite(side), paths);
    if (value.kind === "digits" && value.number !== side) return "0";
    return mapper.zero(side, inner[side], paths[side]);
  });
  const fill = needs.some((one) => one !== undefined) ? { fill: needs } : {};
  return {
    at: move.at,
    value,
    ...fill,
    ...(isNextToChoice(mapper, objects, move.at) && { inside: true }),
  };
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
    const around =
      at[side].length < 2 ? undefined : shapes[side].at(types[side], at[side].slice(0, -1));
    const oneofs = around === undefined ? [] : (shapes[side].message(around.type)?.oneofs ?? []);
    const name = at[side].at(-1) ?? "";
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
  const [a, b] = [
    mapper.shapes[earlier].resolve(inner[earlier]),
    mapper.shapes[later].resolve(inner[later]),
  ];
  const list = a.kind === "list" ? earlier : later;
  mapper.accounts.narrow(list, paths, "the other version has one value instead of the list");
  const elements = [a.kind === "list" ? a.element : a, b.kind === "list" ? b.element : b] as const;
  const none =
    list === earlier ? zeroOf(b, mapper.shapes[later]) : zeroOf(a, mapper.shapes[earlier]);
  return { kind: "only", list, element: mapper.value(...elements, paths), none };
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
  const [own, other] = both((side) => absenceOf(mapper, side, types[side], at[side]));
  if (own === undefined || other === undefined || own !== other) return { at, value };
  for (const side of bothSides)
    accounts.fill(
      side,
      both((side) => propertyPath(owners[side], at[side])),
    );
  return { at, value, fill: [!other, !own] };
}

/** Returns the value that an absent boolean represents, if the version defines it. */
function absenceOf(
  { shapes, protocols }: MappingContext,
  side: Side,
  type: ValueType,
  path: Path,
): boolean | undefined {
  const found = shapes[side].at(type, path);
  const name = shapes[side].message(type)?.name;
  const carriers =
    protocols[side].wire?.messages.filter(({ model }) => "name" in model && model.name === name) ??
    [];
  const isTrue = carriers.some(({ fields }) =>
    fields.some(({ mapping, trueIfAbsent }) => {
      return (
        trueIfAbsent === true &&
        mapping.kind === "path" &&
        mapping.path.join(".") === path.join(".")
      );
    }),
  );
  if (isTrue) return true;
  return found?.presence === "implicit" ? false : undefined;
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
  const fact = isLast ? "last" : isId ? "id" : undefined;
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
  const hint = paths.find((paths) => Object.hasOwn(hints, paths));
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
  { protocols, shapes, names }: MappingContext,
  { types, owners }: Objects,
  at: Sides<Path>,
): { readonly as: string; readonly flag: string } | undefined {
  const hints = protocols[later].versions?.wrapped ?? {};
  const hint = owners[later]
    .map((owner) => propertyPath([owner], at[later]))
    .find((paths) => Object.hasOwn(hints, paths));
  const [type, other] = [
    shapes[earlier].at(types[earlier], at[earlier]),
    shapes[later].at(types[later], at[later]),
  ].map((one) => one?.type);
  if (type === undefined || other === undefined) return undefined;
  if (
    hint === undefined ||
    formsOf(type, shapes[earlier]).has("any") === formsOf(other, shapes[later]).has("any")
  )
    return undefined;
  names.used.add(`wrapped.${hint}`);
  return hints[hint];
}
