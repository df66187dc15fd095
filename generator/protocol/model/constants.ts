import type { TypeDef, ValueType } from "./types.js";

/**
 * Returns the messages of a union and of its nested unions, by the constant of their discriminator.
 */
export function constantsOf(
  members: readonly ValueType[],
  discriminator: string,
  types: ReadonlyMap<string, TypeDef>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const member of members) {
    const type = "name" in member ? types.get(member.name) : undefined;
    if (type?.kind === "union") {
      for (const [constant, name] of constantsOf(type.members, discriminator, types))
        found.set(constant, name);
    }
    if (type?.kind !== "message") continue;
    const constant = type.fields.find(({ name }) => name === discriminator)?.type;
    if (constant?.kind === "literal")
      for (const value of constant.values) found.set(String(value), type.name);
  }
  return found;
}
