import { annotated, draft07, type JsonSchema } from "../../protocol/json-schema.js";
import type { LegacyDef } from "../../protocol/types.js";

/** Says since when an old name is another one, and until when it stays, with what else is noted about it. */
export function aliasDocs({ now, since, until, note }: LegacyDef): string {
  return [note, `Since ${since}: ${now}. May be removed in ${until}.`].filter(Boolean).join("\n\n");
}

/** Derives a deprecated schema for each old name of a type, by that name: it refers to what the type is called now. */
export function aliasSchemas(legacy: readonly LegacyDef[], dialect = draft07): [string, JsonSchema][] {
  return legacy.flatMap((alias): [string, JsonSchema][] => {
    if (alias.kind !== "types") return [];
    const about = { description: aliasDocs(alias), deprecated: true };
    return [[alias.old, annotated(about, { $ref: dialect.refTo(alias.now) }, dialect)]];
  });
}
