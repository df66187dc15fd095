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
  [one, other]: Sides<EnumDef>,
): EnumMapping {
  const texts = new Set(other.values.map(({ name }) => name));
  const aliased = new Map(
    other.values.flatMap((value) => (value.aliases ?? []).map((alias) => [alias, value.name])),
  );
  const values = one.values.flatMap(({ name }): Sides<string>[] => {
    const found = [
      names.value([one.name, one.fullName, other.name], name),
      name,
      aliased.get(name),
    ].find((text) => text !== undefined && texts.has(text));
    if (found !== undefined) return [[name, found]];
    accounts.only(earlier, "values", [`${one.name}.${name}`, `${other.name}.${name}`]);
    return [];
  });
  for (const { name } of other.values)
    if (!values.some(([, found]) => found === name))
      accounts.only(later, "values", [`${other.name}.${name}`]);
  return { kind: "enum", values };
}
