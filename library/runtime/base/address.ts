/** A range of addresses: its prefix, and the length of the prefix in bits. */
type Range = readonly [address: string, bits: number];

/** IPv4 addresses that do not belong to one host on the public Internet. */
const special4: readonly Range[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Address of the host machine in Azure.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/**
 * IPv6 addresses inside the public range 2000::/3 that do not belong to one host on the Internet.
 */
const special6: readonly Range[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
];

/** IPv6 ranges that embed an IPv4 address, and the byte offset of the IPv4 address. */
const carriers: readonly (readonly [...Range, at: number])[] = [
  ["::ffff:0:0", 96, 12],
  ["64:ff9b::", 96, 12],
  ["2002::", 16, 2],
];

/**
 * Returns whether an IP address belongs to one host on the public Internet. Returns `false` for
 * private, loopback, link-local, multicast and reserved addresses, even if they are embedded in an
 * IPv6 address, and for strings that are not addresses.
 */
export function isPublicAddress(address: string): boolean {
  const bytes = bytesOf(address);
  if (bytes === undefined) return false;
  const bytes4 = ipv4In(bytes);
  if (bytes4 !== undefined) return !special4.some((range) => isIn(bytes4, range));
  return isIn(bytes, ["2000::", 3]) && !special6.some((range) => isIn(bytes, range));
}

/** Names that only exist inside a private network. */
const internalNames = /^(?:[^.]*|.*\.(?:localhost|local|internal|lan|home\.arpa))\.*$/;

/**
 * Returns whether the host of a URL may be public. A public name may still resolve to a private
 * address, which only a look-up can detect.
 *
 * @param host - `hostname` of a `URL`, which has already normalized the notations of an address
 */
export function isPublicHost(host: string): boolean {
  return isAddress(host) ? isPublicAddress(host) : !internalNames.test(host);
}

/** Returns whether a string is an IP address. An IPv6 address may be in brackets. */
export function isAddress(text: string): boolean {
  return bytesOf(text) !== undefined;
}

/**
 * Returns the network of an IP address, or `undefined` if the string is not an address. The network
 * is the first 24 bits of an IPv4 address, even if it is embedded in an IPv6 address. For other
 * IPv6 addresses, the network is the first 48 bits, which a provider may assign to a single
 * customer.
 */
export function networkOf(address: string): string | undefined {
  const bytes = bytesOf(address);
  if (bytes === undefined) return undefined;
  const network = ipv4In(bytes)?.slice(0, 3) ?? bytes.slice(0, 6);
  return network.join(".");
}

/** Returns the bytes of an IPv4 address, even if it is embedded in an IPv6 address. */
function ipv4In(bytes: readonly number[]): readonly number[] | undefined {
  if (bytes.length === 4) return bytes;
  for (const [start, bits, at] of carriers)
    if (isIn(bytes, [start, bits])) return bytes.slice(at, at + 4);
  return undefined;
}

function isIn(bytes: readonly number[], [start, bits]: Range): boolean {
  const first = bytesOf(start) ?? [];
  return bytes.every((byte, index) => {
    const prefixBits = Math.min(Math.max(bits - index * 8, 0), 8);
    const different = byte ^ (first[index] ?? 0);
    return different >> (8 - prefixBits) === 0;
  });
}

/** Returns the 4 or 16 bytes of an address, or `undefined` if the string is not an address. */
function bytesOf(text: string): readonly number[] | undefined {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(bare)) {
    const bytes = bare.split(".").map(Number);
    return bytes.every((byte) => byte < 256) ? bytes : undefined;
  }
  // The URL parser accepts all notations of an address, and normalizes them.
  const url = `http://[${bare}]`;
  if (!bare.includes(":") || !URL.canParse(url)) return undefined;
  return bytes6(new URL(url).hostname.slice(1, -1));
}

function bytes6(canonical: string): number[] {
  const [head = "", tail = ""] = canonical.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
