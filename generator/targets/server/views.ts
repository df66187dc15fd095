import { streamsResponses } from "../../protocol/model/streaming.js";
import type { OperationDef, Protocol } from "../../protocol/model/types.js";
import type { Imports } from "../../emit/imports.js";
import { validatorRef } from "../../emit/output-modules.js";
import { keyOf } from "../../emit/text.js";
import { responseType, streamType } from "../../emit/operation-views.js";

/**
 * Returns a name for the type parameter that represents the user. The name differs from the names
 * of all models.
 */
export function userParameter({ types }: Protocol): string {
  const names = new Set(types.map(({ name }) => name));
  let user = "User";
  while (names.has(user)) user += "_";
  return user;
}

/** Returns the result type of a method of the service. */
export function resultType(operation: OperationDef, imports: Imports): string {
  const response = streamsResponses(operation)
    ? streamType(operation, imports)
    : responseType(operation, imports);
  return `${response} | Promise<${response}>`;
}

/** Returns the entry of an operation in the table of quick checks. An empty response has none. */
export function acceptsLines({ name, response }: OperationDef, imports: Imports): string[] {
  if (response.kind === "empty") return [];
  return [`${keyOf(name)}: ${imports.value(validatorRef(`is${response.name}`))},`];
}
