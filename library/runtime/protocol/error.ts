import { isObject, type JsonObject, type JsonValue } from "../base/json.js";

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

/** Facts about a protocol error: its name, its default message, and its code on each transport. */
export interface ErrorRow {
  /** The reason in `google.rpc.ErrorInfo`, for example `TASK_NOT_FOUND`. */
  readonly reason: string;
  /** The name of the class, if it cannot be derived from the reason, as `TaskNotFoundError` can. */
  readonly name?: string;
  /** The default message, if it cannot be derived from the reason, as `Task not found` can. */
  readonly message?: string;
  /** The JSON-RPC code; absent for errors without a JSON-RPC code. */
  readonly jsonRpc?: number;
  readonly http: number;
  readonly grpc: GrpcStatus;
}

/** A detail of an error, in the JSON form of `google.protobuf.Any`. */
export type ErrorDetail = JsonObject & { "@type": string };

/** Options for an {@link A2AError}, in addition to its message. */
export interface A2AErrorOptions {
  /**
   * Data for programs, such as the id of the task. This data is sent to the caller. Values of more
   * than 1,000 characters are shortened in the response.
   */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further details, sent to the caller after the detail that identifies the error. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /**
   * Data of any form, sent to the caller in versions that support it. An object is merged with
   * metadata and details.
   */
  readonly data?: JsonValue | undefined;
  /** The cause of the error, which is not sent. */
  readonly cause?: unknown;
  /**
   * A more specific HTTP status, for example 413. If the status is not between 400 and 599, a
   * server sends an internal error instead.
   */
  readonly httpStatus?: number;
  /** A more specific gRPC status. */
  readonly grpcStatus?: GrpcStatus;
  /** A more specific JSON-RPC code. */
  readonly jsonRpcCode?: number;
  /** Seconds after which the same call may succeed. Sent as the `Retry-After` header. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Type of the classes in an {@link ErrorTable}. */
export interface ErrorClass {
  new (message?: string, options?: A2AErrorOptions): A2AError;
  readonly prototype: A2AError;
  readonly row: ErrorRow;
}

/** Errors of a version of the protocol, with the classes that a client creates. */
export interface ClientErrors {
  /**
   * The domain of the protocol in `google.rpc.ErrorInfo`. If it is absent, errors are identified by
   * their codes alone.
   */
  readonly domain?: string;
  readonly classes: readonly ErrorClass[];
  readonly invalidRequest: ErrorClass;
  readonly internal: ErrorClass;
  readonly unauthenticated: ErrorClass;
  readonly permissionDenied: ErrorClass;
  readonly invalidResponse: ErrorClass;
}

/** Errors of a version of the protocol, with the classes that a server sends. */
export interface ErrorTable extends ClientErrors {
  readonly parse: ErrorClass;
  readonly methodNotFound: ErrorClass;
  /** By default, `methodNotFound`. */
  readonly pathNotFound?: ErrorClass;
  readonly invalidParams: ErrorClass;
  readonly unsupported: ErrorClass;
  readonly contentType: ErrorClass;
  readonly versionNotSupported?: ErrorClass;
  readonly extensionRequired?: ErrorClass;
}

/**
 * Base class of the errors that servers and clients exchange. For each protocol error, a class
 * extends this class and describes the error in its `row`.
 */
export class A2AError extends Error {
  static readonly row: ErrorRow = {
    reason: "UNKNOWN",
    name: "A2AError",
    message: "An error that the protocol does not define",
    http: 500,
    grpc: "UNKNOWN",
  };

  /** The reason in `google.rpc.ErrorInfo`, for example `TASK_NOT_FOUND`. */
  declare readonly reason: string;
  /** The code on JSON-RPC. */
  declare readonly jsonRpcCode: number | undefined;
  /** The status on HTTP+JSON. */
  declare readonly httpStatus: number;
  /** The status on gRPC. */
  declare readonly grpcStatus: GrpcStatus;
  /** Seconds after which the same call may succeed, if known. */
  declare readonly retryAfterSeconds?: number | undefined;
  /**
   * The `WWW-Authenticate` header of a response with the error. It replaces the challenge of the
   * server. Subclasses of the errors for missing credentials and missing permission set this
   * property.
   */
  declare readonly challenge?: string | undefined;
  /** Data for programs, such as the id of the task. */
  declare readonly metadata: Readonly<Record<string, string>>;
  /** Further details, without the `ErrorInfo` that identifies the error. */
  declare readonly details: readonly ErrorDetail[];
  /**
   * The data of the error. A client sets the data that it received. A server sends the data in
   * versions that support data of any form.
   */
  declare readonly data: JsonValue | undefined;

