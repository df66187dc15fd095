import type { TypeDef, ValueType } from "../../protocol/model/types.js";

/**
 * Returns a predicate that accepts types whose check requires the depth of the value, because their values contain
 * other values.
 */
export function depthOf(types: readonly TypeDef[]): (type: ValueType) => boolean {
  const named = new Map(types.map((type) => [type.name, type]));
  const isDeep = (type: ValueType, within: ReadonlySet<string>): boolean => {
    switch (type.kind) {
      case "any":
      case "list":
      case "map":
      case "message":
        return true;
      case "wellKnown":
        return ["Struct", "Value", "ListValue", "Any", "Empty"].includes(type.wellKnown);
      case "union":
      case "alias": {
        const inner = new Set([...within, type.name]);
        return !within.has(type.name) && partsOf(named.get(type.name)).some((part) => isDeep(part, inner));
      }
      default:
        return operandsOf(type).some((part) => isDeep(part, within));
    }
  };
  return (type) => isDeep(type, new Set());
}

/** Returns a predicate that accepts types with a `not`, whose checks might also accept `undefined`. */
export function exclusionOf(types: readonly TypeDef[]): (type: ValueType) => boolean {
  const named = new Map(types.map((type) => [type.name, type]));
  const excludes = (type: ValueType, within: ReadonlySet<string>): boolean => {
    if (type.kind === "not") return true;
    if (type.kind !== "union" && type.kind !== "alias") return operandsOf(type).some((part) => excludes(part, within));
    const inner = new Set([...within, type.name]);
    return !within.has(type.name) && partsOf(named.get(type.name)).some((part) => excludes(part, inner));
  };
  return (type) => excludes(type, new Set());
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
