import type protobuf from "protobufjs";
import { pascalCase, upperSnakeCase } from "../../../support/names.js";
import { isRecord } from "../../../support/values.js";
import type { EnumValueDef } from "../../protocol/model/types.js";
import { commentText } from "./comments.js";
import type { TypeHints } from "./hints.js";
import { nameOf, originalName } from "./parsed-names.js";
import { isDeprecated } from "./options.js";

/** Builds the values of an enum, each with a unique key. */
export function buildEnumValues(type: protobuf.Enum, hints: TypeHints): EnumValueDef[] {
  const owner = nameOf(type);
  const prefix = `${upperSnakeCase(owner)}_`;
  const names = Object.keys(type.values);
  const spellings = Object.entries(own(hints.enumAliases, owner) ?? {});
  const strip = names.every(
    (name) => name.startsWith(prefix) && /^[A-Za-z]/.test(name.slice(prefix.length)),
  );
  const values = names.map((parsed): EnumValueDef => {
    const name = originalName(parsed);
    const options = own(type.valuesOptions, parsed);
    const aliases = spellings.flatMap(([alias, value]) => (value === name ? [alias] : []));
    return {
      name,
      key: hints.keys[`${owner}.${name}`] ?? keyOf(strip ? name.slice(prefix.length) : name),
      ...(aliases.length > 0 && { aliases }),
      number: type.values[parsed] ?? 0,
      docs: commentText(own(type.comments, parsed)),
      deprecated: isDeprecated(isRecord(options) ? options : undefined),
    };
  });
  return withDistinctKeys(values);
}

/**
 * Returns the TypeScript key of a value: its name in PascalCase, or unchanged if it contains no
 * words.
 */
function keyOf(name: string): string {
  return pascalCase(name) || name;
}

/**
 * Makes keys distinct. If several values have the same key, all except the first keep their
 * original spelling.
 */
function withDistinctKeys(values: readonly EnumValueDef[]): EnumValueDef[] {
  const taken = new Set<string>();
  return values.map((value) => {
    let key = taken.has(value.key) ? value.name : value.key;
    while (taken.has(key)) key += "_";
    taken.add(key);
    return key === value.key ? value : { ...value, key };
  });
}

/**
 * Returns an own member of a table. Inherited members are ignored, because a key may be the name of
 * a member of `Object.prototype`.
 */
function own(table: object | null | undefined, key: string): unknown {
  return table && Object.hasOwn(table, key) ? Reflect.get(table, key) : undefined;
}
