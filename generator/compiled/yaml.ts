import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument, type Document } from "yaml";
import { pointerOf } from "../support/json-pointer.js";

/** What a YAML file holds: values, and where they are. It is plain data, so that the build can keep it as JSON. */
export interface YamlTree {
  /** The value; `null` where there are errors. */
  readonly value: unknown;
  /** The offset of each value, by its JSON pointer. */
  readonly offsets: Readonly<Record<string, number>>;
  /** The scalars of the top level as they are written: `1.0` and not the number 1. */
  readonly scalars: Readonly<Record<string, string>>;
  readonly errors: readonly YamlError[];
}

/** Why a file is no YAML. */
export interface YamlError {
  readonly message: string;
  /** Absent where the parser does not say it. */
  readonly offset?: number;
}

/**
 * Parses YAML. Errors are part of the result. The build has the result for all files of the package, and loads the parser
 * only for others.
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
