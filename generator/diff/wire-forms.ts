import type { ScalarName, ValueType } from "../protocol/model/types.js";
import { describeType } from "./describe.js";
import type { Rename } from "./forms.js";

/** Returns the form of a type in protobuf. Types with the same form have the same bytes. */
export function wireForm(type: ValueType, rename: Rename): string {
  if ("name" in type) return rename(type.name);
  if (type.kind === "list") return `list of ${wireForm(type.element, rename)}`;
  return type.kind === "map"
    ? `map of ${type.key} to ${wireForm(type.value, rename)}`
    : `${type.kind} ${describeType(type)}`;
}

/**
 * Groups of compatible scalars: bytes of one scalar can be read as any other scalar in its group.
 */
const families: readonly (readonly ScalarName[])[] = [
  ["int32", "uint32", "int64", "uint64", "bool"],
  ["sint32", "sint64"],
  ["fixed32", "sfixed32"],
  ["fixed64", "sfixed64"],
];

/**
 * Returns whether bytes of one type can be read as the other type. A string can be read as bytes,
 * but bytes are not always a valid string.
 */
export function isCompatible(from: ValueType, to: ValueType, rename: Rename): boolean {
  if (wireForm(from, rename) === wireForm(to, (type) => type)) return true;
  if (from.kind === "list" && to.kind === "list")
    return isCompatible(from.element, to.element, rename);
  if (from.kind === "map" && to.kind === "map")
    return isCompatibleScalar(from.key, to.key) && isCompatible(from.value, to.value, rename);
  return (
    from.kind === "scalar" && to.kind === "scalar" && isCompatibleScalar(from.scalar, to.scalar)
  );
}

function isCompatibleScalar(from: ScalarName, to: ScalarName): boolean {
  const isStringAsBytes = from === "string" && to === "bytes";
  return (
    from === to ||
    isStringAsBytes ||
    families.some((family) => family.includes(from) && family.includes(to))
  );
}
