/** Cause of a request without a response. */
export type ConnectionCause =
  | "refused"
  | "unknownHost"
  | "silent"
  | "closed"
  | "plainText"
  | "unknownAuthority"
  | "invalidCertificate"
  | "clientCertificate";

/** Causes by the code that Node or OpenSSL reports. */
const causes: readonly (readonly [code: RegExp, cause: ConnectionCause])[] = [
  [/^ECONNREFUSED$/, "refused"],
  [/^(?:ENOTFOUND|EAI_)/, "unknownHost"],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/, "silent"],
  [/^(?:ECONNRESET|EPIPE|HPE_)/, "closed"],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/, "plainText"],
  [/^(?:SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY))/, "unknownAuthority"],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$|ALTNAME_INVALID$/, "invalidCertificate"],
  [
    /ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)|HANDSHAKE_FAILURE$/,
    "clientCertificate",
  ],
];

/** Returns the cause of a failed request, if its error or an error behind it has a known code. */
export function connectionCause(error: unknown): ConnectionCause | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = codeOf(at);
    const [, cause] = causes.find(([pattern]) => pattern.test(code)) ?? [];
    if (cause !== undefined) return cause;
  }
  return undefined;
}

function codeOf(error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  if (code !== "EPROTO") return code;
  // In older versions of Node, only the message of OpenSSL has the reason.
  return error.message.toUpperCase().replaceAll(" ", "_");
}
