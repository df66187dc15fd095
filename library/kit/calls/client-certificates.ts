import type { PeerCertificate } from "../../runtime/protocol/headers.js";
import type { Caller } from "../../runtime/server/context.js";
import type { NoUser } from "../../runtime/server/user.js";
import type { Bytes } from "../signatures/jws.js";
import type { CheckCredentials } from "./authentication.js";

/** Rules for the certificates that {@link clientCertificates} accepts. */
export interface ClientCertificateOptions<User> {
  /**
   * Returns the user for a certificate that the TLS server or the proxy has verified. If this
   * function returns no user, the call is rejected.
   */
  readonly user: (certificate: PeerCertificate) => User | NoUser | Promise<User | NoUser>;
  /**
   * Proxies that verify certificates in front of the agent. They must remove the header from
   * incoming requests. Otherwise, a caller could claim to have any certificate.
   */
  readonly proxy?: {
    /** Addresses of the proxies, in the form of `peer.address`. */
    readonly addresses: readonly string[];
    /**
     * Name of the header with the certificate: in base64 between colons (RFC 9440), or as PEM in
     * URL encoding.
     */
    readonly header: string;
  };
}

/**
 * Returns a check for `authenticateBy` for mutual TLS. The check returns the user for the
 * connection's client certificate. If a proxy terminates the TLS connection, the proxy sends the
 * certificate in a header. List such proxies in `proxy`: the header is ignored if any other peer
 * sends it. A certificate from a header has no subject names.
 *
 * @throws {TypeError} if `proxy.addresses` or `proxy.header` is empty
 */
export function clientCertificates<User>({
  user,
  proxy,
}: ClientCertificateOptions<User>): CheckCredentials<User> {
  if (proxy !== undefined && (proxy.addresses.length === 0 || proxy.header === ""))
    throw new TypeError("`proxy.addresses` and `proxy.header` must not be empty");
  const proxies = new Set(proxy?.addresses.map(plainAddress));
  return async (_, { caller }) => {
    const { peer } = caller;
    const address = peer?.address;
    const isProxied =
      proxy !== undefined && address !== undefined && proxies.has(plainAddress(address));
    // Behind a proxy, the certificate of the connection belongs to the proxy itself.
    const certificate = isProxied ? await fromHeader(caller, proxy.header) : peer?.certificate;
    return certificate === undefined ? undefined : user(certificate);
  };
}

/** Removes the prefix that dual-stack sockets add to an IPv4 address. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

async function fromHeader({ headers }: Caller, name: string): Promise<PeerCertificate | undefined> {
  const raw = bytesOf(headers.get(name.toLowerCase()) ?? "");
  if (raw === undefined) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", raw));
  const pairs = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0").toUpperCase());
  return { raw, fingerprint256: pairs.join(":"), subject: {} };
}

const pem = /^-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----\s*$/;

/**
 * Returns the certificate in a header; `undefined` if the header does not contain exactly one
 * certificate.
 */
function bytesOf(text: string): Bytes | undefined {
  try {
    const base64 = (
      /^:([A-Za-z0-9+/=]+):$/.exec(text.trim()) ?? pem.exec(decodeURIComponent(text))
    )?.at(1);
    if (base64 === undefined) return undefined;
    return Uint8Array.from(atob(base64.replaceAll(/\s/g, "")), (character) =>
      character.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}
