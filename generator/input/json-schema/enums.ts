import { isIdentifier, pascalCase } from "../../../support/names.js";
import type { EnumValueDef } from "../../protocol/model/types.js";
import { docsOf, type Builder } from "./builder.js";
import { itemsOf, memberOf, textOf, textsOf, type JsonNode } from "./json.js";
import { hintOf } from "./names.js";
import { stringConstantsOf } from "./plan.js";

/**
 * Returns the values of an enum. The schema may declare them as a list of strings or as single
 * constants. Reports keys that are not unique or not identifiers.
 */
export function enumValues(
  builder: Builder,
  node: JsonNode,
  names: readonly string[],
): EnumValueDef[] {
  const { diagnostics, hints } = builder;
  const entries = entriesOf(node);
  const first = new Map<string, string>();
  const spellings = [...new Set(names)].flatMap((name) =>
    Object.entries(hintOf(hints.enumAliases, name) ?? {}),
  );
  return entries.map(({ text, location, about }) => {
    const given = names.flatMap((name) => hintOf(hints.keys, `${name}.${text}`) ?? []);
    const key = given[0] ?? pascalCase(text);
    const earlier = first.get(key);
    first.set(key, text);
    const hint =
      "Set a key for one of them in a manifest: keys: { " +
      `${JSON.stringify(`${names[0] ?? ""}.${text}`)}: … }`;
    if (!isIdentifier(key))
      diagnostics.add(location, `the value ${JSON.stringify(text)} has no key in TypeScript`, hint);
    else if (earlier !== undefined) {
      const message =
        `the values ${JSON.stringify(earlier)} and ${JSON.stringify(text)} both have the key ` +
        `"${key}" in TypeScript`;
      diagnostics.add(location, message, hint);
    }
    const aliases = spellings.flatMap(([alias, value]) => (value === text ? [alias] : []));
    return { name: text, key, ...about, ...(aliases.length > 0 && { aliases }) };
  });
}

function entriesOf(node: JsonNode) {
  const plain = { docs: "", deprecated: false };
  const listed = itemsOf(memberOf(node, "enum")).flatMap((item) =>
    textsOf({ kind: "list", location: item.location, items: [item] }).map((text) => ({
      text,
      location: item.location,
      about: plain,
    })),
  );
  const described = stringConstantsOf(node).map((item) => ({
    text: textOf(item, "const") ?? "",
    location: item.location,
    about: docsOf(item),
  }));
  return [...listed, ...described];
}
