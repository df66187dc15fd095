import {
  A2AError,
  isDetail,
  jsonRpcCodeOf,
  onlyClass,
  stringsOf,
  type A2AErrorOptions,
  type ClientErrors,
  type ErrorDetail,
  type ErrorClass,
  type ErrorTable,
  type ErrorWriter,
  type GrpcErrorReader,
  type HttpErrorReader,
  type JsonRpcErrorReader,
} from "./error.js";
import { isJsonValue, isObject } from "../base/json.js";

// Errors have the form of `google.rpc.Status`. On every binding, they contain details, and the first detail identifies
// the error.

const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo";

/** Returns the details of an error for the response: first the `ErrorInfo` that identifies the error. */
export function errorDetails(error: A2AError, errors: ErrorTable): ErrorDetail[] {
  const info: ErrorDetail = { "@type": errorInfoType, reason: error.reason, domain: errors.domain };
  if (Object.keys(error.metadata).length > 0) info["metadata"] = { ...error.metadata };
  return [info, ...error.details];
}

/** Writes errors with the details of `google.rpc.Status`; HTTP+JSON uses its JSON form. */
export const errorWriter: ErrorWriter = {
  jsonRpc: (error, errors) => ({
    code: jsonRpcCodeOf(error, errors),
    message: error.message,
    data: errorDetails(error, errors),
  }),
  http: (error, errors) => ({
    error: {
      code: error.httpStatus,
      status: error.grpcStatus,
      message: error.message,
      details: errorDetails(error, errors),
    },
  }),
  grpc: (error, errors) => ({ text: error.message, details: errorDetails(error, errors) }),
};

/** Reads an error whose data are a list of details. */
export const readJsonRpcError: JsonRpcErrorReader = (code, message, data, errors) =>
  fromParts(errors, message, data, { jsonRpcCode: code }, ({ row }) => row.jsonRpc === code);

/** Reads the JSON form of `google.rpc.Status`. */
export const readHttpError: HttpErrorReader = {
  members: ["error"],
  read(body, errors, answered) {
    const error = isObject(body) ? body["error"] : undefined;
    if (!isObject(error)) return undefined;
    const { code, message, status } = error;
    const httpStatus = answered ?? code;
    if (typeof httpStatus !== "number") return undefined;
    const text = typeof message === "string" ? message : `The agent responded with HTTP status ${String(httpStatus)}`;
    const sameStatus = ({ row }: ErrorClass): boolean => row.http === httpStatus && row.grpc === status;
    return fromParts(errors, text, error["details"], { httpStatus }, sameStatus);
  },
};

/** Reads a gRPC status with details. */
export const readGrpcError: GrpcErrorReader = (grpcStatus, text, details, errors) => {
  const data = details.length > 0 ? details : undefined;
  return fromParts(errors, text, data, { grpcStatus }, ({ row }) => row.grpc === grpcStatus);
};

/**
 * Finds the class of an error by the reason in its details. If this fails, and only one class has the error's code,
 * returns that class.
 */
function fromParts(
  errors: ClientErrors,
  message: string,
  data: unknown,
  code: A2AErrorOptions,
  sameCode: (which: ErrorClass) => boolean,
): A2AError {
  const all = Array.isArray(data) ? data.filter(isDetail) : [];
  const info = all.find((detail) => detail["@type"] === errorInfoType && detail["domain"] === errors.domain);
  const Named = errors.classes.find(({ row }) => row.reason === info?.["reason"]);
  const Found = Named ?? onlyClass(errors, sameCode) ?? A2AError;
  return new Found(message, {
    ...code,
    metadata: stringsOf(info?.["metadata"]),
    details: all.filter((detail) => detail !== info),
    data: isJsonValue(data) ? data : undefined,
  });
}
