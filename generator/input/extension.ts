import { Diagnostics } from "../support/diagnostics.js";
import { isIdentifier, pascalCase, wordsOf } from "../support/names.js";
import type { ReadReference } from "./json-schema/files.js";
import { parseJson, textOf } from "./json-schema/json.js";
import type { ExtensionSource, SourceText, SpecSource } from "./source.js";

const example = '"$id": "https://example.com/extensions/tone/v1"';

/**
 * Reads the URI and the name of an extension from its JSON Schema, whose types become a module of the output.
 *
 * @throws InputError if the schema is not JSON, or if its `$id` or its name is missing or invalid
 */
export function extensionOf(schema: SourceText, readReference?: ReadReference): ExtensionSource {
  const diagnostics = new Diagnostics();
  const root = parseJson(schema, diagnostics);
  const uri = root && textOf(root, "$id")?.replace(/#$/, "");
  if (root !== undefined && uri === undefined)
    diagnostics.add(
      root.location,
      "the extension has no `$id`",
      `Add the URI of the extension, by which agents and clients name it: ${example}`,
    );
  else if (root !== undefined && uri !== undefined && !URL.canParse(uri))
    diagnostics.add(
      root.location,
      `the \`$id\` ${JSON.stringify(uri)} of the extension is not a URI`,
      `Set it to an absolute URI: ${example}`,
    );
  const title = root && textOf(root, "title");
  const type = pascalCase(title ?? fileName(schema.file));
  if (root !== undefined && !isIdentifier(type))
    diagnostics.add(root.location, "the extension has no name", "Set `title` to a name that begins with a letter");
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
  return { uri: uri ?? "", type, folder, ...(description !== undefined && { description }), source };
}

/** Returns the name of a file without its folder and its endings: `tone` for `schemas/tone.schema.json`. */
function fileName(path: string): string {
  const [name = ""] = (path.split(/[\\/]/).at(-1) ?? "").split(".");
  return name;
}
