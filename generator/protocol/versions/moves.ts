import type { MessageDef } from "../model/types.js";
import type { MappingContext, Move, Objects } from "./context.js";
import { formsOf, haveCommonForm } from "./forms.js";
import { isSame } from "./property-paths.js";
import { bodyMoves } from "./resources.js";
import { both, bothSides, earlier, later, opposite } from "./sides.js";
import type { Path, Side } from "./types.js";

/**
 * Returns the paths of the values that both objects have: first according to the manifest, then by
 * name.
 */
export function movesOf(mapper: MappingContext, objects: Objects): Move[] {
  return foundMoves(mapper, objects).map((move) => ({
    ...move,
    at: unwrapped(mapper, objects, move),
  }));
}

/**
 * Returns the paths of a moved value. If the value is the only member of an object in one version
 * and stands alone in the other version, the path in the first version leads to this member.
 */
function unwrapped({ shapes }: MappingContext, { types }: Objects, { at }: Move): Move["at"] {
  const found = both((side) => shapes[side].at(types[side], at[side])?.type);
  return both((side): Path => {
    const otherSide = opposite(side);
    const own = found[side];
    const other = found[otherSide];
    if (own === undefined || other === undefined || at[side].length === 0) return at[side];
    const [only, ...rest] = shapes[side].message(own)?.fields ?? [];
    const isObject = shapes[otherSide].properties(other) !== undefined;
    if (only === undefined || rest.length > 0 || isObject) return at[side];
    const forms = formsOf(only.type, shapes[side]);
    const isMember = haveCommonForm(forms, formsOf(other, shapes[otherSide]));
    return isMember ? [...at[side], only.name] : at[side];
  });
}

function foundMoves(mapper: MappingContext, objects: Objects): Move[] {
  const { shapes } = mapper;
  const { types, foreign, moves = [] } = objects;
  const isThere = ({ at }: Move): boolean =>
    bothSides.every((side) => shapes[side].at(types[side], at[side]) !== undefined);
  const found = [...bodyMoves(mapper, types), ...moves.filter(isThere)];
  const isWhole = ({ at }: Move): boolean => bothSides.some((side) => at[side].length === 0);
  if (found.some(isWhole)) return found;
  // The manifest goes before equal names: a name can return with another meaning.
  for (const move of [
    ...movesInto(mapper, objects),
    ...movesOutOf(mapper, objects),
    ...movesByName(mapper, objects),
  ]) {
    const [first = ""] = move.at[later];
    const isTaken = found.some(({ at }) =>
      bothSides.some((side) => isSame(at[side], move.at[side])),
    );
    if (isThere(move) && !isTaken && foreign?.has(first) !== true) found.push(move);
  }
  return found;
}

/** Returns the moves of properties that are now in the later object, or in one of its members. */
function movesInto(mapper: MappingContext, { types, owners }: Objects): Move[] {
  const { shapes, names } = mapper;
  const message = shapes[later].message(types[later]);
  const all = new Set([...owners[earlier], ...owners[later]]);
  return names.properties(all).flatMap(({ path, type, now, value }): Move[] => {
    const base = owners[later].includes(type) ? [] : pathTo(message, type);
    if (base === undefined || shapes[earlier].at(types[earlier], path) === undefined) return [];
    if (base.length > 0) carryFrom(mapper, later, type, now);
    return [{ at: [path, [...base, ...now]], ...(value !== undefined && { value }) }];
  });
}

/** Returns the moves of properties that were in a member of the earlier object. */
function movesOutOf(mapper: MappingContext, { types, owners }: Objects): Move[] {
  const message = mapper.shapes[earlier].message(types[earlier]);
  const arriving = mapper.names.arriving(new Set(owners[later]));
  return arriving.flatMap(({ owner, path, now }): Move[] => {
    const base = owners[earlier].includes(owner) ? undefined : pathTo(message, owner);
    if (base === undefined) return [];
    carryFrom(mapper, earlier, owner, path);
    return [{ at: [[...base, ...path], now] }];
  });
}

function movesByName({ shapes }: MappingContext, { types }: Objects): Move[] {
  const names = [...(shapes[earlier].properties(types[earlier])?.keys() ?? [])];
  return names.map((name) => ({ at: [[name], [name]] }));
}

/**
 * Records that the other version has the property `path` of `type`, but in the surrounding object.
 * If only one property uses `type`, this applies to the type as a whole.
 */
function carryFrom(
  { protocols, accounts }: MappingContext,
  side: Side,
  type: string,
  path: Path,
): void {
  const reference = `"name":${JSON.stringify(type)}`;
  const fields = protocols[side].types.flatMap((def) => (def.kind === "message" ? def.fields : []));
  const uses = fields.filter((field) => JSON.stringify(field.type).includes(reference));
  const subject = [type, ...path].join(".");
  if (uses.length === 1) accounts.carry(side, subject);
  else accounts.carrySometimes(side, subject);
}

/**
 * Returns the key of the only member with the given type; `undefined` if no member or several
 * members have the type.
 */
function pathTo(message: MessageDef | undefined, type: string): Path | undefined {
  const fields = message?.fields ?? [];
  const found = fields.filter((field) => field.type.kind === "message" && field.type.name === type);
  return found.length === 1 ? found.map(({ name }) => name) : undefined;
}
