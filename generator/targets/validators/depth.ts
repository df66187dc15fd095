import type { TypeDef, ValueType } from "../../protocol/model/types.js";

/**
 * Returns a predicate that accepts types whose check requires the depth of the value, because their
 * values contain other values.
 */
export function depthOf(types: readonly TypeDef[]): (type: ValueType) => boolean {
  const containers = ["Struct", "Value", "ListValue", "Any", "Empty"];
  return someOf(types, (type) =>
    type.kind === "wellKnown"
      ? containers.includes(type.wellKnown)
      : type.kind === "any" ||
        type.kind === "list" ||
        type.kind === "map" ||
        type.kind === "message",
  );
}

/**
 * Returns a predicate that accepts types with a `not`, whose checks might also accept `undefined`.
 */
export function exclusionOf(types: readonly TypeDef[]): (type: ValueType) => boolean {
  return someOf(types, ({ kind }) => kind === "not");
}

/**
 * Returns a predicate that accepts types that `matches` accepts, and types that consist of such a
 * type.
 */
function someOf(
  types: readonly TypeDef[],
  matches: (type: ValueType) => boolean,
): (type: ValueType) => boolean {
  const named = new Map(types.map((type) => [type.name, type]));
  // Each named type is visited once: there can be many more paths through the types than types.
  const search = (type: ValueType, visited: Set<string>): boolean => {
    if (matches(type)) return true;
    if (type.kind !== "union" && type.kind !== "alias")
      return operandsOf(type).some((part) => search(part, visited));
    if (visited.has(type.name)) return false;
    visited.add(type.name);
    return partsOf(named.get(type.name)).some((part) => search(part, visited));
  };
  return (type) => search(type, new Set());
}

function partsOf(type: TypeDef | undefined): readonly ValueType[] {
  if (type?.kind === "union") return type.members;
  return type?.kind === "alias" ? [type.type] : [];
}

function operandsOf(type: ValueType): readonly ValueType[] {
  switch (type.kind) {
    case "anyOf":
    case "oneOf":
    case "allOf":
      return type.members;
    case "not":
      return [type.type];
    case "if":
      return [type.test, type.then, type.otherwise];
    default:
      return [];
  }
}
