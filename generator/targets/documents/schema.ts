import { schemaOf } from "../../protocol/json-schema/json-schema.js";
import type { Protocol } from "../../protocol/model/types.js";
import { aliasSchemas } from "./aliases.js";
import { jsonLines } from "./json-layout.js";
import { emptyPlan, type Target } from "../../emit/plan.js";

/**
 * Target of the JSON Schema of the model, with the names of earlier versions as deprecated
 * definitions.
 */
export const schema: Target = {
  name: "schema",
  summary: "the JSON Schema of all types, draft-07 (schema.json)",
  optIn: true,
  needs: [],
  plan: (protocol) => {
    const view = { lines: jsonLines(bundleOf(protocol)) };
    return {
      ...emptyPlan,
      files: [{ path: "schema.json", template: "schema/schema", view, imports: [], exports: [] }],
    };
  },
};

/** Returns a schema with a definition for each type and for each old name of a type. */
function bundleOf(protocol: Protocol): object {
  const { title, types } = protocol;
  const definitions = types.map((type) => [type.name, schemaOf(type)] as const);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title,
    definitions: Object.fromEntries([...definitions, ...aliasSchemas(protocol)]),
  };
}
