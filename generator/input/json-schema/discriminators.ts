import type { MessageDef, TypeDef, UnionDef, ValueType } from "../../protocol/model/types.js";

/** Finds the discriminator of each union: the field with a different constant in each member. */
export function withDiscriminators(types: readonly TypeDef[]): TypeDef[] {
  const messages = new Map(
    types.flatMap((type) => (type.kind === "message" ? [[type.name, type] as const] : [])),
  );
  return types.map((type) => {
    const discriminator = type.kind === "union" ? discriminatorOf(type, messages) : undefined;
    return discriminator === undefined ? type : { ...type, discriminator };
  });
}

function discriminatorOf(
  { members }: UnionDef,
  messages: ReadonlyMap<string, MessageDef>,
): string | undefined {
  const objects = members.map((member) =>
    member.kind === "message" ? messages.get(member.name) : undefined,
  );
  const names = objects[0]?.fields.map(({ name }) => name) ?? [];
  return names.find((name) => {
    const constants = objects.map((object) => constantOf(object, name));
    return (
      constants.every((constant) => constant !== undefined) &&
      new Set(constants).size === constants.length
    );
  });
}

function constantOf(message: MessageDef | undefined, name: string): string | undefined {
  const field = message?.fields.find((candidate) => candidate.name === name);
  return field?.presence === "required" ? constantText(field.type) : undefined;
}

/** Returns the string constant of a type; `undefined` if the type has other values. */
export function constantText(type: ValueType): string | undefined {
  if (type.kind !== "literal" || type.values.length !== 1) return undefined;
  const [value] = type.values;
  return typeof value === "string" ? value : undefined;
}
