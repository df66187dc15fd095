import type { Diagnostics } from "../../../support/diagnostics.js";
import { isRecord } from "../../../support/values.js";
import type { SourceText } from "../source.js";
import { YamlFile } from "./yaml-file.js";

/**
 * Reads doc comments from files that contain one string for each name. Later files override earlier
 * files.
 */
export function readDocs(
  sources: readonly SourceText[],
  diagnostics: Diagnostics,
): Map<string, string> {
  const docs = new Map<string, string>();
  for (const source of sources) {
    const file = YamlFile.of(source);
    const value = file.value(diagnostics, "the file of doc comments");
    for (const [name, doc] of Object.entries(isRecord(value) ? value : {})) {
      if (typeof doc === "string") docs.set(name, doc.trim());
      else
        diagnostics.add(
          file.locationOf([name]),
          `the doc comment of "${name}" must be a string`,
          "Put it in quotes",
        );
    }
  }
  return docs;
}
