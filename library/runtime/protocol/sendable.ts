import { A2AError, grpcStatus, isDetail } from "./error.js";

/** Returns whether a thrown value is a protocol error that every transport can write. */
export function isSendable(thrown: unknown): thrown is A2AError {
  try {
    if (!(thrown instanceof A2AError)) return false;
    const { message, metadata, details, data, httpStatus, grpcStatus: status } = thrown;
    // `JSON.stringify` throws for values that JSON cannot represent, such as a cycle or a bigint.
    JSON.stringify([message, metadata, details, data]);
    const isErrorStatus = httpStatus >= 400 && httpStatus <= 599 && grpcStatus[status] > 0;
    return isErrorStatus && details.every(isDetail);
  } catch {
    return false;
  }
}

/**
 * If `thrown` comes from another copy of these modules, returns an error that explains why it
 * cannot be sent: its class differs from the class with the same name in this copy. Otherwise,
 * returns `undefined`.
 */
export function copyProblem(thrown: unknown): Error | undefined {
  try {
    if (thrown instanceof A2AError || !(thrown instanceof Error)) return undefined;
    const { reason, httpStatus, grpcStatus: status } = thrown as Partial<A2AError>;
    if (reason === undefined || httpStatus === undefined || status === undefined) return undefined;
    const copy =
      "the program has two copies of a2a-codegen-runtime or of its modules: run `npm dedupe`";
    const hint = "or throw the error classes of the server's own output";
    return new Error(`${thrown.name} is sent as an internal error, because ${copy}, ${hint}`, {
      cause: thrown,
    });
  } catch {
    return undefined;
  }
}
