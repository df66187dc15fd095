import { Diagnostics } from "../../support/diagnostics.js";
import { readDocs } from "../input/manifest/docs.js";
import { readSchema } from "../input/json-schema/read.js";
import type { SchemaParts } from "../protocol/model/schema-parts.js";
import { readManifests } from "../input/manifest/manifest.js";
import type { Manifest } from "../protocol/model/manifest.js";
import { buildTypes, nameTypes } from "../input/proto/build.js";
import type { TypeHints } from "../input/proto/hints.js";
import { parseProtos } from "../input/proto/parse.js";
import { buildOperations } from "../input/proto/services.js";
import type { SourceText, SpecSource } from "../input/source.js";
import { checkManifest } from "../protocol/build/check-manifest.js";
import { nameProtocol } from "../protocol/names/names.js";
import { DocOverlay } from "../protocol/build/docs.js";
import { linkProtocol } from "../protocol/build/link.js";
import type { Protocol } from "../protocol/model/types.js";
import { partsOf, type ProtoSource, type Sources } from "./combine.js";

/**
 * Reads a specification, and determines the TypeScript names of all its elements.
 *
 * @throws InputError if the specification is invalid, with all errors
 */
export function readProtocol(source: SpecSource): Protocol {
  const diagnostics = new Diagnostics();
  const sources = readSources(source, diagnostics);
  const parts = partsOf(source, sources, diagnostics);
  diagnostics.throwIfAny();
  const protocol = linkProtocol(parts, diagnostics);
  checkDeclarations(protocol, sources, diagnostics);
  diagnostics.throwIfAny();
  const { elsewhere = new Map() } = sources.proto ?? {};
  return nameProtocol(elsewhere.size === 0 ? protocol : { ...protocol, elsewhere });
}

/** The data that the readers of protos and schemas share. */
interface Reading {
  readonly source: SpecSource;
  readonly manifest: Manifest;
  readonly overlay: DocOverlay;
  readonly diagnostics: Diagnostics;
}

/** Reads the texts of a specification. Throws after each text, because the next one needs it. */
function readSources(source: SpecSource, diagnostics: Diagnostics): Sources {
  const manifest = source.manifests.length === 0 ? undefined : readManifests(source, diagnostics);
  const overlay = new DocOverlay(readDocs(source.docs, diagnostics));
  const reading = { source, manifest: manifest?.manifest ?? {}, overlay, diagnostics };
  const proto = source.proto && readProto(source.proto, reading);
  diagnostics.throwIfAny();
  const schema = source.schema && readJsonSchema(source.schema, reading);
  diagnostics.throwIfAny();
  return { proto, schema, manifest, overlay };
}

function readProto(text: SourceText, reading: Reading): ProtoSource {
  const { source, manifest, overlay, diagnostics } = reading;
  const {
    names = {},
    requiredOneofs = [],
    maybeEmpty = [],
    keys = {},
    enumAliases = {},
  } = manifest;
  const files = parseProtos([text, ...(source.further ?? [])], source, diagnostics);
  const hints: TypeHints = { names, requiredOneofs, maybeEmpty, keys, enumAliases };
  const typeNames = nameTypes(files, hints);
  const { types, omissions } = buildTypes(files, typeNames, hints, diagnostics);
  const service = buildOperations(files, typeNames, diagnostics);
  return {
    package: files.package,
    elsewhere: files.elsewhere,
    types: overlay.types(types, files.package),
    operations: overlay.documented(service.operations),
    services: service.services,
    omissions: [...omissions, ...service.omissions],
    locationOf: files.locationOf,
  };
}

function readJsonSchema(text: SourceText, reading: Reading): SchemaParts {
  const { source, manifest, overlay, diagnostics } = reading;
  const { names = {}, keys = {}, enumAliases = {} } = manifest;
  const { rootType, readReference } = source;
  const hints = { names, keys, enumAliases };
  const parts = readSchema(text, hints, diagnostics, { rootType, readReference });
  diagnostics.throwIfAny();
  if (parts.types.length === 0 && parts.operations.length === 0) {
    const location = { file: text.file, line: 1, column: 1 };
    const hint = "Specify a JSON Schema with definitions";
    diagnostics.add(location, "the file does not define a type", hint);
  }
  return {
    ...parts,
    types: overlay.types(parts.types, ""),
    operations: overlay.documented(parts.operations),
    errors: overlay.documented(parts.errors),
  };
}

/** Checks that the specification declares what its manifest refers to. */
function checkDeclarations(
  { types, operations }: Protocol,
  { proto, manifest }: Sources,
  diagnostics: Diagnostics,
): void {
  if (manifest === undefined) return;
  const { package: protoPackage = "", types: protoTypes = [] } = proto ?? {};
  checkManifest({ package: protoPackage, types, protoTypes, operations }, manifest, diagnostics);
}
