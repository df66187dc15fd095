import type { Property, Shapes } from "../correlate/shape.js";
import type { ValueType } from "../model/types.js";
import type { MappingContext, Objects } from "./context.js";
import { fillValueOf, marksLastEvent } from "./fields.js";
import { isSame, namesOf, propertyPath } from "./property-paths.js";
import { both, earlier, later, opposite } from "./sides.js";
import type { Member, Path, Side } from "./types.js";

/** Part of an object whose uncovered properties are searched. */
interface Part {
  readonly side: Side;
  /** Paths of the properties that are already mapped. */
  readonly covered: readonly Path[];
  readonly base: Path;
  readonly type: ValueType;
}

/** Returns the constants of the required members that the other version does not have. */
export function constantsOf(
  mapper: MappingContext,
  { types }: Objects,
  side: Side,
  covered: readonly Path[],
): Readonly<Record<string, string>> {
  const shapes = mapper.shapes[side];
  if (covered.some((path) => path.length === 0)) return {};
  const constants = new Map<string, string>();
  for (const [name, { type, presence }] of shapes.properties(types[side]) ?? []) {
    const value = shapes.constant(type);
    const isMapped = covered.some((path) => isSame(path, [name]));
    if (value !== undefined && !isMapped && presence === "required") constants.set(name, value);
  }
  return Object.fromEntries(constants);
}

/**
 * Records the properties that only one version has, and returns the members that must be set in
 * their place.
 */
export function restOf(
  mapper: MappingContext,
  objects: Objects,
  side: Side,
  covered: readonly Path[],
): Member[] {
  return restIn(mapper, objects, { side, covered, base: [], type: objects.types[side] });
}

function restIn(mapper: MappingContext, objects: Objects, part: Part): Member[] {
  const { side, covered, base, type } = part;
  const shapes = mapper.shapes[side];
  return [...(shapes.properties(type) ?? [])].flatMap(([name, property]): Member[] => {
    const path = [...base, name];
    const related = covered.filter((other) => isWithinOrAround(path, other));
    if (related.some((other) => other.length <= path.length)) return [];
    if (related.length > 0) {
      if (property.presence !== "required")
        narrowAt(mapper, objects, { side, path }, "without members, it becomes absent");
      return restIn(mapper, objects, { ...part, base: path, type: property.type });
    }
    const isForeign = side === later && objects.foreign?.has(name) === true;
    const isCounted = shapes.constant(property.type) === undefined && !isForeign;
    return isCounted ? uncovered(mapper, objects, part, name, property) : [];
  });
}

/** Returns whether one of two paths leads through the other. The empty path leads to everything. */
function isWithinOrAround(path: Path, other: Path): boolean {
  return other.length === 0 || path.every((key, index) => other[index] === key);
}

/** Records a property that the other version does not have, and sets it if it is required. */
function uncovered(
  mapper: MappingContext,
  objects: Objects,
  { side, base, type }: Part,
  name: string,
  property: Property,
): Member[] {
  const shapes = mapper.shapes[side];
  const path = [...base, name];
  const isRequired = property.presence === "required";
  const owners = [...objects.owners[side], ...objects.owners[opposite(side)]];
  const names = [...new Set(owners)].map((owner) => [owner, ...path].join("."));
  const inner = namesOf(shapes, type).map((owner) => propertyPath([owner], [name]));
  const paths = [...names, ...inner];
  const isFilled = side === later && fillValueOf(mapper, paths) !== undefined;
  mapper.accounts.only(side, "properties", names, isRequired && !isFilled);
  if (base.length === 0 && isOneOfSome(mapper, objects, name)) {
    const reason = `the other version does not have ${name}, and requires one of the other members`;
    narrowAt(mapper, objects, { side, path: [] }, reason);
  }
  const isLast = side === earlier && marksLastEvent(mapper, paths);
  if (!isRequired && !isFilled && !isLast) return [];
  const member = mapper.filled(side, path, property.type, paths);
  const isInside = isRequired && shapes.at(objects.types[side], path)?.presence !== "required";
  return [{ ...member, ...(isInside && { inside: true }) }];
}

/**
 * Returns whether a member belongs to a required oneof, if the object has such a oneof in both
 * versions.
 */
function isOneOfSome(
  { shapes }: MappingContext,
  { types, foreign }: Objects,
  name: string,
): boolean {
  const required = both((side) => requiredOneofs(shapes[side], types[side]));
  const isInBoth = required.every((oneofs) => oneofs.length === 1);
  const members = required.flat().flatMap((oneof) => oneof.members);
  return foreign === undefined && isInBoth && members.includes(name);
}

function requiredOneofs(shapes: Shapes, type: ValueType) {
  return shapes.message(type)?.oneofs.filter(({ required }) => required) ?? [];
}

/** Records that an object of one version can have values that the other version does not allow. */
export function narrowAt(
  { accounts }: MappingContext,
  { owners }: Objects,
  { side, path }: { readonly side: Side; readonly path: Path },
  reason: string,
): void {
  const paths = both((own) => propertyPath(owners[own], own === side ? path : []));
  accounts.narrow(side, paths, reason);
}
