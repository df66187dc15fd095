import { isObject } from "../base/json.js";
import { TransportError } from "../protocol/transport.js";

/** Codes by which Node and Bun say that there was no connection. */
const refused = /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;
/** Codes by which they say that the certificate of the other side was not accepted. */
const untrusted = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT)/;

/**
 * Returns whether a call failed because no connection came about, so that the agent cannot have seen it. Node, Deno,
 * Bun and gRPC say so; browsers do not, and the result there is always false.
 */
export function isUnsent(error: unknown): boolean {
  return error instanceof TransportError && (error.unsent === true || isNoConnection(error.cause));
}

function isNoConnection(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { syscall, code, message, cause, errors } = error;
  if (syscall === "connect" || syscall === "getaddrinfo") return true;
  if (typeof code === "string" && (refused.test(code) || untrusted.test(code))) return true;
  // Deno has no codes.
  if (typeof message === "string" && message.includes("client error (Connect)")) return true;
  return (
    isNoConnection(cause) ||
    (Array.isArray(errors) && errors.length > 0 && errors.every((each) => isNoConnection(each)))
  );
}
