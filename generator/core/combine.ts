import type { Diagnostics, Location } from "../../support/diagnostics.js";
import type { SpecSource } from "../input/source.js";
import type { DocOverlay } from "../protocol/build/docs.js";
import { withFieldHints } from "../protocol/build/field-hints.js";
import type { Parts } from "../protocol/build/link.js";
import { protoJsonWire } from "../protocol/build/wire-identity.js";
import { correlate } from "../protocol/correlate/correlate.js";
import { schemaOperations } from "../protocol/correlate/operations.js";
import { Shapes } from "../protocol/correlate/shape.js";
import type { LoadedManifest } from "../protocol/model/manifest.js";
import type { SchemaParts } from "../protocol/model/schema-parts.js";
import type { Omission, OperationDef, ServiceDef, TypeDef } from "../protocol/model/types.js";

/** The types and operations of a proto. */
export interface ProtoSource {
  readonly package: string;
  /** The folders of the types that other outputs of the run declare, by their full names. */
  readonly elsewhere: ReadonlyMap<string, string>;
  readonly types: readonly TypeDef[];
  readonly operations: readonly OperationDef[];
  readonly services: readonly ServiceDef[];
  readonly omissions: readonly Omission[];
  readonly locationOf: (fullName: string) => Location | undefined;
}

/** The content of the texts of a specification. */
export interface Sources {
  readonly proto: ProtoSource | undefined;
  readonly schema: SchemaParts | undefined;
  readonly manifest: LoadedManifest | undefined;
  readonly overlay: DocOverlay;
}

/** The parts that depend on which sources a specification has. */
type Combined = Omit<Parts, "title" | "sources" | "manifest" | "services">;

/**
 * Combines all sources into the parts of one protocol, whose references are not linked yet. The
 * schema determines the types if there is one, because it describes the JSON on the wire.
 */
export function partsOf(source: SpecSource, sources: Sources, diagnostics: Diagnostics): Parts {
  const { proto, schema, manifest } = sources;
  const combined =
    schema === undefined ? protoParts(proto) : schemaParts(schema, sources, diagnostics);
  const { types, operations } = combined;
  if (types.length === 0 && operations.length === 0 && source.folders === undefined) {
    const { file } = source.proto ?? { file: source.title };
    const message = "the file does not declare a message, enum or rpc";
    diagnostics.add({ file, line: 1, column: 1 }, message, "Specify a proto with declarations");
  }
  return {
    ...combined,
    title: source.title,
    sources: (["proto", "schema"] as const).filter((kind) => sources[kind] !== undefined),
    manifest,
    services: sources.proto?.services ?? [],
    types: withFieldHints(types, manifest?.manifest ?? {}, proto?.package ?? ""),
  };
}

/** Returns the parts of a proto without a schema, whose JSON is therefore ProtoJSON. */
function protoParts(proto: ProtoSource | undefined): Combined {
  const { types = [], operations = [], omissions = [] } = proto ?? {};
  const wire = proto && protoJsonWire(types, proto.package);
  return { types, wire, operations, omissions, errors: [], losses: [] };
}

function schemaParts(
  schema: SchemaParts,
  { proto, manifest, overlay }: Sources,
  diagnostics: Diagnostics,
): Combined {
  const { types, errors } = schema;
  const side = { ...schema, shapes: new Shapes(types) };
  const notes = schema.notes.map((note): Omission => ({ target: "validators", ...note }));
  if (proto === undefined) {
    const operations = overlay.documented(schemaOperations(side, manifest));
    return { types, wire: undefined, operations, omissions: notes, errors, losses: [] };
  }
  const { operations, wire, losses } = correlate(proto, side, manifest, diagnostics);
  const carried = new Set(operations.map(({ name }) => name));
  const onlyProtobuf = proto.operations.filter(({ name }) => !carried.has(name));
  const omissions = [...proto.omissions, ...onlyProtobuf.map(omissionFromSchema), ...notes];
  return { types, wire, operations, omissions, errors, losses };
}

function omissionFromSchema({ name }: OperationDef): Omission {
  const reason = "the schema does not describe the operation";
  return { target: "grpc", subject: name, reason };
}
