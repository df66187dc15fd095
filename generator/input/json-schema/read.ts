import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type { SourceText } from "../source.js";
import { SchemaBuilder } from "./build.js";
import { checkDefinitions } from "./check-definitions.js";
import { checkKeywords } from "./check.js";
import { withDiscriminators } from "./discriminators.js";
import { SchemaDocument } from "./document.js";
import { describeOperation, Envelopes, proposeNames } from "./envelopes.js";
import { schemaFiles, type ReadReference } from "./files.js";
import { parseJson } from "./json.js";
import { TypeFinder } from "./json-types.js";
import { Naming } from "./names.js";
import { Planner } from "./plan.js";
import type { SchemaHints, SchemaNote, SchemaParts } from "../../protocol/model/schema-parts.js";

/** Options for reading a JSON Schema. */
export interface SchemaOptions {
  /**
   * The name of the type that the document itself describes. By default, a document with
   * constraints is a type.
   */
  readonly rootType?: string | undefined;
  readonly readReference?: ReadReference | undefined;
}

/**
 * Reads a JSON Schema document. Its definitions become types; definitions with a constant `method`
 * become operations, and definitions with a constant `code` become errors. Adds errors to the
 * diagnostics. If errors occur, the result may be incomplete.
 */
export function readSchema(
  source: SourceText,
  hints: SchemaHints,
  diagnostics: Diagnostics,
  { rootType, readReference = () => undefined }: SchemaOptions = {},
): SchemaParts {
  const root = parseJson(source, diagnostics);
  const empty = { types: [], operations: [], errors: [], notes: [] };
  if (root === undefined) return { ...empty, locationOf: () => undefined };
  const notes: SchemaNote[] = [];
  const document = new SchemaDocument(root, diagnostics, {
    files: schemaFiles(source, readReference),
    rootType,
  });
  const locationOf = (...path: readonly string[]): Location | undefined =>
    document.locationOf(path) ?? document.locationOf(path.flatMap((name) => name.split(".")));
  const isSound =
    checkKeywords(document, diagnostics, notes) && checkDefinitions(document, diagnostics);
  if (!isSound) return { ...empty, notes, locationOf };
  return { ...buildParts(document, hints, diagnostics, notes), notes, locationOf };
}

function buildParts(
  document: SchemaDocument,
  hints: SchemaHints,
  diagnostics: Diagnostics,
  notes: SchemaNote[],
): Pick<SchemaParts, "types" | "operations" | "errors"> {
  const finder = new TypeFinder(document);
  const planner = new Planner(document, finder);
  const envelopes = new Envelopes(document, planner);
  const naming = new Naming(document, (name) => envelopes.isError(name), hints, diagnostics);
  const found = envelopes.operations(diagnostics, notes);
  proposeNames(found, naming, { planner, finder });
  const builder = new SchemaBuilder({ document, finder, planner, naming, hints, diagnostics });
  builder.types();
  const operations = found.map((envelope) => describeOperation(envelope, builder));
  return { types: withDiscriminators(builder.types()), operations, errors: envelopes.errors() };
}
