import { isObject } from "../json.js";
import { TransportError } from "./transport.js";

/** Codes by which Node and Bun say that there was no connection, or no trust in the other side. */
const unsentCode =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_CERT\w+)$/;

/**
 * Tells whether a call failed because no connection came about, so that the agent cannot have seen it. Node, Deno, Bun
 * and gRPC say so; browsers do not, and the answer there is always no.
 */
export function isUnsent(error: unknown): boolean {
  return error instanceof TransportError && (error.unsent || isNoConnection(error.cause));
}

function isNoConnection(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { syscall, code, message, cause, errors } = error;
  if (syscall === "connect" || syscall === "getaddrinfo" || unsentCode.test(String(code))) return true;
  if (String(message).includes("client error (Connect)")) return true;
  return (
    isNoConnection(cause) ||
    (Array.isArray(errors) && errors.length > 0 && errors.every((each) => isNoConnection(each)))
  );
}
