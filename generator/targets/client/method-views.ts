import { constantFor } from "../../../support/names.js";
import { streamsRequests, streamsResponses } from "../../protocol/model/streaming.js";
import type { OperationDef, Protocol } from "../../protocol/model/types.js";
import type { Imports } from "../../emit/imports.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  type MethodView,
} from "../../emit/operation-views.js";

/** View of a method of the client. */
export interface CallView extends MethodView {
  /** Name of the operation in `calls.ts`. */
  readonly operation: string;
  /** Kind of call. */
  readonly call: "unary" | "stream";
  /** Set if the response is empty. */
  readonly discards: boolean;
}

export function methodView(
  operation: OperationDef,
  protocol: Protocol,
  imports: Imports,
): CallView {
  const { method, ownMethod = method } = operation;
  const streams = streamsResponses(operation);
  const result = streams
    ? streamType(operation, imports)
    : `Promise<${responseType(operation, imports)}>`;
  const omitted = isOmittable(operation, protocol) ? " = {}" : "";
  const parameters = [
    `request: ${requestType(operation, imports)}${omitted}`,
    "options?: CallOptions",
  ];
  const discards = !streams && operation.response.kind === "empty";
  return {
    docs: operationDocs(operation, 2),
    head: signature(`${discards ? "async " : ""}${ownMethod}`, parameters, `: ${result} {`),
    operation: constantFor(operation.method),
    call: streams ? "stream" : "unary",
    discards,
  };
}

/**
 * Returns whether an empty object is a valid request, so that callers may omit the request. The
 * members that every object inherits do not count as fields.
 */
function isOmittable(operation: OperationDef, { types }: Protocol): boolean {
  const { request } = operation;
  if (streamsRequests(operation)) return false;
  if (request.kind === "empty") return true;
  const type = types.find(({ name }) => name === request.name);
  return (
    type?.kind === "message" &&
    type.fields.every(
      ({ name, presence }) => presence !== "required" && !(name in Object.prototype),
    ) &&
    type.oneofs.every(({ required }) => !required)
  );
}