  constructor(message?: string, options: A2AErrorOptions = {}) {
    const { row } = new.target;
    super(message ?? row.message ?? sentence(row.reason), options);
    this.name = classNameOf(row);
    this.reason = row.reason;
    this.jsonRpcCode = options.jsonRpcCode ?? row.jsonRpc;
    this.httpStatus = options.httpStatus ?? row.http;
    this.grpcStatus = options.grpcStatus ?? row.grpc;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.metadata = options.metadata ?? {};
    this.details = options.details ?? [];
    this.data = options.data;
  }
}

/** Converts a reason to a sentence: `TASK_NOT_FOUND` becomes `Task not found`. */
function sentence(reason: string): string {
  return reason.charAt(0) + reason.slice(1).toLowerCase().replaceAll("_", " ");
}

/**
 * Returns the name of the class of a row: its `name`, or a name such as `TaskNotFoundError` from
 * its reason.
 */
export function classNameOf({ name, reason }: ErrorRow): string {
  const words = /_?(.)([^_]*)/g;
  const joined = (_: string, first: string, rest: string): string => first + rest.toLowerCase();
  return name ?? `${reason.replace(words, joined)}Error`;
}

/**
 * Returns options for an error of another class with the same details and with `error` as its
 * cause. They include the codes that differ from the codes of the error's class.
 */
export function optionsOf(error: A2AError): A2AErrorOptions {
  const { metadata, details, data, retryAfterSeconds, jsonRpcCode, httpStatus, grpcStatus } = error;
  // Every protocol error has a class with a row.
  const { row } = error.constructor as unknown as ErrorClass;
  return {
    metadata,
    details,
    data,
    retryAfterSeconds,
    cause: error,
    ...(jsonRpcCode !== row.jsonRpc && jsonRpcCode !== undefined && { jsonRpcCode }),
    ...(httpStatus !== row.http && { httpStatus }),
    ...(grpcStatus !== row.grpc && { grpcStatus }),
  };
}

/**
 * Returns an error with the codes of a version. Modules that serve several versions throw errors of
 * base classes. This function replaces such errors with errors of the version's classes.
 */
export function inVersion(error: A2AError, { classes }: Pick<ClientErrors, "classes">): A2AError {
  const Thrown = error.constructor as unknown as ErrorClass;
  if (Thrown === A2AError || classes.includes(Thrown)) return error;
  const Own = classes.find(({ prototype }) => prototype instanceof Thrown);
  return Own === undefined ? error : new Own(error.message, optionsOf(error));
}

/** The `error` object of a JSON-RPC response. */
export interface JsonRpcError {
  code: number;
  message: string;
  data?: JsonValue;
}

/** Writes errors in the form of a version of the protocol. */
export interface ErrorWriter {
  /** Returns the `error` object of a JSON-RPC response. */
  readonly jsonRpc: (error: A2AError, errors: ErrorTable) => JsonRpcError;
  /** Returns the body of an HTTP+JSON response, or the event that ends a stream. */
  readonly http: (error: A2AError, errors: ErrorTable) => JsonObject;
  /**
   * Returns the message of a gRPC status, and its `google.rpc.Status` details if the version has
   * any.
   */
  readonly grpc: (
    error: A2AError,
    errors: ErrorTable,
  ) => { text: string; details?: readonly ErrorDetail[] };
}

/** Reads the members of the `error` object of a JSON-RPC response. */
export type JsonRpcErrorReader = (
  code: number,
  message: string,
  data: unknown,
  errors: ClientErrors,
) => A2AError;

/** Reads the errors of HTTP+JSON. */
export interface HttpErrorReader {
  /** The names of members that distinguish an error from the other events of a stream. */
  readonly members: readonly string[];
  /**
   * Reads the body of a response with an error status, or an event of a stream, which has no
   * status. If the body is not a protocol error, returns `undefined`.
   */
  readonly read: (body: unknown, errors: ErrorTable, status?: number) => A2AError | undefined;
}

/** Reads the parts of a gRPC status. */
export type GrpcErrorReader = (
  status: GrpcStatus,
  text: string,
  details: readonly ErrorDetail[],
  errors: ErrorTable,
) => A2AError;

/**
 * Returns the JSON-RPC code of an error. If the error has no such code, returns the code for an
 * internal error or an invalid request, depending on its HTTP status.
 */
export function jsonRpcCodeOf(error: A2AError, errors: ErrorTable): number {
  const { row } = error.httpStatus >= 500 ? errors.internal : errors.invalidRequest;
  const isSame = (candidate: ErrorClass): boolean => candidate.row.grpc === error.grpcStatus;
  // Without a domain, the code identifies the error.
  const same = errors.domain === undefined ? onlyClass(errors, isSame) : undefined;
  return error.jsonRpcCode ?? same?.row.jsonRpc ?? row.jsonRpc ?? -32600;
}

/**
 * Returns the only class that satisfies a condition; `undefined` if no class or several classes
 * satisfy it.
 */
export function onlyClass(
  { classes }: ClientErrors,
  condition: (candidate: ErrorClass) => boolean,
): ErrorClass | undefined {
  const found = classes.filter(condition);
  return found.length === 1 ? found[0] : undefined;
}

/** Returns whether a value is a detail of an error. */
export function isDetail(value: unknown): value is ErrorDetail {
  return isObject(value) && typeof value["@type"] === "string";
}

/**
 * Returns the members of an object that are strings. Returns an empty object for any other value.
 */
export function stringsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}
