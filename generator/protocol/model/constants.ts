import type { TypeDef, ValueType } from "./types.js";

/** The members of a union by the constant in the field that tells them apart: the text, and the name of the message. */
export function constantsOf(
  members: readonly ValueType[],
  discriminator: string,
  types: ReadonlyMap<string, TypeDef>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const member of members) {
    const type = "name" in member ? types.get(member.name) : undefined;
    if (type?.kind === "union") {
      for (const [text, name] of constantsOf(type.members, discriminator, types)) found.set(text, name);
    }
    if (type?.kind !== "message") continue;
    const constant = type.fields.find(({ name }) => name === discriminator)?.type;
    if (constant?.kind === "literal") for (const value of constant.values) found.set(String(value), type.name);
  }
  return found;
}
