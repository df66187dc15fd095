import { errors } from "../../generated/1.0/errors.js";
import { member, textAt } from "../agents/findings.js";
import { A2AError } from "../agents/index.js";
import { classNameOf, type ErrorRow } from "a2a-codegen-runtime/internal/core";
import type { Reply, ReplyError } from "./reply.js";

const rows: readonly ErrorRow[] = errors.classes.map(({ row }) => row);

/** Returns the codes of the protocol's error called `name`. */
export function rowOf(name: string): ErrorRow | undefined {
  return rows.find((row) => classNameOf(row) === name);
}

/** Returns the first `ErrorInfo` of a list of details. */
export function errorInfoOf(details: unknown): unknown {
  if (!Array.isArray(details)) return undefined;
  return details.find((detail: unknown) =>
    (textAt(detail, "@type") ?? "").endsWith("google.rpc.ErrorInfo"),
  );
}

function nameOf(row: ErrorRow | undefined): string {
  return row === undefined ? "" : classNameOf(row);
}

/** Reads the error in a JSON-RPC response. The code identifies the error. */
export function jsonRpcError(error: unknown): ReplyError {
  const code = member(error, "code");
  const row = rows.find(({ jsonRpc }) => jsonRpc === code);
  return {
    name: nameOf(row),
    message: textAt(error, "message") ?? "",
    details: member(error, "data"),
    code: typeof code === "number" ? code : undefined,
  };
}

/**
 * Reads the error in an HTTP response. The error is identified by the reason in its details, or by
 * a status that only one error has.
 */
export function httpError(body: unknown, status: number): ReplyError {
  // Some agents send the members of the error without `error` around them.
  const error = member(body, "error") ?? body;
  const details = member(error, "details");
  const reason = textAt(errorInfoOf(details), "reason");
  const grpc = textAt(error, "status");
  const candidates = rows.filter(
    (row) => row.http === status && (grpc === undefined || row.grpc === grpc),
  );
  const row =
    rows.find((candidate) => candidate.reason === reason) ??
    (candidates.length === 1 ? candidates[0] : undefined);
  return { name: nameOf(row), code: status, message: textAt(error, "message") ?? "", details };
}

/** Returns the error that a generated client throws for an error response. */
export function clientError(error: A2AError, isGrpc: boolean): ReplyError {
  const { name, message, details, metadata, reason } = error;
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason,
    domain: errors.domain,
    metadata,
  };
  const code = isGrpc ? error.grpcStatus : (error.jsonRpcCode ?? error.httpStatus);
  // This class represents errors that the protocol does not define.
  const isUnknown = reason === A2AError.row.reason;
  if (!isUnknown) return { name, code, message, details: [info, ...details] };
  return { name: "", code, message, details, isBare: !isGrpc && error.jsonRpcCode === undefined };
}

/** Returns whether the error in a reply is the protocol's error called `name`. */
export function isError({ error }: Reply, name: string): boolean {
  if (error === undefined) return false;
  const { code } = error;
  // Over gRPC and HTTP+JSON, agents for 0.3 only send the status.
  if (error.name === "" && typeof code === "string") return code === rowOf(name)?.grpc;
  if (error.isBare === true) return mayHaveStatus(rowOf(name), code);
  if (error.name !== name) return false;
  // Over HTTP, details have identified the error, and its status must match. Codes of JSON-RPC are
  // negative, and codes of gRPC are strings.
  const isHttpStatus = typeof code === "number" && code >= 0;
  return !isHttpStatus || code === rowOf(name)?.http;
}

/**
 * Returns whether an HTTP status may represent an error of 0.3. That version only requires an
 * appropriate status: 404 for an unknown task, and another status for all other errors.
 */
function mayHaveStatus(row: ErrorRow | undefined, status: ReplyError["code"]): boolean {
  return row?.http === 404 ? status === 404 : status !== 404 && status !== 500;
}

/**
 * Returns whether a reply refuses invalid parameters. Bindings without a specific error use a
 * general code.
 */
export function isInvalid({ error }: Reply): boolean {
  if (error === undefined) return false;
  const names = ["InvalidParamsError", "InvalidRequestError", ""];
  return (
    names.includes(error.name) && [-32602, 400, 422, "INVALID_ARGUMENT"].includes(error.code ?? "")
  );
}
