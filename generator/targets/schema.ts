import { schemaOf, type JsonSchema } from "../protocol/json-schema.js";
import type { Protocol } from "../protocol/types.js";
import { jsonLines } from "./json-layout.js";
import { emptyPlan, type Target } from "./types.js";

/** The JSON Schema of the JSON side, with the names of earlier versions as deprecated definitions. */
export const schema: Target = {
  name: "schema",
  summary: "the JSON Schema of all types, draft-07 (schema.json)",
  onRequest: true,
  needs: [],
  plan: (protocol) => {
    const view = { lines: jsonLines(bundleOf(protocol)) };
    return { ...emptyPlan, files: [{ path: "schema.json", template: "schema/schema", view, runtime: [] }] };
  },
};

/** One schema with a definition for each type, and for each old name of one. */
function bundleOf({ title, types, legacy }: Protocol): object {
  const definitions = types.map((type) => [type.name, schemaOf(type)] as const);
  const aliases = legacy.flatMap(({ kind, old, now, since, until, note }): (readonly [string, JsonSchema])[] => {
    if (kind !== "types") return [];
    const description = [note, `Since ${since}: ${now}. May be removed in ${until}.`].filter(Boolean).join("\n\n");
    return [[old, { description, deprecated: true, allOf: [{ $ref: `#/definitions/${now}` }] }]];
  });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title,
    definitions: Object.fromEntries([...definitions, ...aliases]),
  };
}
