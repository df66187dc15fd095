import { presentType } from "../protocol/build/legacy.js";
import type { LegacyDef, Protocol, TypeDef } from "../protocol/model/types.js";

/**
 * Returns the JSDoc tag of an alias. The tag contains the version in which the name was deprecated,
 * the replacement, and other differences.
 */
export function deprecation({
  note,
  now,
  since,
}: Pick<LegacyDef, "note" | "now" | "since">): string {
  const tag = `@deprecated Since ${since}: use \`${now}\`.`;
  return note === undefined ? tag : `${tag} ${note}`;
}

/**
 * Returns a type whose doc comments list, on one line each, the earlier names of its fields and
 * values.
 */
export function withOldNames(type: TypeDef, { legacy }: Protocol): TypeDef {
  const names = legacy.filter(({ now }) => now.startsWith(`${type.name}.`));
  if (names.length === 0) return type;
  const documented = <T extends { readonly name: string; readonly docs: string }>(
    member: T,
    kind: "properties" | "values",
  ): T => {
    const texts = names
      .filter((name) => name.kind === kind && name.now === `${type.name}.${member.name}`)
      .map((name) => sentences(name, type.name));
    return {
      ...member,
      docs: [member.docs, texts.join(" ")].filter((text) => text !== "").join("\n"),
    };
  };
  if (type.kind === "message")
    return { ...type, fields: type.fields.map((field) => documented(field, "properties")) };
  if (type.kind === "enum")
    return { ...type, values: type.values.map((value) => documented(value, "values")) };
  return type;
}

/**
 * Returns the sentences about one earlier name: `Called \`blocking\` before 1.0.0.`, and the note
 * of the manifest.
 */
function sentences(entry: LegacyDef, type: string): string {
  const { kind, old, since, note } = entry;
  const name = presentType(entry) === type ? old.slice(old.indexOf(".") + 1) : old;
  const text = `${kind === "values" ? "Written" : "Called"} \`${name}\` before ${since}.`;
  return note === undefined ? text : `${text} ${note}`;
}
