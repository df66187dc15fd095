import type { Diagnostics } from "../../support/diagnostics.js";
import { isRecord } from "../../support/values.js";
import type { SourceText } from "../source.js";
import { YamlFile } from "./yaml-file.js";

/** Reads the doc comments of files that hold one text per name; later files override. */
export function readDocs(sources: readonly SourceText[], diagnostics: Diagnostics): Map<string, string> {
  const texts = new Map<string, string>();
  for (const source of sources) {
    const file = new YamlFile(source, "the file of doc comments");
    const value = file.value(diagnostics);
    for (const [name, text] of Object.entries(isRecord(value) ? value : {})) {
      if (typeof text === "string") texts.set(name, text.trim());
      else diagnostics.add(file.placeOf([name]), `the doc comment of "${name}" is no text`, "Write it as text");
    }
  }
  return texts;
}
