import { A2AError, type ClientErrors } from "./error.js";

/**
 * Returns whether an error is an internal failure of an agent: the internal error of the protocol,
 * or an error without a reason whose status means a failure of the agent. The text of such an error
 * may contain internals of the agent.
 */
export function isInternalFailure(
  { reason, jsonRpcCode, httpStatus, grpcStatus }: A2AError,
  { internal }: Pick<ClientErrors, "internal">,
): boolean {
  if (reason === internal.row.reason) return true;
  const unknown = A2AError.row;
  if (reason !== unknown.reason) return false;
  // On each transport, an agent determines one of the three codes. The others have their defaults.
  if (jsonRpcCode !== undefined) return jsonRpcCode === internal.row.jsonRpc;
  if (grpcStatus !== unknown.grpc) return failures.includes(grpcStatus);
  return httpStatus >= unknown.http;
}

/** The statuses of gRPC that mean a failure of the agent, besides `UNKNOWN`. */
const failures: readonly string[] = ["INTERNAL", "UNAVAILABLE", "DATA_LOSS"];
