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

/**
 * Returns the doc comment of an operation, with its errors and the name of the rpc, or of the
 * JSON-RPC method if it has no rpc.
 */
export function operationDocs(operation: OperationDef, indent: number): DocView {
  const { docs, deprecated, rpc, jsonRpc } = operation;
  const source = rpc === undefined ? jsonRpc : `${rpc.service}.${rpc.method}`;
  const see = source === undefined ? [] : [`@see ${source}`];
  return docOf(docs, indent, [
    ...(deprecated ? ["@deprecated"] : []),
    ...throwsTags(operation),
    ...see,
  ]);
}

/**
 * Returns the tags for the errors of an operation: errors that the manifest lists, and errors of
 * capabilities.
 */
function throwsTags({
  errors = [],
  requires,
  fieldRequires = [],
  missing,
}: OperationDef): string[] {
  const isListed = errors.some(({ error }) => error === missing);
  const unless = (capability: readonly string[]): string =>
    `unless the card declares \`${capability.join(".")}\``;
  return [
    ...errors.map(({ error, condition }) => `@throws {${error}} if ${condition}`),
    ...fieldRequires.map(
      ({ error, path, capability }) =>
        `@throws {${error}} for \`${path.join(".")}\`, ${unless(capability)}`,
    ),
    ...(requires === undefined
      ? []
      : [`@throws {${requires.error}} ${unless(requires.capability)}`]),
    ...(missing === undefined || isListed
      ? []
      : [`@throws {${missing}} if the agent does not offer it`]),
  ];
}

/** Returns the TypeScript type of a request or response as JSON. */
export function valueType(ref: TypeRef, imports: NameSource): string {
  if (ref.kind === "named") return imports.type(modelRef(ref.name));
  return ref.json === "null" ? "null" : imports.type(runtime.Empty);
}

/** Returns the TypeScript type of an operation's request. */
export function requestType(operation: OperationDef, imports: NameSource): string {
  const { request } = operation;
  const one =
    request.kind === "empty" ? "Record<string, never>" : imports.type(modelRef(request.name));
  return streamsRequests(operation) ? `AsyncIterable<${one}>` : one;
}

/** Returns the TypeScript type of an operation's single response. */
export function responseType({ response }: OperationDef, imports: NameSource): string {
  return response.kind === "empty" ? "void" : imports.type(modelRef(response.name));
}

/** Returns the TypeScript type of an operation's response stream. */
export function streamType({ response }: OperationDef, imports: NameSource): string {
  return `AsyncIterable<${valueType(response, imports)}>`;
}

/** Returns a method signature inside a class or interface, on several lines if it is too long. */
export function signature(name: string, parameters: readonly string[], tail: string): string[] {
  return enclose(`${name}(`, parameters, `)${tail}`, { indent: 2 });
}
