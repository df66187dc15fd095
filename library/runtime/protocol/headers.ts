/** The HTTP headers or gRPC metadata of a call. */
export interface CallHeaders {
  /** Returns a header by its case-insensitive name. Repeated headers are joined with commas. */
  get(name: string): string | undefined;
}

/** The other end of a connection: the caller, or the last proxy in front of the agent. */
export interface Peer {
  /** IP address without a port; `undefined` if the connection has no address or is closed. */
  readonly address: string | undefined;
  /** Client certificate that the TLS server has verified; otherwise `undefined`. */
  readonly certificate: PeerCertificate | undefined;
}

/** A verified client certificate. */
export interface PeerCertificate {
  /** The certificate in DER. */
  readonly raw: Uint8Array;
  /** SHA-256 of the certificate: pairs of upper-case hexadecimal digits, separated by colons. */
  readonly fingerprint256: string;
  /** Names of the subject, such as `CN`. */
  readonly subject: Readonly<Record<string, unknown>>;
}
