import type { FieldDef, TypeDef } from "../../protocol/model/types.js";

/** The most members of a oneof that become a union: each of its alternatives names all the others. */
const mostAlternatives = 100;

/**
 * Makes the members of oneofs that are too large for a union optional properties of their message, whose doc comments say
 * what the type does not: that they exclude each other.
 */
export function withoutLargeOneofs(type: TypeDef): TypeDef {
  if (type.kind !== "message") return type;
  const large = new Map(
    type.oneofs.filter(({ members }) => members.length > mostAlternatives).map((oneof) => [oneof.name, oneof]),
  );
  if (large.size === 0) return type;
  const fields = type.fields.map((field): FieldDef => {
    const { oneof: name = "", ...rest } = field;
    const oneof = large.get(name);
    if (oneof === undefined) return field;
    const limit = `${oneof.required ? "Exactly" : "At most"} one member of \`${name}\` is there.`;
    return { ...rest, docs: [rest.docs, limit].filter((text) => text !== "").join("\n\n") };
  });
  return { ...type, fields, oneofs: type.oneofs.filter(({ name }) => !large.has(name)) };
}
