// This module imports no values, because bundlers would move them out of the file that every client
// loads.

/** Error codes of Node and Bun for a connection that was not established. */
const refused =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;
/** Error codes of Node and Bun for an untrusted certificate. */
const untrusted = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT)/;

/** Returns whether a value is the error of a connection that was not established. */
export function isNoConnection(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { syscall, code, message, cause, errors } = error as Readonly<Record<string, unknown>>;
  if (syscall === "connect" || syscall === "getaddrinfo") return true;
  if (typeof code === "string" && (refused.test(code) || untrusted.test(code))) return true;
  // Deno has no error codes.
  if (typeof message === "string" && message.includes("client error (Connect)")) return true;
  if (isNoConnection(cause)) return true;
  // Node tries all addresses of a name, and reports an error for each of them.
  return Array.isArray(errors) && errors.length > 0 && errors.every(isNoConnection);
}
