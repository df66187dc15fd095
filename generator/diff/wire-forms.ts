import type { ScalarName, ValueType } from "../protocol/model/types.js";
import { describeType } from "./describe.js";
import type { Rename } from "./forms.js";

/** What protobuf has for a type, so that types with equal texts have equal bytes. */
export function wireForm(type: ValueType, rename: Rename): string {
  if ("name" in type) return rename(type.name);
  if (type.kind === "list") return `list of ${wireForm(type.element, rename)}`;
  return type.kind === "map"
    ? `map of ${type.key} to ${wireForm(type.value, rename)}`
    : `${type.kind} ${describeType(type)}`;
}

/** Scalars whose bytes can be read as one another. */
const families: readonly (readonly ScalarName[])[] = [
  ["int32", "uint32", "int64", "uint64", "bool"],
  ["sint32", "sint64"],
  ["fixed32", "sfixed32"],
  ["fixed64", "sfixed64"],
];

/** Tells whether bytes of the one type can be read as the other. Text is bytes, but bytes are not always text. */
export function isCompatible(from: ValueType, to: ValueType, rename: Rename): boolean {
  if (wireForm(from, rename) === wireForm(to, (type) => type)) return true;
  if (from.kind === "list" && to.kind === "list") return isCompatible(from.element, to.element, rename);
  if (from.kind === "map" && to.kind === "map")
    return isCompatibleScalar(from.key, to.key) && isCompatible(from.value, to.value, rename);
  return from.kind === "scalar" && to.kind === "scalar" && isCompatibleScalar(from.scalar, to.scalar);
}

function isCompatibleScalar(from: ScalarName, to: ScalarName): boolean {
  const isText = from === "string" && to === "bytes";
  return from === to || isText || families.some((family) => family.includes(from) && family.includes(to));
}
