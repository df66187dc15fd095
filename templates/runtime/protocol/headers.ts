/** The HTTP headers or gRPC metadata of a call. */
export interface CallHeaders {
  /** Returns a header by its name, in any case; several of one name come joined with commas. */
  get(name: string): string | undefined;
}

/** The other end of a connection: the caller, or the last proxy in front of the agent. */
export interface Peer {
  /** IP address without a port; `undefined` if the connection has none or is closed. */
  readonly address: string | undefined;
  /** Client certificate that the TLS server has verified; `undefined` without one. */
  readonly certificate: PeerCertificate | undefined;
}

/** A verified client certificate. */
export interface PeerCertificate {
  /** The certificate in DER. */
  readonly raw: Uint8Array;
  /** SHA-256 of the certificate: pairs of hexadecimal digits in upper case, with colons between them. */
  readonly fingerprint256: string;
  /** Names of the subject, such as `CN`. */
  readonly subject: Readonly<Record<string, unknown>>;
}
