import type { ValueType } from "../model/types.js";

/** Returns the name of a type for reports. */
export function nameOf(type: ValueType): string {
  return "name" in type ? type.name : describe(type);
}

/** Returns a description of a type that completes a sentence after "is". */
export function describe(type: ValueType): string {
  if ("name" in type) return `of the type ${type.name}`;
  if (type.kind === "list") return "a list";
  if (type.kind === "map")
    return type.key === "string" ? "a map" : `a map with keys of the type ${type.key}`;
  if (type.kind === "scalar" || type.kind === "wrapper") return `of the type ${type.scalar}`;
  return type.kind === "wellKnown"
    ? `a google.protobuf.${type.wellKnown}`
    : `of the kind ${type.kind}`;
}

/** The scalars that are numbers in ProtoJSON. 64-bit integers are strings. */
const numbers = /^(?:double|float|(?:s?fixed|s?int|uint)32)$/;

/** Returns whether a type of the proto can represent a type of the schema, possibly with losses. */
export function fits(proto: ValueType, model: ValueType): boolean {
  if (proto.kind === "scalar") {
    if (proto.scalar === "bool") return model.kind === "boolean";
    if (numbers.test(proto.scalar)) return model.kind === "number";
    return (
      model.kind === "string" ||
      (proto.scalar === "string" && (model.kind === "literal" || model.kind === "enum"))
    );
  }
  if (proto.kind !== "wellKnown") return false;
  switch (proto.wellKnown) {
    case "Timestamp":
    case "Duration":
      return model.kind === "string";
    case "Struct":
      return model.kind === "map" && model.value.kind === "any";
    case "Value":
      return model.kind === "any";
    case "ListValue":
      return model.kind === "list" && model.element.kind === "any";
    default:
      return false;
  }
}
