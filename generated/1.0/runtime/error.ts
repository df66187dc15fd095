// Part of a2a-codegen 0.1.0. Do not edit.

import { isObject, type JsonObject, type JsonValue } from "./json.js";
import { ValidationError, type Issue } from "./schema.js";

/** The status codes of gRPC by name. */
export const grpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** The name of a gRPC status. */
export type GrpcStatus = keyof typeof grpcStatus;

/** What the protocol says about an error: its name, its default text, and its code on each transport. */
export interface ErrorRow {
  /** The name as `google.rpc.ErrorInfo` carries it, for example `TASK_NOT_FOUND`. */
  readonly reason: string;
  /** The name of the class, where it does not follow from the reason as `TaskNotFoundError` does. */
  readonly name?: string;
  /** The default text, where it is not the reason in words: `Task not found`. */
  readonly message?: string;
  /** The JSON-RPC code; absent for errors that JSON-RPC has no code for. */
  readonly jsonRpc?: number;
  readonly http: number;
  readonly grpc: GrpcStatus;
}

/** An object of the details of an error, in the JSON form of `google.protobuf.Any`. */
export type ErrorDetail = JsonObject & { "@type": string };

/** What an error can carry besides its text. */
export interface A2AErrorOptions {
  /** Facts for programs, for example the id of the task. They travel to the caller. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further details, sent after the one that names the error. They travel to the caller. */
  readonly details?: readonly ErrorDetail[];
  /** What led to the error. It stays here. */
  readonly cause?: unknown;
  /** An HTTP status that says more than the one of the error, for example 413. */
  readonly httpStatus?: number;
  /** A gRPC status that says more than the one of the error. */
  readonly grpcStatus?: GrpcStatus;
  /** A JSON-RPC code that says more than the one of the error. */
  readonly jsonRpcCode?: number;
}

/** The type of a class of errors in an {@link ErrorTable}. */
export interface ErrorClass {
  new (message?: string, options?: A2AErrorOptions): A2AError;
  readonly row: ErrorRow;
}

/** The errors of a version of the protocol, and the ones among them that the runtime itself answers with. */
export interface ErrorTable {
  /** The domain of the protocol in `google.rpc.ErrorInfo`. */
  readonly domain: string;
  readonly classes: readonly ErrorClass[];
  readonly parse: ErrorClass;
  readonly invalidRequest: ErrorClass;
  readonly methodNotFound: ErrorClass;
  readonly invalidParams: ErrorClass;
  readonly internal: ErrorClass;
  readonly unauthenticated: ErrorClass;
  readonly permissionDenied: ErrorClass;
  readonly unsupported: ErrorClass;
  readonly contentType: ErrorClass;
  readonly invalidResponse: ErrorClass;
  readonly versionNotSupported?: ErrorClass;
  readonly extensionRequired?: ErrorClass;
}

/**
 * An error that travels between agents. Each error of the protocol has a class of its own that extends this one and says
 * in its `row` what it is.
 */
export class A2AError extends Error {
  static readonly row: ErrorRow = {
    reason: "UNKNOWN",
    name: "A2AError",
    message: "The agent answered with an error that the protocol does not define",
    http: 500,
    grpc: "UNKNOWN",
  };

  /** The name of the error as `google.rpc.ErrorInfo` carries it, for example `TASK_NOT_FOUND`. */
  readonly reason: string;
  /** The code on JSON-RPC. */
  readonly jsonRpcCode: number | undefined;
  /** The status on HTTP+JSON. */
  readonly httpStatus: number;
  /** The status on gRPC. */
  readonly grpcStatus: GrpcStatus;
  /** Facts for programs, for example the id of the task. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Details other than the `ErrorInfo` that names the error. */
  readonly details: readonly ErrorDetail[];

  constructor(message?: string, options: A2AErrorOptions = {}) {
    const { row } = new.target;
    super(message ?? row.message ?? sentence(row.reason), "cause" in options ? { cause: options.cause } : undefined);
    this.name = row.name ?? className(row.reason);
    this.reason = row.reason;
    this.jsonRpcCode = options.jsonRpcCode ?? row.jsonRpc;
    this.httpStatus = options.httpStatus ?? row.http;
    this.grpcStatus = options.grpcStatus ?? row.grpc;
    this.metadata = options.metadata ?? {};
    this.details = options.details ?? [];
  }
}

/** `TASK_NOT_FOUND` gives `Task not found`. */
function sentence(reason: string): string {
  return reason.charAt(0) + reason.slice(1).toLowerCase().replaceAll("_", " ");
}

/** `TASK_NOT_FOUND` gives `TaskNotFoundError`. */
function className(reason: string): string {
  return `${reason.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Error`;
}

const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo";
const badRequestType = "type.googleapis.com/google.rpc.BadRequest";

/**
 * Gives the error to answer with. Errors of the protocol stay as they are; anything else becomes an internal error with
 * a neutral text, so that nothing of the inside reaches a caller.
 */
export function toA2AError(thrown: unknown, errors: ErrorTable): A2AError {
  return isWritable(thrown) ? thrown : new errors.internal(undefined, { cause: thrown });
}

