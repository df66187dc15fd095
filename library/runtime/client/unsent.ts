import { TransportError } from "../protocol/transport.js";
import { isNoConnection } from "./no-connection.js";

/**
 * Returns whether a call failed because no connection was established, so that the server cannot
 * have received it. Always returns `false` in browsers, which do not report why a connection
 * failed.
 */
export function wasNotSent(error: unknown): boolean {
  if (!(error instanceof TransportError)) return false;
  return error.unsent === true || isNoConnection(error.cause);
}
