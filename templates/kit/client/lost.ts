import { A2AError, MethodNotFoundError, UnsupportedOperationError } from "../../errors.js";
import { TransportError } from "../../runtime/protocol/transport.js";

/** Returns whether an error says nothing about the call itself, so that the next one may fare better. */
export function isPassing(error: unknown): boolean {
  if (error instanceof A2AError) return error.httpStatus >= 500 || error.httpStatus === 429;
  return error instanceof TransportError || (error instanceof DOMException && error.name === "TimeoutError");
}

/**
 * Returns whether an agent has refused a subscription. Any refusal counts: agents say that a task which has ended or
 * waits is not found, or that its id is invalid, and the task itself tells which of these is so.
 */
export function isRefusal(error: unknown): boolean {
  if (isUnsupported(error)) return true;
  if (error instanceof A2AError) return !isPassing(error);
  if (!(error instanceof TransportError) || error.status === undefined) return false;
  return error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}

/** Returns whether an error says that the agent does not have the operation, or not for this task. */
export function isUnsupported(error: unknown): boolean {
  if (error instanceof TransportError) return error.status === 404 || error.status === 405 || error.status === 501;
  return error instanceof UnsupportedOperationError || error instanceof MethodNotFoundError;
}
