import { streamsRequests } from "../protocol/model/streaming.js";
import type { OperationDef, TypeRef } from "../protocol/model/types.js";
import type { NameSource } from "./imports.js";
import { modelRef } from "./output-modules.js";
import { runtime } from "./runtime-modules.js";
import { docOf, enclose, type DocView } from "./text.js";

/** A method of the client, of the service, or of the agent skeleton. */
export interface MethodView {
  readonly docs: DocView;
  /** The lines up to the opening brace, or the whole signature. */
  readonly head: readonly string[];
}

/** The doc comment of an operation, with a line that names the rpc, or the JSON-RPC method where there is none. */
export function operationDocs({ docs, deprecated, rpc, jsonRpc }: OperationDef, indent: number): DocView {
  const source = rpc === undefined ? jsonRpc : `${rpc.service}.${rpc.method}`;
  const tags = [...(deprecated ? ["@deprecated"] : []), ...(source === undefined ? [] : [`@see ${source}`])];
  return docOf(docs, indent, tags);
}

/** The TypeScript type of what goes in or out as JSON. */
export function valueType(ref: TypeRef, imports: NameSource): string {
  if (ref.kind === "named") return imports.type(modelRef(ref.name));
  return ref.json === "null" ? "null" : imports.type(runtime.Empty);
}

/** The TypeScript type of what goes into an operation. */
export function requestType(operation: OperationDef, imports: NameSource): string {
  const { request } = operation;
  const one = request.kind === "empty" ? "Record<string, never>" : imports.type(modelRef(request.name));
  return streamsRequests(operation) ? `AsyncIterable<${one}>` : one;
}

/** The TypeScript type of the one response of an operation. */
export function responseType({ response }: OperationDef, imports: NameSource): string {
  return response.kind === "empty" ? "void" : imports.type(modelRef(response.name));
}

/** The TypeScript type of the stream that an operation gives. */
export function streamType({ response }: OperationDef, imports: NameSource): string {
  return `AsyncIterable<${valueType(response, imports)}>`;
}

/** A method signature inside a class or interface, over several lines where it is too long. */
export function signature(name: string, parameters: readonly string[], tail: string): string[] {
  return enclose(`${name}(`, parameters, `)${tail}`, { indent: 2 });
}
