import type { MessageRef, OperationDef } from "../protocol/types.js";
import type { Imports } from "./imports.js";
import { docOf, enclose, type DocView } from "./text.js";

/** A method of the client, or of the service. */
export interface MethodView {
  readonly docs: DocView;
  /** The lines up to the opening brace, or the whole signature. */
  readonly head: readonly string[];
  /** The name of the operation in the operation table. */
  readonly operation: string;
  /** How the caller runs it. */
  readonly call: "unary" | "stream";
}

/** The doc comment of an operation, with a line that names the rpc. */
export function operationDocs(operation: OperationDef, indent: number): DocView {
  const tags = [...(operation.deprecated ? ["@deprecated"] : []), `@see ${operation.service}.${operation.name}`];
  return docOf(operation.docs, indent, tags);
}

/** The TypeScript type of what goes into an operation. */
export function requestType({ request, streaming }: OperationDef, imports: Imports): string {
  const one = refType(request, imports, "Record<string, never>");
  return streaming === "client" || streaming === "both" ? `AsyncIterable<${one}>` : one;
}

/** The TypeScript type of what comes out of an operation; `none` stands for nothing. */
export function responseType({ response }: OperationDef, imports: Imports, none: string): string {
  return refType(response, imports, none);
}

/** Tells whether an operation has any number of responses. */
export function streamsResponses({ streaming }: OperationDef): boolean {
  return streaming === "server" || streaming === "both";
}

/** A method signature inside a class or interface, over several lines where it is too long. */
export function signature(name: string, parameters: readonly string[], tail: string): string[] {
  return enclose(`${name}(`, parameters, `)${tail}`, { indent: 2 });
}

function refType(ref: MessageRef, imports: Imports, none: string): string {
  return ref.kind === "empty" ? none : imports.type("models", ref.name);
}
