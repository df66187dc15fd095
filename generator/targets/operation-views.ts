import { streamsRequests } from "../protocol/streaming.js";
import type { OperationDef } from "../protocol/types.js";
import type { Imports } from "./imports.js";
import { docOf, enclose, type DocView } from "./text.js";

/** A method of the client, of the service, or of the agent skeleton. */
export interface MethodView {
  readonly docs: DocView;
  /** The lines up to the opening brace, or the whole signature. */
  readonly head: readonly string[];
}

/** The doc comment of an operation, with a line that names the rpc. */
export function operationDocs(operation: OperationDef, indent: number): DocView {
  const tags = [...(operation.deprecated ? ["@deprecated"] : []), `@see ${operation.service}.${operation.name}`];
  return docOf(operation.docs, indent, tags);
}

/** The TypeScript type of what goes into an operation. */
export function requestType(operation: OperationDef, imports: Imports): string {
  const { request } = operation;
  const one = request.kind === "empty" ? "Record<string, never>" : imports.type("models", request.name);
  return streamsRequests(operation) ? `AsyncIterable<${one}>` : one;
}

/** The TypeScript type of the one response of an operation. */
export function responseType({ response }: OperationDef, imports: Imports): string {
  return response.kind === "empty" ? "void" : imports.type("models", response.name);
}

/** The TypeScript type of the stream that an operation gives. */
export function streamType({ response }: OperationDef, imports: Imports): string {
  const one =
    response.kind === "empty" ? imports.type("runtime/message", "Empty") : imports.type("models", response.name);
  return `AsyncIterable<${one}>`;
}

/** A method signature inside a class or interface, over several lines where it is too long. */
export function signature(name: string, parameters: readonly string[], tail: string): string[] {
  return enclose(`${name}(`, parameters, `)${tail}`, { indent: 2 });
}
