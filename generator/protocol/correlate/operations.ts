import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type { SchemaOperation } from "../model/schema-parts.js";
import type { LoadedManifest, ManifestOperation } from "../model/manifest.js";
import { camelCase } from "../../../support/names.js";
import type { OperationDef, TypeRef, ValueType } from "../model/types.js";
import type { Correlator } from "./correlate.js";
import type { Shapes } from "./shape.js";

/** The operations of the schema. */
export interface SchemaSide {
  readonly operations: readonly SchemaOperation[];
  readonly locationOf: (definition: string) => Location | undefined;
  readonly shapes: Shapes;
}

const nothing: TypeRef = { kind: "empty", json: "object" };

/**
 * Returns the operations of a version that has a proto and a schema. Matches them by the JSON-RPC
 * method in the manifest, otherwise by name. Requests and responses have the types from the schema.
 * An rpc without a JSON-RPC method uses the schema's definitions with the same names as its
 * messages. Correlates the messages of all operations.
 */
export function correlateOperations(
  protoOperations: readonly OperationDef[],
  schema: SchemaSide,
  loaded: LoadedManifest | undefined,
  correlator: Correlator,
  diagnostics: Diagnostics,
): OperationDef[] {
  const rest = new Set(schema.operations);
  const operations = protoOperations.map((operation) => {
    const given = entryOf(loaded, operation.name);
    const counterpart = schema.operations.find(({ name, method }) =>
      given.jsonRpc === undefined ? name === operation.name : method === given.jsonRpc,
    );
    if (counterpart !== undefined) rest.delete(counterpart);
    const types = counterpart && typesOf(counterpart, given, schema.operations);
    const { request, response } = types ?? namesakesOf(operation, correlator);
    for (const [message, ref] of [
      [operation.rpc?.request, request],
      [operation.rpc?.response, response],
    ] as const)
      if (message !== undefined) correlator.message(message, typeOf(ref, schema.shapes));
    const filling = operation.rpc?.request;
    if (filling !== undefined)
      for (const { path } of operation.http) correlator.route(filling, path);
    const jsonRpc = counterpart && { jsonRpc: counterpart.method };
    return {
      ...operation,
      docs: operation.docs || (counterpart?.docs ?? ""),
      request,
      response,
      ...jsonRpc,
    };
  });
  for (const { name, method } of rest) {
    const message = `the method "${method}" has no rpc in the proto`;
    const hint = `Add it under operations.<rpc>.jsonRpc of a manifest`;
    diagnostics.add(schema.locationOf(`${name}Request`) ?? schema.locationOf(name), message, hint);
  }
  return operations;
}

/**
 * Returns the operations of a version that only has a schema. The manifest determines which
 * operations stream, and adds operations that are missing from the schema.
 */
export function schemaOperations(
  schema: SchemaSide,
  loaded: LoadedManifest | undefined,
): OperationDef[] {
  const declared = schema.operations.map((operation): OperationDef => {
    const { name, method, docs, deprecated } = operation;
    const given = entryOf(loaded, name);
    const types = typesOf(operation, given, schema.operations);
    return {
      name,
      method: camelCase(name),
      docs,
      deprecated,
      streaming: given.streaming ?? "none",
      ...types,
      jsonRpc: method,
      http: [],
    };
  });
  const names = new Set(declared.map(({ name }) => name));
  const added = Object.entries(loaded?.manifest.operations ?? {}).flatMap(
    ([name, { returns }]): OperationDef[] => {
      if (returns === undefined || names.has(name)) return [];
      const response: TypeRef = { kind: "named", name: returns };
      const head = {
        name,
        method: camelCase(name),
        docs: "",
        deprecated: false,
        streaming: "none",
      } as const;
      return [{ ...head, request: nothing, response, http: [] }];
    },
  );
  return [...declared, ...added];
}

function entryOf(loaded: LoadedManifest | undefined, name: string): ManifestOperation {
  const entries = loaded?.manifest.operations ?? {};
  return Object.hasOwn(entries, name) ? (entries[name] ?? {}) : {};
}

function typesOf(
  { request, response }: SchemaOperation,
  { resultOf }: ManifestOperation,
  all: readonly SchemaOperation[],
): { request: TypeRef; response: TypeRef } {
  const shared = all.find(({ name }) => name === resultOf)?.response;
  return { request, response: shared ?? response ?? nothing };
}

/** Returns the types of an rpc without a JSON-RPC method. */
function namesakesOf({ rpc, ...operation }: OperationDef, correlator: Correlator) {
  const refTo = (message: string | undefined, fallback: TypeRef): TypeRef => {
    const type = message === undefined ? undefined : correlator.namesake(message);
    if (type !== undefined && "name" in type) return { kind: "named", name: type.name };
    return message === undefined ? fallback : nothing;
  };
  return {
    request: refTo(rpc?.request, operation.request),
    response: refTo(rpc?.response, operation.response),
  };
}

/** Returns the type of a request or response; a type without properties if it is empty. */
function typeOf(ref: TypeRef, shapes: Shapes): ValueType {
  return ref.kind === "named" ? shapes.reference(ref.name) : { kind: "never" };
}
