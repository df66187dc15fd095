/** Returns whether the headers of the caller may go to an address. */
export type Trust = (address: string) => boolean;

/**
 * Returns the rule by which headers, which may hold credentials, go to some origins and to no other. Each origin is a
 * URL, of which the path does not matter, or a target of gRPC; an address of any other kind has to be the same.
 */
export function trustIn(origins: readonly string[]): Trust {
  const trusted = new Set(origins.map(originOf));
  return (address) => trusted.has(originOf(address));
}

/** A target of gRPC with one host. Whatever gRPC might read in another way does not match. */
const target = /^(?:(?<scheme>grpcs?):\/\/|dns:(?:\/\/\/)?)?(?<host>[\w.-]+|\[[\da-f:]+\])(?::(?<port>\d+))?\/?$/i;
const loopback = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Returns the origin of a URL or a target of gRPC, as a client connects to it; any other address as it is. */
export function originOf(address: string): string {
  // A backslash or a tab would be read in one way by `fetch`, and in another by gRPC.
  if (/^https?:\/\/[^\\\s]+$/i.test(address) && URL.canParse(address)) return new URL(address).origin;
  const groups: Partial<Record<string, string>> = target.exec(address)?.groups ?? {};
  const { scheme, host, port } = groups;
  if (host === undefined) return address;
  const isPlain = scheme === undefined ? loopback.test(host) : scheme.length === 4;
  const url = `http${isPlain ? "" : "s"}://${host}${port === undefined ? "" : `:${port}`}`;
  return URL.canParse(url) ? new URL(url).origin : address;
}
