import { A2AError, MethodNotFoundError, UnsupportedOperationError } from "../errors.js";
import { TransportError } from "../runtime/protocol/transport.js";

/** Returns whether an error is temporary, so that a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof A2AError) return error.httpStatus >= 500 || error.httpStatus === 429;
  return (
    error instanceof TransportError ||
    (error instanceof DOMException && error.name === "TimeoutError")
  );
}

/**
 * Returns whether an agent rejected a subscription. Any rejection counts, because some agents
 * respond that a task does not exist or has an invalid id after it has ended or paused. Reading the
 * task then shows the actual reason.
 */
export function isRefusal(error: unknown): boolean {
  if (isUnsupported(error)) return true;
  if (error instanceof A2AError) return !isPassing(error);
  if (!(error instanceof TransportError) || error.status === undefined) return false;
  return error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}

/**
 * Returns whether an error means that the agent does not support the operation, at least for this
 * task.
 */
export function isUnsupported(error: unknown): boolean {
  if (error instanceof TransportError)
    return error.status === 404 || error.status === 405 || error.status === 501;
  return error instanceof UnsupportedOperationError || error instanceof MethodNotFoundError;
}
