import { Diagnostics, type Location } from "../../support/diagnostics.js";
import { readDocs } from "../input/manifest/docs.js";
import { readSchema } from "../input/json-schema/read.js";
import type { SchemaParts } from "../protocol/model/schema-parts.js";
import { readManifests } from "../input/manifest/manifest.js";
import type { LoadedManifest, Manifest } from "../protocol/model/manifest.js";
import { buildTypes, nameTypes } from "../input/proto/build.js";
import type { TypeHints } from "../input/proto/hints.js";
import { parseProtos } from "../input/proto/parse.js";
import { buildOperations } from "../input/proto/services.js";
import type { SourceText, SpecSource } from "../input/source.js";
import { checkManifest } from "../protocol/build/check-manifest.js";
import { nameProtocol } from "../protocol/names/names.js";
import { Correlator } from "../protocol/correlate/correlate.js";
import { CorrelationHints } from "../protocol/correlate/hints.js";
import {
  correlateOperations,
  schemaOperations,
  type SchemaSide,
} from "../protocol/correlate/operations.js";
import { Shapes } from "../protocol/correlate/shape.js";
import { DocOverlay } from "../protocol/build/docs.js";
import { withFieldHints } from "../protocol/build/field-hints.js";
import { linkProtocol, type Parts } from "../protocol/build/link.js";
import type { Omission, OperationDef, Protocol, TypeDef } from "../protocol/model/types.js";
import { protoJsonWire } from "../protocol/build/wire-identity.js";

/**
 * Reads a specification, and determines the TypeScript names of all its elements.
 *
 * @throws InputError if the specification is invalid, with all errors
 */
export function readProtocol(source: SpecSource): Protocol {
  const diagnostics = new Diagnostics();
  const manifest = source.manifests.length === 0 ? undefined : readManifests(source, diagnostics);
  const overlay = new DocOverlay(readDocs(source.docs, diagnostics));
  const proto =
    source.proto && readProto(source, source.proto, manifest?.manifest ?? {}, overlay, diagnostics);
  diagnostics.throwIfAny();
  const schema =
    source.schema &&
    readJsonSchema(source, source.schema, manifest?.manifest ?? {}, overlay, diagnostics);
  diagnostics.throwIfAny();
  if (schema?.types.length === 0 && schema.operations.length === 0) {
    const location = { file: source.schema?.file ?? source.title, line: 1, column: 1 };
    diagnostics.add(
      location,
      "the file does not define a type",
      "Specify a JSON Schema with definitions",
    );
    diagnostics.throwIfAny();
  }
  const sources = { proto, schema, manifest };
  const kinds = (["proto", "schema"] as const).filter((kind) => sources[kind] !== undefined);
  const parts = {
    title: source.title,
    sources: kinds,
    manifest,
    ...combine(sources, overlay, diagnostics),
  };
  if (parts.types.length === 0 && parts.operations.length === 0) {
    const { file } = source.proto ?? { file: source.title };
    const message = "the file does not declare a message, enum or rpc";
    diagnostics.add({ file, line: 1, column: 1 }, message, "Specify a proto with declarations");
  }
  diagnostics.throwIfAny();
  const types = withFieldHints(parts.types, manifest?.manifest ?? {}, proto?.package ?? "");
  const protocol = linkProtocol({ ...parts, types }, diagnostics);
  if (manifest !== undefined) {
    const { types, operations } = protocol;
    const declared = {
      package: proto?.package ?? "",
      types,
      protoTypes: proto?.types ?? [],
      operations,
    };
    checkManifest(declared, manifest, diagnostics);
  }
  diagnostics.throwIfAny();
  return nameProtocol(protocol);
}

interface ProtoSource {
  readonly package: string;
  readonly types: readonly TypeDef[];
  readonly operations: readonly OperationDef[];
  readonly omissions: readonly Omission[];
  readonly locationOf: (fullName: string) => Location | undefined;
}

interface Sources {
  readonly proto: ProtoSource | undefined;
  readonly schema: SchemaParts | undefined;
  readonly manifest: LoadedManifest | undefined;
}

function readProto(
  source: SpecSource,
  proto: SourceText,
  { names = {}, requiredOneofs = [], maybeEmpty = [], keys = {}, enumAliases = {} }: Manifest,
  overlay: DocOverlay,
  diagnostics: Diagnostics,
): ProtoSource {
  const files = parseProtos(proto, source, diagnostics);
  const hints: TypeHints = { names, requiredOneofs, maybeEmpty, keys, enumAliases };
  const typeNames = nameTypes(files, hints);
  const built = buildTypes(files, typeNames, hints, diagnostics);
  const types = overlay.types(built.types, files.package);
  const { operations, omissions: routes } = buildOperations(files, typeNames, diagnostics);
  const omissions = [...built.omissions, ...routes];
  const { locationOf } = files;
  return {
    package: files.package,
    types,
    operations: overlay.operations(operations),
    omissions,
    locationOf,
  };
}

function readJsonSchema(
  { rootType, readReference }: SpecSource,
  text: SourceText,
  manifest: Manifest,
  overlay: DocOverlay,
  diagnostics: Diagnostics,
): SchemaParts {
  const { names = {}, keys = {}, enumAliases = {} } = manifest;
  const parts = readSchema(text, { names, keys, enumAliases }, diagnostics, {
    rootType,
    readReference,
  });
  const errors = parts.errors.map((error) => ({
    ...error,
    docs: error.docs || overlay.text(error.name),
  }));
  const operations = parts.operations.map((one) => ({
    ...one,
    docs: one.docs || overlay.text(one.name),
  }));
  return { ...parts, types: overlay.types(parts.types, ""), operations, errors };
}

type Combined = Omit<Parts, "title" | "sources" | "manifest">;

/** Combines the information from all sources into one interface. */
function combine(
  { proto, schema, manifest }: Sources,
  overlay: DocOverlay,
  diagnostics: Diagnostics,
): Combined {
  if (schema === undefined) {
    const { types = [], operations = [], omissions = [] } = proto ?? {};
    const wire = proto && protoJsonWire(types, proto.package);
    return { types, wire, operations, omissions, errors: [], losses: [] };
  }
  const notes = schema.notes.map((note): Omission => ({ target: "validators", ...note }));
  const side: SchemaSide = { ...schema, shapes: new Shapes(schema.types) };
  const { types, errors } = schema;
  if (proto === undefined) {
    const operations = overlay.operations(schemaOperations(side, manifest));
    return { types, wire: undefined, operations, omissions: notes, errors, losses: [] };
  }
  const hints = new CorrelationHints(manifest);
  const correlator = new Correlator(proto, schema, hints, diagnostics);
  const carried = proto.operations.filter(({ name }) => !hints.isOnlyProtobuf(name));
  const operations = correlateOperations(carried, side, manifest, correlator, diagnostics);
  const without = proto.operations.flatMap(({ name }): Omission[] =>
    carried.some((operation) => operation.name === name)
      ? []
      : [{ target: "grpc", subject: name, reason: "the schema does not describe the operation" }],
  );
  const wire = correlator.result(proto.package);
  if (manifest?.borrowed !== true) hints.reportUnused(diagnostics);
  const { losses } = correlator;
  return {
    types,
    wire,
    operations,
    omissions: [...proto.omissions, ...without, ...notes],
    errors,
    losses,
  };
}
