import { isObject } from "../base/json.js";
import { TransportError } from "../protocol/transport.js";

/** Error codes of Node and Bun for a connection that was not established. */
const refused =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;
/** Error codes of Node and Bun for an untrusted certificate. */
const untrusted = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT)/;

/**
 * Returns whether a call failed because no connection was established, so that the agent cannot
 * have received it. Always returns `false` in browsers, which do not report why a connection
 * failed.
 */
export function wasNotSent(error: unknown): boolean {
  return error instanceof TransportError && (error.unsent === true || isNoConnection(error.cause));
}

function isNoConnection(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { syscall, code, message, cause, errors } = error;
  if (syscall === "connect" || syscall === "getaddrinfo") return true;
  if (typeof code === "string" && (refused.test(code) || untrusted.test(code))) return true;
  // Deno has no error codes.
  if (typeof message === "string" && message.includes("client error (Connect)")) return true;
  return (
    isNoConnection(cause) ||
    (Array.isArray(errors) && errors.length > 0 && errors.every((each) => isNoConnection(each)))
  );
}
