import { Diagnostics } from "../../support/diagnostics.js";
import { isIdentifier, pascalCase, wordsOf } from "../../support/names.js";
import type { ReadReference } from "./json-schema/files.js";
import { parseJson, textOf } from "./json-schema/json.js";
import type { ExtensionSource, SourceText, SpecSource } from "./source.js";

const example = '"$id": "https://example.com/extensions/tone/v1"';

/** An extension in a configuration or on the command line. */
export interface ExtensionChoice {
  /** The path of the JSON Schema. */
  readonly path: string;
  /** The URI of the extension, if it is not the `$id` of the schema. */
  readonly uri?: string;
}

/**
 * Reads `FILE` or `URI=FILE`. A scheme has at least two letters, to distinguish it from a drive.
 */
export function extensionChoice(text: string): ExtensionChoice {
  const [, uri, path] = /^([a-z][a-z\d+.-]+:.*)=([^=]+)$/i.exec(text) ?? [];
  return uri === undefined || path === undefined ? { path: text } : { path, uri };
}

/** Returns an extension as text, with its path changed by `move`. */
export function movedExtension(text: string, move: (path: string) => string): string {
  const { path, uri } = extensionChoice(text);
  return uri === undefined ? move(path) : `${uri}=${move(path)}`;
}

/**
 * Reads the URI and the name of an extension from its JSON Schema, whose types become a module of
 * the output. `named` is the URI if it is not the `$id` of the schema.
 *
 * @throws InputError if the schema is not JSON, or if its `$id` or its name is missing or invalid
 */
export function extensionOf(
  schema: SourceText,
  readReference?: ReadReference,
  named?: string,
): ExtensionSource {
  const diagnostics = new Diagnostics();
  const root = parseJson(schema, diagnostics);
  const uri = named ?? (root && textOf(root, "$id")?.replace(/#$/, ""));
  if (root !== undefined && uri === undefined)
    diagnostics.add(
      root.location,
      "the extension has no `$id`",
      `Add the URI of the extension, by which agents and clients name it: ${example}. If you ` +
        "cannot change the file, " +
        `name the extension by URI=FILE`,
    );
  else if (root !== undefined && uri !== undefined && !URL.canParse(uri))
    diagnostics.add(
      root.location,
      `the ${named === undefined ? "`$id`" : "URI"} ${JSON.stringify(uri)} of the extension is ` +
        "not a URI",
      `Set it to an absolute URI: ${example}`,
    );
  const title = root && textOf(root, "title");
  const type = pascalCase(title ?? fileName(schema.file));
  if (root !== undefined && !isIdentifier(type))
    diagnostics.add(
      root.location,
      "the extension has no name",
      "Set `title` to a name that begins with a letter",
    );
  diagnostics.throwIfAny();
  const description = root && textOf(root, "description");
  const source: SpecSource = {
    title: schema.file,
    schema,
    rootType: type,
    docs: [],
    manifests: [],
    borrowed: false,
    readImport: () => undefined,
    ...(readReference && { readReference }),
  };
  const folder = wordsOf(type).join("-").toLowerCase();
  return {
    uri: uri ?? "",
    type,
    folder,
    ...(description !== undefined && { description }),
    source,
  };
}

/**
 * Returns the name of a file without its folder and its endings: `tone` for
 * `schemas/tone.schema.json`.
 */
function fileName(path: string): string {
  const [name = ""] = (path.split(/[\\/]/).at(-1) ?? "").split(".");
  return name;
}
