import type { Shapes } from "../correlate/shape.js";
import type { ValueType } from "../model/types.js";
import { formsOf, zeroOf } from "./forms.js";
import type { Mapper, Move, Place } from "./mapper.js";
import type { Objects } from "./objects.js";
import type { Conversion, FieldMapping, Path, Side, Sides } from "./types.js";

/** Maps a property that both versions have. */
export function mapField(mapper: Mapper, objects: Objects, move: Move): FieldMapping {
  const { shapes, accounts } = mapper;
  const { types, owners } = objects;
  const place = [placeOf(owners[0], move.at[0]), placeOf(owners[1], move.at[1])] as const;
  const found = [shapes[0].at(types[0], move.at[0]), shapes[1].at(types[1], move.at[1])] as const;
  const inner = [found[0]?.type ?? types[0], found[1]?.type ?? types[1]] as const;
  const [demands, others] = [0, 1].map((side) =>
    isNonEmpty(shapes[side as Side], types[side as Side], move.at[side as Side]),
  );
  if (demands !== others)
    accounts.narrow(others === true ? 0 : 1, place, "it may be empty, and not in the other version");
  const isWrapped = wrappedHint(mapper, objects, move.at) !== undefined;
  const value = isWrapped ? ({ kind: "same" } as const) : conversionOf(mapper, inner, move, place);
  if (move.value === "opposite") return oppositeOf(mapper, objects, move, value);
  const isPresent = move.at[1].length === 1 && objects.present?.has(move.at[1][0] ?? "") === true;
  const needs = ([0, 1] as const).map((side) => {
    const other = found[side === 0 ? 1 : 0];
    if (isPresent || found[side]?.presence !== "required" || other?.presence === "required") return undefined;
    accounts.fill(side === 0 ? 1 : 0, place);
    if (value.kind === "digits" && value.number !== side) return "0";
    return mapper.zero(side, inner[side], place[side]);
  });
  const fill = needs.some((one) => one !== undefined) ? { fill: [needs[0], needs[1]] as const } : {};
  return { at: move.at, value, ...fill, ...(isBesideChoice(mapper, objects, move.at) && { inside: true }) };
}

/** Returns whether a property is in an object that is nothing without one of some others. */
function isBesideChoice({ shapes, accounts }: Mapper, { types, owners }: Objects, at: Sides<Path>): boolean {
  const found = ([0, 1] as const).filter((side) => {
    const around = at[side].length < 2 ? undefined : shapes[side].at(types[side], at[side].slice(0, -1));
    const oneofs = around === undefined ? [] : (shapes[side].message(around.type)?.oneofs ?? []);
    const name = at[side].at(-1) ?? "";
    return oneofs.some(({ required, members }) => required && !members.includes(name));
  });
  const reason = "the other version has it in an object that is nothing without others";
  const place = [placeOf(owners[0], at[0]), placeOf(owners[1], at[1])] as const;
  for (const side of found) accounts.narrow(side === 0 ? 1 : 0, place, reason);
  return found.length > 0;
}

function conversionOf(mapper: Mapper, inner: Sides<ValueType>, { value }: Move, place: Place): Conversion {
  if (value === "opposite") return { kind: "opposite" };
  if (value !== "only") return mapper.value(...inner, place);
  const [a, b] = [mapper.shapes[0].resolve(inner[0]), mapper.shapes[1].resolve(inner[1])];
  const list = a.kind === "list" ? 0 : 1;
  mapper.accounts.narrow(list, place, "the other version has one in place of the list");
  const elements = [a.kind === "list" ? a.element : a, b.kind === "list" ? b.element : b] as const;
  const none = list === 0 ? zeroOf(b, mapper.shapes[1]) : zeroOf(a, mapper.shapes[0]);
  return { kind: "only", list, element: mapper.value(...elements, place), none };
}

/** Maps a boolean to its opposite, whose absence may mean something else. */
function oppositeOf(mapper: Mapper, { types, owners }: Objects, { at }: Move, value: Conversion): FieldMapping {
  const { accounts } = mapper;
  const absent = ([0, 1] as const).map((side) => absenceOf(mapper, side, types[side], at[side]));
  const [own, other] = absent;
  if (own === undefined || other === undefined || own !== other) return { at, value };
  for (const side of [0, 1] as const) accounts.fill(side, [placeOf(owners[0], at[0]), placeOf(owners[1], at[1])]);
  return { at, value, fill: [!other, !own] };
}

