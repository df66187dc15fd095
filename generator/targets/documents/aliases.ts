import { annotated, draft07 } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { LegacyDef, Protocol } from "../../protocol/model/types.js";

/**
 * Returns a description of an alias: the version in which the name became an alias, and the
 * manifest's notes.
 */
function aliasDocs({ now, since, note }: LegacyDef): string {
  return [note, `Since ${since}: ${now}.`].filter(Boolean).join("\n\n");
}

/**
 * Derives a deprecated schema for each old name of a type. The schema refers to the current name of
 * the type.
 */
export function aliasSchemas(
  { legacy }: Pick<Protocol, "legacy">,
  dialect = draft07,
): [string, JsonSchema][] {
  return legacy.flatMap((alias): [string, JsonSchema][] => {
    if (alias.kind !== "types") return [];
    const about = {
      description:
        `Old name of \`${alias.now}\`: nothing here refers to ` + `it.\n\n${aliasDocs(alias)}`,
      deprecated: true,
    };
    return [[alias.old, annotated(about, { $ref: dialect.refTo(alias.now) }, dialect)]];
  });
}
