import type { Diagnostics, Location } from "../../../support/diagnostics.js";
import type { SchemaOperation } from "../model/schema-parts.js";
import type { LoadedManifest, ManifestOperation } from "../model/manifest.js";
import { camelCase } from "../../../support/names.js";
import type { OperationDef, TypeDef, TypeRef, ValueType } from "../model/types.js";
import type { Shapes } from "./shape.js";

/** The operations of the schema. */
export interface SchemaSide {
  readonly types: readonly TypeDef[];
  readonly operations: readonly SchemaOperation[];
  readonly locationOf: (definition: string) => Location | undefined;
  readonly shapes: Shapes;
}

const nothing: TypeRef = { kind: "empty", json: "object" };

/** Operations of a proto with the types of the schema, and the operations only the schema has. */
export interface MatchedOperations {
  readonly operations: readonly OperationDef[];
  readonly unmatched: readonly SchemaOperation[];
}

/**
 * Matches the operations of a proto and a schema by the JSON-RPC method in the manifest, otherwise
 * by name. Requests and responses have the types from the schema. An rpc without a JSON-RPC method
 * uses the schema's definitions with the same names as its messages.
 */
export function matchOperations(
  protoOperations: readonly OperationDef[],
  schema: SchemaSide,
  loaded: LoadedManifest | undefined,
): MatchedOperations {
  const unmatched = new Set(schema.operations);
  const operations = protoOperations.map((operation): OperationDef => {
    const given = entryOf(loaded, operation.name);
    const counterpart = schema.operations.find(({ name, method }) =>
      given.jsonRpc === undefined ? name === operation.name : method === given.jsonRpc,
    );
    if (counterpart === undefined) return { ...operation, ...namesakesOf(operation, schema) };
    unmatched.delete(counterpart);
    const types = typesOf(counterpart, given, schema.operations);
    const docs = operation.docs || counterpart.docs;
    return { ...operation, docs, ...types, jsonRpc: counterpart.method };
  });
  return { operations, unmatched: [...unmatched] };
}

/** Reports operations of the schema that the proto does not have. */
export function reportUnmatched(
  unmatched: MatchedOperations["unmatched"],
  { locationOf }: SchemaSide,
  diagnostics: Diagnostics,
): void {
  for (const { name, method } of unmatched) {
    const message = `the method "${method}" has no rpc in the proto`;
    const hint = `Add it under operations.<rpc>.jsonRpc of a manifest`;
    diagnostics.add(locationOf(`${name}Request`) ?? locationOf(name), message, hint);
  }
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
function namesakesOf({ rpc, request, response }: OperationDef, { types }: SchemaSide) {
  const namesake = (message: string | undefined, fallback: TypeRef): TypeRef => {
    if (message === undefined) return fallback;
    const found = types.find((type) => type.fullName === message);
    return found === undefined ? nothing : { kind: "named", name: found.name };
  };
  return {
    request: namesake(rpc?.request, request),
    response: namesake(rpc?.response, response),
  };
}

/** Returns the type of a request or response; a type without properties if it is empty. */
export function typeOf(ref: TypeRef, shapes: Shapes): ValueType {
  return ref.kind === "named" ? shapes.reference(ref.name) : { kind: "never" };
}
