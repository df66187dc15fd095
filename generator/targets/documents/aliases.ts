import { annotated, draft07 } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { LegacyDef, Protocol } from "../../protocol/model/types.js";
import { removalOf } from "../../emit/legacy-docs.js";

/**
 * Returns a description of an alias: the version in which the name became an alias, how long the alias remains
 * available, and the manifest's notes.
 */
export function aliasDocs(alias: LegacyDef, { binding }: Pick<Protocol, "binding">): string {
  const { now, since, note } = alias;
  return [note, `Since ${since}: ${now}. ${removalOf(alias, binding?.version)}`].filter(Boolean).join("\n\n");
}

/** Derives a deprecated schema for each old name of a type. The schema refers to the current name of the type. */
export function aliasSchemas(
  protocol: Pick<Protocol, "legacy" | "binding">,
  dialect = draft07,
): [string, JsonSchema][] {
  return protocol.legacy.flatMap((alias): [string, JsonSchema][] => {
    if (alias.kind !== "types") return [];
    const about = {
      description: `Old name of \`${alias.now}\`: nothing here refers to it.\n\n${aliasDocs(alias, protocol)}`,
      deprecated: true,
    };
    return [[alias.old, annotated(about, { $ref: dialect.refTo(alias.now) }, dialect)]];
  });
}
