import { lookup as lookUp, promises, type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP } from "node:net";
import { originOf } from "a2a-codegen-runtime/internal/client";

/**
 * Error for a request that the inspector does not send. `code` tells the page what the user can do.
 */
export class ReachError extends Error {
  override readonly name = "ReachError";
  /**
   * `origin`: the user must confirm the origin. `refused`: the inspector never sends the request.
   */
  readonly code: "origin" | "refused";
  /** The origin of the request's URL. */
  readonly origin: string;

  constructor(code: "origin" | "refused", origin: string, message: string) {
    super(message);
    this.code = code;
    this.origin = origin;
  }
}

/**
 * Link-local addresses. Cloud providers use such addresses for their metadata services, which
 * return credentials.
 */
const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");
// The IPv6 address of the metadata service of AWS.
linkLocal.addAddress("fd00:ec2::254", "ipv6");

// IPv6 addresses that embed an IPv4 address: mapped, compatible, NAT64 and 6to4.
linkLocal.addSubnet("::ffff:a9fe:0", 112, "ipv6");
linkLocal.addSubnet("::a9fe:0", 112, "ipv6");
linkLocal.addSubnet("64:ff9b::a9fe:0", 112, "ipv6");
linkLocal.addSubnet("2002:a9fe::", 32, "ipv6");

/**
 * Returns whether an IP address is link-local, or is an IPv6 address that embeds a link-local IPv4
 * address.
 */
export function isLinkLocal(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && linkLocal.check(address, family === 4 ? "ipv4" : "ipv6");
}

type Done = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Returns the origin of a URL. All names of the loopback address count as the same origin, because
 * cards often contain `localhost` although the user has entered `127.0.0.1`.
 */
function originFor(url: string): string {
  return originOf(url).replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=:|$)/, "$1127.0.0.1");
}

/** Returns the host of an origin. An IPv6 address has no brackets. */
function hostOf(origin: string): string {
  return new URL(origin).hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * The origins that the inspector may send requests to: the origins that the user has passed or
 * confirmed.
 */
export class Reach {
  readonly #origins: Set<string>;
  /** Origins from the command line, which may have link-local addresses. */
  readonly #named: ReadonlySet<string>;

  /** Allows the origins of `urls`, which the user has written on the command line. */
  constructor(urls: readonly string[]) {
    this.#named = new Set(urls.map(originFor));
    this.#origins = new Set(this.#named);
  }

  /** The allowed origins. */
  get origins(): readonly string[] {
    return [...this.#origins];
  }

  /** Allows the origin of a URL that the user has confirmed on the page. */
  confirm(url: string): void {
    this.#origins.add(originFor(url));
  }

  /**
   * Checks the URL, or the gRPC target, of a request.
   *
   * @throws {ReachError} if the user has not confirmed its origin, or if its host is a link-local
   *   address
   */
  check(url: string): void {
    const origin = originFor(url);
    // gRPC also accepts other targets, such as a socket in the file system.
    if (!/^https?:\/\//.test(origin))
      throw new ReachError("refused", origin, `"${origin}" is not an address with a host`);
    if (!this.#origins.has(origin))
      throw new ReachError("origin", origin, `Confirm that ${origin} may be called`);
    if (isLinkLocal(hostOf(origin)) && !this.#named.has(origin)) throw refusedLocal(origin);
  }

  /**
   * Returns a function that resolves the host of a URL for `node:http`, and refuses link-local
   * addresses. The connection uses the address that was checked, so that a second look-up cannot
   * return a different address.
   */
  lookupFor(url: string): (host: string, options: LookupOptions, done: Done) => void {
    const origin = originFor(url);
    const isNamed = this.#named.has(origin);
    return (host, options, done) => {
      lookUp(host, { ...options, all: true }, (error, addresses) => {
        const found = error === null ? addresses : [];
        const usable = isNamed ? found : found.filter(({ address }) => !isLinkLocal(address));
        const [first] = usable;
        if (first === undefined) done(error ?? refusedLocal(origin), "");
        else if (options.all === true) done(null, usable);
        else done(null, first.address, first.family);
      });
    };
  }

  /**
   * Resolves the host of a gRPC target, and checks its addresses. gRPC resolves the host again and
   * may use any of its addresses, so all of them must be allowed.
   *
   * @throws {ReachError} as {@link Reach.check}
   */
  async resolve(target: string): Promise<void> {
    this.check(target);
    const origin = originFor(target);
    const addresses = await promises.lookup(hostOf(origin), { all: true });
    if (!this.#named.has(origin) && addresses.some(({ address }) => isLinkLocal(address)))
      throw refusedLocal(origin);
  }
}

function refusedLocal(origin: string): ReachError {
  const hint = "To call it, pass its URL to `a2a-codegen inspect`";
  return new ReachError("refused", origin, `${origin} has a link-local address. ${hint}`);
}
