/** Returns whether an address may receive the headers of the client. */
export type Trust = (address: string) => boolean;

/**
 * Returns a function that determines whether an address may receive headers, which may contain
 * credentials. Each origin is a gRPC target, or a URL, whose path is ignored. Any other address
 * must be equal to an entry in `trustedOrigins`.
 */
export function trustIn(trustedOrigins: readonly string[]): Trust {
  const trusted = new Set(trustedOrigins.map(originOf));
  return (address) => trusted.has(originOf(address));
}

/**
 * Matches a gRPC target with one host. A target that gRPC could interpret differently must not
 * match.
 */
const target =
  /^(?:(?<scheme>grpcs?):\/\/|dns:(?:\/\/\/)?)?(?<host>[\w.-]+|\[[\da-f:]+\])(?::(?<port>\d+))?\/?$/i;
const loopback = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Returns the origin that a client connects to for a URL or a gRPC target. Returns any other
 * address unchanged.
 */
export function originOf(address: string): string {
  // `fetch` and gRPC disagree about backslashes and tabs, so such an address could lead to an
  // untrusted origin.
  if (/^https?:\/\/[^\\\s]+$/i.test(address) && URL.canParse(address))
    return new URL(address).origin;
  const groups: Partial<Record<string, string>> = target.exec(address)?.groups ?? {};
  const { scheme, host, port } = groups;
  if (host === undefined) return address;
  // The scheme `grpc` has four letters, unlike `grpcs`.
  const isPlain = scheme === undefined ? loopback.test(host) : scheme.length === 4;
  const authority = port === undefined ? host : `${host}:${port}`;
  const url = (isPlain ? "http://" : "https://") + authority;
  return URL.canParse(url) ? new URL(url).origin : address;
}
