import type { EnumDef } from "../model/types.js";
import type { MappingContext } from "./context.js";
import { earlier, later } from "./sides.js";
import type { EnumMapping, Sides } from "./types.js";

/**
 * Maps the values of two enums: according to the manifest, or by their strings. Records the values
 * that are missing from one version.
 */
export function mapEnum(
  { names, accounts }: MappingContext,
  [from, to]: Sides<EnumDef>,
): EnumMapping {
  const texts = new Set(to.values.map(({ name }) => name));
  const aliased = new Map(
    to.values.flatMap((value) => (value.aliases ?? []).map((alias) => [alias, value.name])),
  );
  const values = from.values.flatMap(({ name }): Sides<string>[] => {
    const found = [
      names.value([from.name, from.fullName, to.name], name),
      name,
      aliased.get(name),
    ].find((text) => text !== undefined && texts.has(text));
    if (found !== undefined) return [[name, found]];
    accounts.only(earlier, "values", [`${from.name}.${name}`, `${to.name}.${name}`]);
    return [];
  });
  for (const { name } of to.values)
    if (!values.some(([, found]) => found === name))
      accounts.only(later, "values", [`${to.name}.${name}`]);
  return { kind: "enum", values };
}
