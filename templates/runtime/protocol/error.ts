import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import { ValidationError, type Issue } from "../schema/schema.js";

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

/** What the protocol says about an error: its name, its default message, and its code on each transport. */
export interface ErrorRow {
  /** The name as `google.rpc.ErrorInfo` carries it, for example `TASK_NOT_FOUND`. */
  readonly reason: string;
  /** The name of the class, where it does not follow from the reason as `TaskNotFoundError` does. */
  readonly name?: string;
  /** The default message, where it is not the reason in words: `Task not found`. */
  readonly message?: string;
  /** The JSON-RPC code; absent for errors that JSON-RPC has no code for. */
  readonly jsonRpc?: number;
  readonly http: number;
  readonly grpc: GrpcStatus;
}

/** An object of the details of an error, in the JSON form of `google.protobuf.Any`. */
export type ErrorDetail = JsonObject & { "@type": string };

/** What an error can carry besides its message. */
export interface A2AErrorOptions {
  /** Facts for programs, for example the id of the task. They travel to the caller. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Further details, sent after the one that names the error. They travel to the caller. */
  readonly details?: readonly ErrorDetail[];
  /** Data of any form, which travels to the caller in versions that carry it; an object joins metadata and details. */
  readonly data?: JsonValue | undefined;
  /** What led to the error. It stays here. */
  readonly cause?: unknown;
  /**
   * An HTTP status that says more than the one of the error, for example 413. A server sends an internal error in place
   * of one whose status is not of 400 to 599.
   */
  readonly httpStatus?: number;
  /** A gRPC status that says more than the one of the error. */
  readonly grpcStatus?: GrpcStatus;
  /** A JSON-RPC code that says more than the one of the error. */
  readonly jsonRpcCode?: number;
  /** Seconds after which the same call may succeed: `Retry-After` of a response with the HTTP status of the error. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The type of a class of errors in an {@link ErrorTable}. */
export interface ErrorClass {
  new (message?: string, options?: A2AErrorOptions): A2AError;
  readonly row: ErrorRow;
}

/** The errors of a version of the protocol, and the ones among them that a client itself asks for. */
export interface ClientErrors {
  /** The domain of the protocol in `google.rpc.ErrorInfo`. */
  readonly domain: string;
  readonly classes: readonly ErrorClass[];
  readonly invalidRequest: ErrorClass;
  readonly internal: ErrorClass;
  readonly unauthenticated: ErrorClass;
  readonly permissionDenied: ErrorClass;
  readonly invalidResponse: ErrorClass;
}

/** As {@link ClientErrors}, with the ones that a server responds with. */
export interface ErrorTable extends ClientErrors {
  readonly parse: ErrorClass;
  readonly methodNotFound: ErrorClass;
  readonly invalidParams: ErrorClass;
  readonly unsupported: ErrorClass;
  readonly contentType: ErrorClass;
  readonly versionNotSupported?: ErrorClass;
  readonly extensionRequired?: ErrorClass;
}

/**
 * An error that travels between agents. Each error of the protocol has a class of its own that extends this one and
 * says in its `row` what it is.
 */
export class A2AError extends Error {
  static readonly row: ErrorRow = {
    reason: "UNKNOWN",
    name: "A2AError",
    message: "An error that the protocol does not define",
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
  /** Seconds after which the same call may succeed, if the error was made with it. */
  readonly retryAfterSeconds?: number | undefined;
  /**
   * `WWW-Authenticate` of a response with the error, in place of the agent's own. Subclasses of the errors for missing
   * access set it.
   */
  declare readonly challenge?: string | undefined;
  /** Facts for programs, for example the id of the task. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Details other than the `ErrorInfo` that names the error. */
  readonly details: readonly ErrorDetail[];
  /** The data of the error as they came, or as they are to travel in versions that carry data of any form. */
  readonly data: JsonValue | undefined;

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

/** Returns `Task not found` for `TASK_NOT_FOUND`. */
function sentence(reason: string): string {
  return reason.charAt(0) + reason.slice(1).toLowerCase().replaceAll("_", " ");
}

/** The name of the class of a row, which follows from the reason unless the row says it: `TaskNotFoundError`. */
export function classNameOf({ name, reason }: ErrorRow): string {
  return (
    name ?? `${reason.replace(/_?(.)([^_]*)/g, (_, first: string, rest: string) => first + rest.toLowerCase())}Error`
  );
}

const badRequestType = "type.googleapis.com/google.rpc.BadRequest";

/** Returns whether something thrown is an error of the protocol, and one that every transport is able to write. */
export function isSendable(thrown: unknown): thrown is A2AError {
  try {
    if (!(thrown instanceof A2AError)) return false;
    const { message, metadata, details, data, httpStatus, grpcStatus: status } = thrown;
    // Throws for what has no JSON, such as a cycle or a bigint.
    JSON.stringify([message, metadata, details, data]);
    return details.every(isDetail) && httpStatus >= 400 && httpStatus <= 599 && grpcStatus[status] > 0;
  } catch {
    return false;
  }
}

/** Returns the error for a request that is not what the operation takes: invalid params with a violation per issue. */
export function toInvalidParams(thrown: unknown, errors: ErrorTable): unknown {
  if (!(thrown instanceof ValidationError)) return thrown;
  const issues = briefly(thrown.issues);
  const sentences = issues.slice(0, 3).map(({ message }) => message);
  const more = thrown.issues.length - sentences.length;
  if (more > 0) sentences.push(`${String(more)} more issues`);
  const message = `${thrown.type}: ${sentences.join("; ")}`;
  return new errors.invalidParams(message, { details: [badRequest(issues)], cause: thrown });
}

/** The first issues, as many as may travel: gRPC sends them in a header, and many peers refuse those above 8 KiB. */
function briefly(issues: readonly Issue[]): Issue[] {
  let size = 0;
  return issues.filter(({ message, pointer }) => (size += message.length + pointer.length) <= 2000);
}

/**
 * Returns the error for one thing that is wrong with a request, in the field at a path; empty for the whole request.
 */
export function invalidField(field: string, message: string, errors: ErrorTable, cause?: unknown): A2AError {
  return new errors.invalidParams(message, { details: [badRequest([{ path: [field], message }])], cause });
}

/**
 * Returns the detail that says which fields of a request are wrong and why, for the `details` of an error.
 *
 * @example
 * throw new InvalidParamsError("There is no such page", { details: [fieldViolations({ pageToken: "has expired" })] });
 */
export function fieldViolations(problems: Readonly<Record<string, string>>): ErrorDetail {
  return badRequest(Object.entries(problems).map(([field, message]) => ({ path: [field], message })));
}

function badRequest(issues: readonly Pick<Issue, "path" | "message">[]): ErrorDetail {
  const fieldViolations = issues.map(({ path, message }) => ({ field: path.join("."), description: message }));
  return { "@type": badRequestType, fieldViolations };
}

/** The `error` object of a JSON-RPC response. */
export interface JsonRpcError {
  code: number;
  message: string;
  data?: JsonValue;
}

/** Writes errors as a version of the protocol carries them. */
export interface ErrorWriter {
  /** Returns the `error` object of a JSON-RPC response. */
  readonly jsonRpc: (error: A2AError, errors: ErrorTable) => JsonRpcError;
  /** Returns the body of an HTTP+JSON response, or the event that ends a stream. */
  readonly http: (error: A2AError, errors: ErrorTable) => JsonObject;
  /** Returns the message of a gRPC status, and the details of its `google.rpc.Status` where the version has one. */
  readonly grpc: (error: A2AError, errors: ErrorTable) => { text: string; details?: readonly ErrorDetail[] };
}

/** Reads the members of the `error` object of a JSON-RPC response. */
export type JsonRpcErrorReader = (code: number, message: string, data: unknown, errors: ClientErrors) => A2AError;

/** Reads the errors of HTTP+JSON. */
export interface HttpErrorReader {
  /** The members by which an event of a stream can be told to be an error. */
  readonly members: readonly string[];
  /**
   * Reads the body of a response with an error status, or an event of a stream, which has none. Returns `undefined`
   * where that is no error of the protocol.
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

/** The code of an error on JSON-RPC, where it has none of its own that of the fault that it is. */
export function jsonRpcCodeOf(error: A2AError, errors: ErrorTable): number {
  const { row } = error.httpStatus >= 500 ? errors.internal : errors.invalidRequest;
  return error.jsonRpcCode ?? row.jsonRpc ?? -32600;
}

/** Finds the one class of errors that meets a condition; returns `undefined` where none does, or several do. */
export function onlyClass(
  { classes }: ClientErrors,
  condition: (which: ErrorClass) => boolean,
): ErrorClass | undefined {
  const found = classes.filter(condition);
  return found.length === 1 ? found[0] : undefined;
}

/** Returns whether a value is a detail of an error. */
export function isDetail(value: unknown): value is ErrorDetail {
  return isObject(value) && typeof value["@type"] === "string";
}

/** The members of an object that are strings; none of anything else. */
export function stringsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
