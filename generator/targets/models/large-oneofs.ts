import type { FieldDef, OneofDef, TypeDef } from "../../protocol/model/types.js";

/**
 * Maximum number of members for which a oneof becomes a union. Each alternative names all other
 * members, so the size of the union grows with the square of their number.
 */
const mostAlternatives = 100;

/**
 * Converts the members of oneofs that are too large for a union to optional properties of their
 * message. The doc comments of these properties state that they are mutually exclusive, because the
 * type cannot express this.
 */
export function withoutLargeOneofs(type: TypeDef): TypeDef {
  if (type.kind !== "message") return type;
  const isLarge = ({ members }: OneofDef): boolean => members.length > mostAlternatives;
  const large = new Map(type.oneofs.filter(isLarge).map((oneof) => [oneof.name, oneof]));
  if (large.size === 0) return type;
  const fields = type.fields.map((field) => {
    const oneof = large.get(field.oneof ?? "");
    return oneof === undefined ? field : withoutOneof(field, oneof);
  });
  return { ...type, fields, oneofs: type.oneofs.filter((oneof) => !isLarge(oneof)) };
}

function withoutOneof({ oneof: _, ...field }: FieldDef, { name, required }: OneofDef): FieldDef {
  const limit = `${required ? "Exactly" : "At most"} one member of \`${name}\` is present.`;
  return { ...field, docs: field.docs === "" ? limit : `${field.docs}\n\n${limit}` };
}
