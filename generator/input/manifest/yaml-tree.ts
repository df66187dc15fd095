import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument, type Document } from "yaml";
import type { YamlError, YamlTree } from "../../compiled/yaml.js";

/** Returns the JSON pointer of the value that some keys lead to. */
export function pointerOf(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Parses YAML. Errors are part of the result. */
export function parseYaml(text: string): YamlTree {
  const document = parseDocument(text, { logLevel: "error" });
  const errors = document.errors.map(({ message, pos }): YamlError => {
    const [line = "it cannot be read"] = message.split("\n");
    return { message: line.replace(/ at line.*$/, ""), offset: pos[0] };
  });
  const offsets: Record<string, number> = {};
  addOffsets(document.contents, [], offsets);
  const tree = { offsets, scalars: scalarsOf(document) };
  if (errors.length > 0) return { value: null, ...tree, errors };
  try {
    return { value: document.toJS(), ...tree, errors };
  } catch (error) {
    // What an alias leads to is only looked up here: nowhere, or to more than anybody would write.
    const message = error instanceof Error ? error.message : String(error);
    return { value: null, ...tree, errors: [{ message }] };
  }
}

function addOffsets(node: unknown, keys: readonly string[], offsets: Record<string, number>): void {
  if (!isNode(node)) return;
  if (node.range) offsets[pointerOf(keys)] ??= node.range[0];
  if (isAlias(node)) return;
  if (isMap(node)) for (const { key, value } of node.items) addOffsets(value, [...keys, keyOf(key)], offsets);
  if (isSeq(node)) for (const [index, item] of node.items.entries()) addOffsets(item, [...keys, `${index}`], offsets);
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function scalarsOf({ contents }: Document): Record<string, string> {
  const pairs = isMap(contents) ? contents.items : [];
  const scalars = pairs.flatMap(({ key, value }) => {
    return isScalar(value) ? [[keyOf(key), value.source ?? String(value.value)] as const] : [];
  });
  return Object.fromEntries(scalars);
}
