import {
  A2AError,
  classNameOf,
  isDetail,
  jsonRpcCodeOf,
  onlyClass,
  stringsOf,
  type A2AErrorOptions,
  type ClientErrors,
  type ErrorClass,
  type ErrorTable,
  type ErrorWriter,
  type GrpcErrorReader,
  type HttpErrorReader,
  type JsonRpcError,
  type JsonRpcErrorReader,
} from "./error.js";
import {
  briefMetadata,
  errorDetails,
  errorWriter,
  readGrpcError,
  readHttpError,
} from "./error-form-status.js";
import { isJsonValue, isObject, type JsonObject, type JsonValue } from "../base/json.js";

// An error consists of a code, a message and data of any form. The JSON-RPC code identifies the
// error, even over HTTP+JSON. For gRPC, the protocol only defines the status, so the message begins
// with the name of the class. The data includes the details of later versions, because some clients
// only look for the class in these details. The protocol does not define the body of an error over
// HTTP+JSON. In addition to the members of JSON-RPC, some clients look for the name of the class as
// `type`, others look for the `error` of later versions, and some fail if `error` is missing.

/** Writes errors as code, message and data. */
export const plainErrorWriter: ErrorWriter = {
  jsonRpc: write,
  http: (error, errors) => ({
    ...write(error, errors),
    type: error.name,
    ...errorWriter.http(error, errors),
  }),
  grpc(error, errors) {
    const known = errors.classes.some(({ row }) => row.reason === error.reason);
    return {
      text: known ? `${error.name}: ${error.message}` : error.message,
      details: errorDetails(error, errors),
    };
  },
};

function write(error: A2AError, errors: ErrorTable): JsonRpcError {
  const data = dataOf(error);
  return {
    code: jsonRpcCodeOf(error, errors),
    message: error.message,
    ...(data === undefined ? {} : { data }),
  };
}

/**
 * Returns the data of an error for the response: its metadata, details and other data as one
 * object. If the data is not an object, returns only the data. If the metadata contains `details`,
 * the error's details replace it. Returns `undefined` if the error has no data at all.
 */
export function dataOf(error: A2AError): JsonValue | undefined {
  const { details, data } = error;
  if (data !== undefined && !isObject(data)) return data;
  const all: JsonObject = {
    ...briefMetadata(error),
    ...(details.length > 0 ? { details: [...details] } : {}),
    ...data,
  };
  return Object.keys(all).length > 0 ? all : undefined;
}

/**
 * Returns the options for an error with the received data: `metadata` contains the members that are
 * strings, and `details` the valid elements of the member `details`.
 */
export function dataOptions(value: unknown): A2AErrorOptions {
  const data = isJsonValue(value) ? value : undefined;
  const details = isObject(data) ? data["details"] : undefined;
  return {
    metadata: stringsOf(data),
    details: Array.isArray(details) ? details.filter(isDetail) : [],
    data,
  };
}

/** Reads an error. Its code determines its class. */
export const readPlainJsonRpcError: JsonRpcErrorReader = (code, message, data, errors) =>
  new (classOf(code, errors))(message, { ...dataOptions(data), jsonRpcCode: code });

/**
 * Reads a body, or an event, that contains the JSON-RPC code of an error. The specification does
 * not define the body, so agents also send the name of the class as `error`, only a message, or an
 * `error` object with the members of JSON-RPC or of later versions.
 */
export const readPlainHttpError: HttpErrorReader = {
  members: ["code", "error"],
  read(body, errors, status) {
    if (!isObject(body)) return undefined;
    const { code, message, data, error } = body;
    const hasCode = typeof code === "number";
    const isPlain = hasCode && typeof message === "string";
    if (isObject(error) && !isPlain) return readInner(body, error, errors, status);
    const isError = hasCode || typeof error === "string" || status !== undefined;
    // In an event without a `message`, the string `error` is the message.
    const defaultText = status === undefined ? error : undefined;
    const text = typeof message === "string" ? message : defaultText;
    if (typeof text !== "string" || !isError) return undefined;
    const Found = hasCode ? classOf(code, errors) : classNamed(error, text, errors);
    return new Found(text, {
      ...dataOptions(data),
      ...(hasCode ? { jsonRpcCode: code } : {}),
      httpStatus: status ?? Found.row.http,
    });
  },
};

/**
 * Reads an `error` object. If its code is a JSON-RPC code, the code determines the error.
 * Otherwise, the object is read as an error of a later version.
 */
function readInner(
  body: object,
  error: Readonly<Record<string, unknown>>,
  errors: ErrorTable,
  status: number | undefined,
): A2AError {
  const { code, message, data } = error;
  const text = typeof message === "string" ? message : "The server responded with an error";
  if (typeof code === "number" && code < 0) {
    const Found = classOf(code, errors);
    return new Found(text, {
      ...dataOptions(data),
      jsonRpcCode: code,
      httpStatus: status ?? Found.row.http,
    });
  }
  return (
    readHttpError.read(body, errors, status) ??
    new A2AError(text, { data: isJsonValue(error) ? error : undefined })
  );
}

/**
 * Determines the class of an error by the name at the start of the status message, by its details,
 * or by its code if only one class has that code.
 */
export const readPlainGrpcError: GrpcErrorReader = (status, text, details, errors) => {
  const [prefix = "", name] = /^(\w+):(?: |$)/.exec(text) ?? [];
  const Named = errors.classes.find(({ row }) => classNameOf(row) === name);
  const message = Named ? text.slice(prefix.length) : text;
  const detailed = readGrpcError(status, message, details, errors);
  if (Named === undefined || detailed instanceof Named) return detailed;
  return new Named(message, { grpcStatus: status });
};

/**
 * Returns the class with the given name, which may contain a namespace. If no class has this name,
 * returns the only class with this default message, or `A2AError`.
 */
function classNamed(name: unknown, message: string, errors: ErrorTable): ErrorClass {
  const className = typeof name === "string" ? name.split(".").at(-1) : undefined;
  const found = errors.classes.find(({ row }) => classNameOf(row) === className);
  return found ?? onlyClass(errors, (Class) => new Class().message === message) ?? A2AError;
}

function classOf(code: unknown, errors: ClientErrors): ErrorClass {
  if (code === undefined) return A2AError;
  return onlyClass(errors, ({ row }) => row.jsonRpc === code) ?? A2AError;
}
