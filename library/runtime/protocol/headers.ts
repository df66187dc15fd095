/**
 * The HTTP headers or gRPC metadata of a call. The values of names that end with `-bin` are base64
 * over gRPC. Repeated headers are joined with commas.
 */
export interface CallHeaders {
  /** Returns a header by its case-insensitive name. */
  get(name: string): string | undefined;
  /** Returns all headers, with lower-case names. */
  entries(): Iterable<[name: string, value: string]>;
}

/** Prefix of headers that represent trailers in a response without trailers. */
export const trailerPrefix = "trailer-";

/** Headers of a request of Node. */
type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the headers of a request of Node, without pseudo-headers. */
export function entriesOf(headers: NodeHeaders): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    const text = joined(value);
    return text === undefined || name.startsWith(":") ? [] : [[name, text]];
  });
}

/** Returns the value of a header that may be repeated. */
export function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}

/** The other end of a connection: the caller, or the last proxy in front of the server. */
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