/** Tells whether something thrown is an error of the protocol, and one that every transport is able to write. */
function isWritable(thrown: unknown): thrown is A2AError {
  try {
    if (!(thrown instanceof A2AError)) return false;
    const { message, metadata, details, httpStatus, grpcStatus: status } = thrown;
    // Throws for what has no JSON, such as a cycle or a bigint.
    JSON.stringify([message, metadata, details]);
    return details.every(isDetail) && httpStatus >= 200 && httpStatus <= 599 && grpcStatus[status] > 0;
  } catch {
    return false;
  }
}

/** Gives the error for a request that is not what the operation takes: invalid params with a violation per issue. */
export function toInvalidParams(thrown: unknown, errors: ErrorTable): unknown {
  if (!(thrown instanceof ValidationError)) return thrown;
  const issues = briefly(thrown.issues);
  const sentences = issues.slice(0, 3).map(({ message }) => message);
  const more = thrown.issues.length - sentences.length;
  if (more > 0) sentences.push(`${more} more issues`);
  const message = `${thrown.type}: ${sentences.join("; ")}`;
  return new errors.invalidParams(message, { details: [badRequest(issues)], cause: thrown });
}

/** The first issues, as many as may travel: gRPC sends them in a header, and many peers refuse those above 8 KiB. */
function briefly(issues: readonly Issue[]): Issue[] {
  let size = 0;
  return issues.filter(({ message, pointer }) => (size += message.length + pointer.length) <= 2000);
}

/** Gives the error for one thing that is wrong with a request, in the field at a path; empty for the whole request. */
export function invalidField(field: string, message: string, errors: ErrorTable, cause?: unknown): A2AError {
  return new errors.invalidParams(message, { details: [badRequest([{ path: [field], message }])], cause });
}

function badRequest(issues: readonly Pick<Issue, "path" | "message">[]): ErrorDetail {
  const fieldViolations = issues.map(({ path, message }) => ({ field: path.join("."), description: message }));
  return { "@type": badRequestType, fieldViolations };
}

/** The details of an error as they travel: first the `ErrorInfo` that names it, then the others. */
export function errorDetails(error: A2AError, errors: ErrorTable): ErrorDetail[] {
  const info: ErrorDetail = { "@type": errorInfoType, reason: error.reason, domain: errors.domain };
  if (Object.keys(error.metadata).length > 0) info["metadata"] = { ...error.metadata };
  return [info, ...error.details];
}

/** The `error` object of a JSON-RPC response. */
export interface JsonRpcError {
  code: number;
  message: string;
  data?: JsonValue;
}

/** Writes an error as JSON-RPC carries it. */
export function toJsonRpcError(error: A2AError, errors: ErrorTable): JsonRpcError {
  const { row } = error.httpStatus >= 500 ? errors.internal : errors.invalidRequest;
  const code = error.jsonRpcCode ?? row.jsonRpc ?? -32600;
  return { code, message: error.message, data: errorDetails(error, errors) };
}

/** Reads the `error` object of a JSON-RPC response. */
export function fromJsonRpcError({ code, message, data }: JsonRpcError, errors: ErrorTable): A2AError {
  return fromParts(errors, message, data, (row) => row.jsonRpc === code, { jsonRpcCode: code });
}

/** Writes an error as HTTP+JSON carries it: the JSON form of `google.rpc.Status`. */
export function toHttpError(error: A2AError, errors: ErrorTable): JsonObject {
  const details = errorDetails(error, errors);
  return { error: { code: error.httpStatus, status: error.grpcStatus, message: error.message, details } };
}

/** Reads the body of an HTTP+JSON answer with an error status. */
export function fromHttpError(status: number, body: unknown, errors: ErrorTable): A2AError {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  const text =
    typeof error["message"] === "string" ? error["message"] : `The agent answered with HTTP status ${status}`;
  const byStatus = (row: ErrorRow): boolean => row.http === status && row.grpc === error["status"];
  return fromParts(errors, text, error["details"], byStatus, { httpStatus: status });
}

/** Reads the parts of a gRPC status. */
export function fromGrpcStatus(status: GrpcStatus, text: string, details: unknown, errors: ErrorTable): A2AError {
  return fromParts(errors, text, details, (row) => row.grpc === status, { grpcStatus: status });
}

/** Finds the class of an error, first by the reason that it names, then by its code if only one class has it. */
function fromParts(
  errors: ErrorTable,
  message: string,
  data: unknown,
  sameCode: (row: ErrorRow) => boolean,
  code: Pick<A2AErrorOptions, "httpStatus" | "grpcStatus" | "jsonRpcCode">,
): A2AError {
  const all = Array.isArray(data) ? data.filter(isDetail) : [];
  const info = all.find((detail) => detail["@type"] === errorInfoType && detail["domain"] === errors.domain);
  const named = errors.classes.find(({ row }) => row.reason === info?.["reason"]);
  const coded = errors.classes.filter(({ row }) => sameCode(row));
  const Found = named ?? (coded.length === 1 ? coded[0] : undefined) ?? A2AError;
  const details = all.filter((detail) => detail !== info);
  return new Found(message, { ...code, metadata: stringsOf(info?.["metadata"]), details });
}

function isDetail(value: unknown): value is ErrorDetail {
  return isObject(value) && typeof value["@type"] === "string";
}

function stringsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
