import type { ValueType } from "../model/types.js";
import type { MappingContext, Move, ObjectFacts, Objects } from "./context.js";
import { mapField } from "./fields.js";
import { findFirstElement } from "./first.js";
import { movesOf } from "./moves.js";
import { namesOf } from "./property-paths.js";
import { exclusiveOf, needsOf, wrappedOf } from "./requirements.js";
import { findResourceNames, isName, narrowIds } from "./resources.js";
import { constantsOf, restOf } from "./rest.js";
import { both, bothSides, earlier, later } from "./sides.js";
import type { Member, ObjectMapping, Sides } from "./types.js";
import { defined } from "../../../support/values.js";

/**
 * Maps the properties of two objects: first the properties that the manifest names, then properties
 * with the same name.
 */
export function mapObject(
  mapper: MappingContext,
  types: Sides<ValueType>,
  moves: readonly Move[],
): ObjectMapping {
  return mapMembers(mapper, types, { moves });
}

/** Maps the properties of two objects. One of the objects may be an alternative of a union. */
export function mapMembers(
  mapper: MappingContext,
  types: Sides<ValueType>,
  facts: ObjectFacts,
): ObjectMapping {
  const owners = both((side) => namesOf(mapper.shapes[side], types[side]));
  const objects: Objects = { ...facts, types, owners };
  // A property belongs to the first step that maps it: resource names, the first element of a
  // list, then single properties. The rest is what no step has covered.
  const resources = findResourceNames(mapper, objects);
  const isNamed = ({ at }: Move): boolean =>
    bothSides.some((side) => isName(resources, side, at[side]));
  const all = movesOf(mapper, objects).filter((move) => !isNamed(move));
  narrowIds(mapper, objects, resources, all);
  const first = findFirstElement(mapper, objects, all);
  const moves = all.filter((move) => move !== first?.move);
  const covered = both((side) => [
    ...all.map(({ at }) => at[side]),
    ...(first?.covered[side] ?? []),
    ...resources.covered[side],
  ]);
  const constants = both((side) => constantsOf(mapper, objects, side, covered[side]));
  const rest = bothSides.flatMap((side) => restOf(mapper, objects, side, covered[side]));
  const mapped = moves.map((move) => mapField(mapper, objects, move));
  const fields = [...mapped, ...rest, ...resources.fields];
  // Process containers before their members.
  fields.sort((field, other) => depthOf(field) - depthOf(other));
  const exclusive = exclusiveOf(mapper, objects, fields);
  const wrapped = wrappedOf(mapper, objects, moves);
  const needs = needsOf(mapper, objects, moves);
  return defined({
    kind: "object",
    fields,
    constants,
    exclusive,
    needs,
    first: first?.mapping,
    wrapped,
    ...(resources.names.length > 0 && { names: resources.names }),
  });
}

function depthOf({ at, inside }: Member): number {
  const depth = Math.max(at[earlier]?.length ?? 0, at[later]?.length ?? 0);
  return inside === true ? depth + 0.5 : depth;
}
