import {
  A2AError,
  type ErrorClass,
  type ErrorRow,
  type ErrorTable,
} from "../../../../../library/runtime/protocol/error.js";

/** Makes the class of an error, whose name and message follow from the reason. */
export function errorClass(
  reason: string,
  jsonRpc: number | undefined,
  http: number,
  grpc: ErrorRow["grpc"],
): ErrorClass {
  const row: ErrorRow = { reason, http, grpc, ...(jsonRpc === undefined ? {} : { jsonRpc }) };
  return class extends A2AError {
    static override readonly row = row;
  };
}

const roles = {
  parse: errorClass("PARSE", -32700, 400, "INVALID_ARGUMENT"),
  invalidRequest: errorClass("INVALID_REQUEST", -32600, 400, "INVALID_ARGUMENT"),
  methodNotFound: errorClass("METHOD_NOT_FOUND", -32601, 501, "UNIMPLEMENTED"),
  invalidParams: errorClass("INVALID_PARAMS", -32602, 400, "INVALID_ARGUMENT"),
  internal: errorClass("INTERNAL", -32603, 500, "INTERNAL"),
  unauthenticated: errorClass("UNAUTHENTICATED", undefined, 401, "UNAUTHENTICATED"),
  permissionDenied: errorClass("PERMISSION_DENIED", undefined, 403, "PERMISSION_DENIED"),
  unsupported: errorClass("UNSUPPORTED_OPERATION", -32004, 400, "UNIMPLEMENTED"),
  contentType: errorClass("CONTENT_TYPE_NOT_SUPPORTED", -32005, 400, "INVALID_ARGUMENT"),
  invalidResponse: errorClass("INVALID_RESPONSE", -32006, 500, "INTERNAL"),
  versionNotSupported: errorClass("VERSION_NOT_SUPPORTED", -32009, 400, "FAILED_PRECONDITION"),
  extensionRequired: errorClass("EXTENSION_REQUIRED", -32008, 400, "FAILED_PRECONDITION"),
};

/** Returns the errors of a sample protocol: one for every role, and its own. */
export function sampleErrors(
  domain: string,
  ...own: readonly ErrorClass[]
): ErrorTable & typeof roles {
  return { domain, classes: [...own, ...Object.values(roles)], ...roles };
}
