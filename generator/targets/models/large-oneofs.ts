import type { FieldDef, TypeDef } from "../../protocol/model/types.js";

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
  const large = new Map(
    type.oneofs
      .filter(({ members }) => members.length > mostAlternatives)
      .map((oneof) => [oneof.name, oneof]),
  );
  if (large.size === 0) return type;
  const fields = type.fields.map((field): FieldDef => {
    const { oneof: name = "", ...rest } = field;
    const oneof = large.get(name);
    if (oneof === undefined) return field;
    const limit = `${oneof.required ? "Exactly" : "At most"} one member of \`${name}\` is present.`;
    return { ...rest, docs: [rest.docs, limit].filter((text) => text !== "").join("\n\n") };
  });
  return { ...type, fields, oneofs: type.oneofs.filter(({ name }) => !large.has(name)) };
}
