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
import { isJsonValue, isObject, type JsonObject, type JsonValue } from "../base/json.js";

// Errors have the form of `google.rpc.Status`. On every binding, they contain details, and the
// first detail identifies the error.

const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo";

/**
 * Returns the details of an error for the response: first the `ErrorInfo` that identifies the
 * error, unless errors are identified by their codes.
 */
export function errorDetails(error: A2AError, { domain }: ErrorTable): ErrorDetail[] {
  if (domain === undefined) return [...error.details];
  const info: ErrorDetail = { "@type": errorInfoType, reason: error.reason, domain };
  if (Object.keys(error.metadata).length > 0) info["metadata"] = briefMetadata(error);
  return [info, ...error.details];
}

/**
 * Maximum length of a value in the metadata of a response. The longest id that the task kit accepts
 * is shorter.
 */
const maxMetadata = 1_000;

/**
 * Returns the metadata of an error for a response. Long strings are shortened: metadata often
 * repeats a value of the request, such as the id of an unknown task, and a caller could make the
 * agent send as much as it receives.
 */
export function briefMetadata({ metadata }: A2AError): JsonObject {
  const values: Readonly<Record<string, JsonValue>> = metadata;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isLong = typeof value === "string" && value.length > maxMetadata;
      return [name, isLong ? `${value.slice(0, maxMetadata - 1)}…` : value];
    }),
  );
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

/** Reads an error whose data is a list of details. */
export const readJsonRpcError: JsonRpcErrorReader = (code, message, data, errors) =>
  fromParts(errors, message, data, { jsonRpcCode: code }, ({ row }) => row.jsonRpc === code);

/** Reads the JSON form of `google.rpc.Status`. */
export const readHttpError: HttpErrorReader = {
  members: ["error"],
  read(body, errors, responseStatus) {
    const error = isObject(body) ? body["error"] : undefined;
    if (!isObject(error)) return undefined;
    const { code, message, status } = error;
    const httpStatus = responseStatus ?? code;
    if (typeof httpStatus !== "number") return undefined;
    const defaultText = `The server responded with HTTP status ${String(httpStatus)}`;
    const text = typeof message === "string" ? message : defaultText;
    // If codes identify errors, a more specific status of HTTP, such as 413, changes nothing.
    const sameStatus = ({ row }: ErrorClass): boolean =>
      row.grpc === status && (row.http === httpStatus || errors.domain === undefined);
    return fromParts(errors, text, error["details"], { httpStatus }, sameStatus);
  },
};

/** Reads a gRPC status with details. */
export const readGrpcError: GrpcErrorReader = (grpcStatus, text, details, errors) => {
  const data = details.length > 0 ? details : undefined;
  return fromParts(errors, text, data, { grpcStatus }, ({ row }) => row.grpc === grpcStatus);
};

/**
 * Creates an error. The reason in the details determines its class. If no class has this reason,
 * uses the class with the error's code if there is only one, and otherwise `A2AError`.
 */
function fromParts(
  errors: ClientErrors,
  message: string,
  data: unknown,
  code: A2AErrorOptions,
  hasSameCode: (candidate: ErrorClass) => boolean,
): A2AError {
  const details = Array.isArray(data) ? data.filter(isDetail) : [];
  const info = details.find(
    (detail) => detail["@type"] === errorInfoType && detail["domain"] === errors.domain,
  );
  const Named = errors.classes.find(({ row }) => row.reason === info?.["reason"]);
  const Found = Named ?? onlyClass(errors, hasSameCode) ?? A2AError;
  return new Found(message, {
    ...code,
    metadata: stringsOf(info?.["metadata"]),
    details: details.filter((detail) => detail !== info),
    data: isJsonValue(data) ? data : undefined,
  });
}
