import type { Diagnostics } from "../../../support/diagnostics.js";
import type { LoadedManifest } from "../model/manifest.js";
import { qualifiedName } from "../model/qualified-name.js";
import type { SchemaError } from "../model/schema-parts.js";
import { streamsRequests, streamsResponses } from "../model/streaming.js";
import type {
  AliasDef,
  LossDef,
  Omission,
  OperationDef,
  Protocol,
  ServiceDef,
  TypeDef,
  ValueType,
  WireDef,
} from "../model/types.js";
import { bindingOf, hasFacts } from "./binding.js";
import { legacyOf, removedOf } from "./legacy.js";
import { linkOperation } from "./link-operation.js";
import { subjectsOf } from "./subjects.js";
import { versionHintsOf } from "./version-hints.js";

/** Results of reading the proto, the schema and the manifest. */
export interface Parts {
  readonly title: string;
  /** The kinds of the sources, except for the manifest. */
  readonly sources: readonly ("proto" | "schema")[];
  /** The types of the model. */
  readonly types: readonly TypeDef[];
  readonly wire: WireDef | undefined;
  readonly losses: readonly LossDef[];
  /** The operations that the sources declare. */
  readonly operations: readonly OperationDef[];
  /** The services of the proto. */
  readonly services: readonly ServiceDef[];
  /** The errors of the schema. */
  readonly errors: readonly SchemaError[];
  /** The parts of the sources that the output cannot contain. */
  readonly omissions: readonly Omission[];
  readonly manifest: LoadedManifest | undefined;
}

/** Builds the protocol from the results of the readers and the manifest. Reports contradictions. */
export function linkProtocol(parts: Parts, diagnostics: Diagnostics): Protocol {
  const { title, sources, types, wire, losses, manifest: loaded } = parts;
  const manifest = loaded?.manifest ?? {};
  const binding =
    loaded && hasFacts(manifest) ? bindingOf(loaded, parts.errors, diagnostics) : undefined;
  const aliases = new Map(
    types.flatMap((type) => (type.kind === "alias" ? [[type.name, type]] : [])),
  );
  const isPlain = binding !== undefined && binding.card === undefined;
  const links = parts.operations.map((declared) => {
    const limit = limitOf(declared, aliases);
    const isJson = limit === undefined;
    const named = isPlain && isJson ? withMethod(declared) : declared;
    return { operation: linkOperation(named, manifest, { isJson }), limit };
  });
  const operations = links.map(({ operation }) => operation);
  const explained = new Set(parts.omissions.map(({ subject }) => subject));
  const omissions = links.flatMap(({ operation, limit }) => {
    const isExplained = explained.has(qualifiedName(operation));
    return omissionsOf(operation, limit, { hasManifest: binding !== undefined, isExplained });
  });
  const names = { types, operations, ...(binding && { binding }) };
  return {
    title,
    sources: [...sources, ...(loaded === undefined ? [] : (["manifest"] as const))],
    types,
    subjects: subjectsOf(types, operations, manifest.subjects),
    ...(wire && { wire }),
    losses,
    operations,
    ...(isPlain && { services: parts.services }),
    omissions: [...parts.omissions, ...omissions],
    legacy: legacyOf(names, loaded, diagnostics),
    removed: removedOf(names, loaded, diagnostics),
    ...(loaded && { versions: versionHintsOf(names, loaded, diagnostics) }),
    ...(binding && { binding }),
  };
}

/** Returns an operation whose JSON-RPC method is its rpc, unless it has another one. */
function withMethod(operation: OperationDef): OperationDef {
  const { rpc, jsonRpc = rpc?.method } = operation;
  return jsonRpc === undefined ? operation : { ...operation, jsonRpc };
}

/**
 * Returns the reason why only gRPC supports an operation; `undefined` if the other bindings also
 * support it.
 */
function limitOf(
  operation: OperationDef,
  aliases: ReadonlyMap<string, AliasDef>,
): string | undefined {
  if (streamsRequests(operation)) {
    const kind = streamsResponses(operation) ? "bidirectional" : "client";
    return `a ${kind} stream requires more than one HTTP request`;
  }
  const { request } = operation;
  const alias = request.kind === "named" ? aliases.get(request.name) : undefined;
  const isValue = alias?.type.kind === "wrapper" || alias?.type.kind === "wellKnown";
  if (alias === undefined || !isValue || isObject(alias.type)) return undefined;
  return `${alias.fullName} is not an object in JSON, as requests must be; wrap it in a message`;
}

function isObject(type: ValueType): boolean {
  return type.kind === "wellKnown" && ["Struct", "Any"].includes(type.wellKnown);
}

function omissionsOf(
  operation: OperationDef,
  limit: string | undefined,
  { hasManifest, isExplained }: { readonly hasManifest: boolean; readonly isExplained: boolean },
): Omission[] {
  const { name, jsonRpc, http, rpc } = operation;
  const subject = qualifiedName(operation);
  const omitted = (target: string, reason: string): Omission => ({ target, subject, reason });
  if (limit !== undefined) return [omitted("jsonrpc", limit), omitted("rest", limit)];
  const omissions: Omission[] = [];
  if (jsonRpc === undefined && hasManifest)
    omissions.push(omitted("jsonrpc", `the manifest has no operations.${name}.jsonRpc`));
  if (http.length === 0 && !isExplained && rpc !== undefined)
    omissions.push(omitted("rest", "no HTTP route in the proto"));
  return omissions;
}
