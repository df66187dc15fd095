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
  errorDetails,
  errorWriter as statusWriter,
  readGrpcError as readDetailed,
  readHttpError as readStatus,
} from "./error-status.js";
import { isJsonValue, isObject, type JsonObject, type JsonValue } from "../base/json.js";

// Errors as a code, a message and data of any form. A code of JSON-RPC names the error, over HTTP+JSON too. The
// protocol says no more about gRPC than its status, so there the message begins with the name of the class. Details as
// later versions have them come along, because some clients look for the class there and nowhere else. The protocol
// does not define the body of an error over HTTP+JSON: beside the members of JSON-RPC, clients look for the name of the
// class as `type`, for the `error` of later versions, and fail if there is no `error` at all.

/** Writes errors as code, message and data. */
export const errorWriter: ErrorWriter = {
  jsonRpc: write,
  http: (error, errors) => ({ ...write(error, errors), type: error.name, ...statusWriter.http(error, errors) }),
  grpc(error, errors) {
    const known = errors.classes.some(({ row }) => row.reason === error.reason);
    return { text: known ? `${error.name}: ${error.message}` : error.message, details: errorDetails(error, errors) };
  },
};

function write(error: A2AError, errors: ErrorTable): JsonRpcError {
  const data = dataOf(error);
  return { code: jsonRpcCodeOf(error, errors), message: error.message, ...(data === undefined ? {} : { data }) };
}

/**
 * The data of an error as they travel: its metadata and details as one object, joined by what else it has as data; data
 * of another form stand alone. Metadata called `details` give way to details. Returns `undefined` where there is
 * nothing to say.
 */
export function dataOf({ metadata, details, data }: A2AError): JsonValue | undefined {
  if (data !== undefined && !isObject(data)) return data;
  const all: JsonObject = { ...metadata, ...(details.length > 0 ? { details: [...details] } : {}), ...data };
  return Object.keys(all).length > 0 ? all : undefined;
}

/**
 * What data say that came with an error: `metadata` are the strings of an object, and `details` what its details are.
 */
export function dataOptions(value: unknown): A2AErrorOptions {
  const data = isJsonValue(value) ? value : undefined;
  const details = isObject(data) ? data["details"] : undefined;
  return { metadata: stringsOf(data), details: Array.isArray(details) ? details.filter(isDetail) : [], data };
}

/** Reads an error that its code names. */
export const readJsonRpcError: JsonRpcErrorReader = (code, message, data, errors) =>
  new (classOf(code, errors))(message, { ...dataOptions(data), jsonRpcCode: code });

/**
 * Reads a body, or an event, with the JSON-RPC code of the error. The versions do not say how a body looks, so agents
 * also write the name of the class as `error`, nothing but the message, or an `error` object, with the members of
 * JSON-RPC or those of later versions.
 */
export const readHttpError: HttpErrorReader = {
  members: ["code", "error"],
  read(body, errors, status) {
    if (!isObject(body)) return undefined;
    const { code, message, data, error } = body;
    const hasCode = typeof code === "number";
    if (isObject(error) && !(hasCode && typeof message === "string")) return readInner(body, error, errors, status);
    const isNamed = hasCode || typeof error === "string" || status !== undefined;
    // An event that has nothing but an `error` is no response either.
    const text = typeof message === "string" ? message : status === undefined ? error : undefined;
    if (typeof text !== "string" || !isNamed) return undefined;
    const Found = hasCode ? classOf(code, errors) : classNamed(error, text, errors);
    return new Found(text, {
      ...dataOptions(data),
      ...(hasCode ? { jsonRpcCode: code } : {}),
      httpStatus: status ?? Found.row.http,
    });
  },
};

/** Reads an `error` object: by its code if that is one of JSON-RPC, or else as later versions write it. */
function readInner(
  body: object,
  error: Readonly<Record<string, unknown>>,
  errors: ErrorTable,
  status: number | undefined,
): A2AError {
  const { code, message, data } = error;
  const text = typeof message === "string" ? message : "The agent responded with an error";
  if (typeof code === "number" && code < 0) {
    const Found = classOf(code, errors);
    return new Found(text, { ...dataOptions(data), jsonRpcCode: code, httpStatus: status ?? Found.row.http });
  }
  return readStatus.read(body, errors, status) ?? new A2AError(text, { data: isJsonValue(error) ? error : undefined });
}

/**
 * Reads a status by the name of a class that its message begins with, or by details, or by its code if only one class
 * has that.
 */
export const readGrpcError: GrpcErrorReader = (status, text, details, errors) => {
  const [prefix = "", name] = /^(\w+):(?: |$)/.exec(text) ?? [];
  const Named = errors.classes.find(({ row }) => classNameOf(row) === name);
  const message = Named ? text.slice(prefix.length) : text;
  const told = readDetailed(status, message, details, errors);
  if (Named === undefined || told instanceof Named) return told;
  return new Named(message, { grpcStatus: status });
};

/** The class with a name, which may have a namespace before it; else the one whose default message it is. */
function classNamed(name: unknown, message: string, errors: ErrorTable): ErrorClass {
  const last = typeof name === "string" ? name.split(".").at(-1) : undefined;
  const found = errors.classes.find(({ row }) => classNameOf(row) === last);
  return found ?? onlyClass(errors, (Class) => new Class().message === message) ?? A2AError;
}

function classOf(code: unknown, errors: ClientErrors): ErrorClass {
  return onlyClass(errors, ({ row }) => row.jsonRpc === code && code !== undefined) ?? A2AError;
}
