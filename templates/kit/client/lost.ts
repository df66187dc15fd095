import { A2AError, MethodNotFoundError, UnsupportedOperationError } from "../../errors.js";
import { TransportError } from "../../runtime/protocol/transport.js";

/** Returns whether an error says nothing about the call itself, so that the next one may fare better. */
export function isPassing(error: unknown): boolean {
  if (error instanceof A2AError) return error.httpStatus >= 500 || error.httpStatus === 429;
  return error instanceof TransportError || (error instanceof DOMException && error.name === "TimeoutError");
}

/** Returns whether an error says that the agent does not have the operation, or not for this task. */
export function isUnsupported(error: unknown): boolean {
  if (error instanceof TransportError) return error.status === 404 || error.status === 405 || error.status === 501;
  return error instanceof UnsupportedOperationError || error instanceof MethodNotFoundError;
}
