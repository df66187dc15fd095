import type { Diagnostics, Location } from "../../support/diagnostics.js";
import type { SourceText } from "../source.js";
import { SchemaBuilder } from "./build.js";
import { checkDefinitions } from "./check-definitions.js";
import { checkKeywords } from "./check.js";
import { withDiscriminators } from "./discriminators.js";
import { SchemaDocument } from "./document.js";
import { describeOperation, Envelopes, proposeNames } from "./envelopes.js";
import { parseJson } from "./json.js";
import { TypeFinder } from "./json-types.js";
import { Naming } from "./names.js";
import { Planner } from "./plan.js";
import type { SchemaHints, SchemaNote, SchemaParts } from "../../protocol/model/schema-parts.js";

/**
 * Reads a JSON Schema document. Its definitions become types; definitions with a constant `method` become operations,
 * and definitions with a constant `code` become errors. With `rootType`, the document itself is a type with this name.
 * Adds errors to the diagnostics. If errors occur, the result may be incomplete.
 */
export function readSchema(
  source: SourceText,
  hints: SchemaHints,
  diagnostics: Diagnostics,
  rootType?: string,
): SchemaParts {
  const root = parseJson(source, diagnostics);
  const empty = { types: [], operations: [], errors: [], notes: [] };
  if (root === undefined) return { ...empty, locationOf: () => undefined };
  const notes: SchemaNote[] = [];
  const document = new SchemaDocument(root, diagnostics, rootType);
  const locationOf = (...path: readonly string[]): Location | undefined =>
    document.locationOf(path) ?? document.locationOf(path.flatMap((name) => name.split(".")));
  const isSound = checkKeywords(document, diagnostics, notes) && checkDefinitions(document, diagnostics);
  if (!isSound) return { ...empty, notes, locationOf };
  return { ...buildParts(document, hints, diagnostics), notes, locationOf };
}

function buildParts(
  document: SchemaDocument,
  hints: SchemaHints,
  diagnostics: Diagnostics,
): Pick<SchemaParts, "types" | "operations" | "errors"> {
  const finder = new TypeFinder(document);
  const planner = new Planner(document, finder);
  const envelopes = new Envelopes(document, planner);
  const naming = new Naming(document, (name) => envelopes.isError(name), hints, diagnostics);
  const found = envelopes.operations(diagnostics);
  proposeNames(found, naming, { planner, finder });
  const builder = new SchemaBuilder({ document, finder, planner, naming, hints, diagnostics });
  builder.types();
  const operations = found.map((envelope) => describeOperation(envelope, builder));
  return { types: withDiscriminators(builder.types()), operations, errors: envelopes.errors() };
}
