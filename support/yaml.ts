import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument, type Document } from "yaml";
import { pointerOf } from "./json-pointer.js";

/**
 * The values of a YAML file, with their locations. The tree is plain data, so that the build can
 * store it as JSON.
 */
export interface YamlTree {
  /** The value; `null` if the file has errors. */
  readonly value: unknown;
  /** The offset of each value, by its JSON pointer. */
  readonly offsets: Readonly<Record<string, number>>;
  /** The scalars at the top level, as they are spelled in the file: `1.0`, not the number 1. */
  readonly scalars: Readonly<Record<string, string>>;
  readonly errors: readonly YamlError[];
}

/** An error that makes a file invalid YAML. */
export interface YamlError {
  readonly message: string;
  /** Absent if the parser does not report the location. */
  readonly offset?: number;
}

/**
 * Parses YAML. Errors are part of the result. A build contains the results for all files of the
 * package, and only loads the parser for other files.
 */
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
    // The parser only resolves aliases here. An error means that the target of an alias is missing,
    // or that the expanded value is too large.
    const message = error instanceof Error ? error.message : String(error);
    return { value: null, ...tree, errors: [{ message }] };
  }
}

function addOffsets(node: unknown, keys: readonly string[], offsets: Record<string, number>): void {
  if (!isNode(node)) return;
  if (node.range) offsets[pointerOf(keys)] ??= node.range[0];
  if (isAlias(node)) return;
  if (isMap(node))
    for (const { key, value } of node.items) addOffsets(value, [...keys, keyOf(key)], offsets);
  if (isSeq(node))
    for (const [index, item] of node.items.entries())
      addOffsets(item, [...keys, `${index}`], offsets);
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