/** Returns what the absence of a boolean means, if the version says so. */
function absenceOf({ shapes, protocols }: Mapper, side: Side, type: ValueType, path: Path): boolean | undefined {
  const found = shapes[side].at(type, path);
  const name = shapes[side].message(type)?.name;
  const carriers = protocols[side].wire?.messages.filter(({ model }) => "name" in model && model.name === name) ?? [];
  const isTrue = carriers.some(({ fields }) =>
    fields.some(({ place, trueIfAbsent }) => {
      return trueIfAbsent === true && place.kind === "path" && place.path.join(".") === path.join(".");
    }),
  );
  if (isTrue) return true;
  return found?.presence === "implicit" ? false : undefined;
}

function isNonEmpty(shapes: Shapes, type: ValueType, path: Path): boolean {
  const [name] = path;
  return path.length === 1 && shapes.message(type)?.fields.find((field) => field.name === name)?.nonEmpty === true;
}

/** Returns what a property is called in reports. */
export function placeOf([owner = ""]: readonly string[], path: Path): string {
  return [owner, ...path].join(".");
}

/** Returns what stands for a property that one version requires and the other does not have. `places` are its names. */
export function filledField(
  mapper: Mapper,
  side: Side,
  path: Path,
  type: ValueType,
  places: readonly string[],
): FieldMapping {
  const at: FieldMapping["at"] = side === 0 ? [path, undefined] : [undefined, path];
  const given = side === 1 ? filledBy(mapper, places) : undefined;
  const isId = given === newId;
  const value = given === undefined || isId ? mapper.zero(side, type, places[0] ?? "") : given;
  const isLast = side === 0 && saysLast(mapper, places);
  if (isLast) mapper.names.used.add("last");
  const fact = isLast ? "last" : isId ? "id" : undefined;
  const fill = side === 0 ? ([value, undefined] as const) : ([undefined, value] as const);
  return { at, value: { kind: "same" }, fill, ...(fact !== undefined && { fact }) };
}

/** Returns whether a property of the earlier version says that an event is the last one. */
export function saysLast({ protocols: [, { versions }] }: Mapper, places: readonly string[]): boolean {
  return versions?.last !== undefined && places.includes(versions.last);
}

/** Stands in manifests for an id that nothing else has. */
const newId = "{uuid}";

/**
 * Returns what stands for a property, by any of its names, that earlier versions do not have: what the manifest says, or
 * the version that a card is of.
 */
export function filledBy({ protocols, names }: Mapper, places: readonly string[]): unknown {
  const hints = protocols[1].versions?.fill ?? {};
  const hint = places.find((place) => Object.hasOwn(hints, place));
  if (hint !== undefined) {
    names.used.add(`fill.${hint}`);
    return hints[hint];
  }
  const { card } = protocols[1].binding ?? {};
  const isVersion = card?.versions?.some((keys) => places.includes(placeOf([card.type], keys))) === true;
  return isVersion ? protocols[0].binding?.wireVersion : undefined;
}

/** Returns how the earlier version has values that are no objects, if the manifest says so. */
export function wrappedHint(
  { protocols, shapes, names }: Mapper,
  { types, owners }: Objects,
  at: Sides<Path>,
): { readonly as: string; readonly flag: string } | undefined {
  const hints = protocols[1].versions?.wrapped ?? {};
  const hint = owners[1].map((owner) => placeOf([owner], at[1])).find((place) => Object.hasOwn(hints, place));
  const [type, other] = [shapes[0].at(types[0], at[0]), shapes[1].at(types[1], at[1])].map((one) => one?.type);
  if (type === undefined || other === undefined) return undefined;
  if (hint === undefined || formsOf(type, shapes[0]).has("any") === formsOf(other, shapes[1]).has("any"))
    return undefined;
  names.used.add(`wrapped.${hint}`);
  return hints[hint];
}
