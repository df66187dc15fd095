import { isThenable } from "../base/async.js";
import { isObject } from "../base/json.js";
import type { ErrorTable } from "../protocol/error.js";
import { isNoUser } from "./user.js";
import type { Caller } from "./context.js";

/** Counter of requests by key, for example in a database that all processes share. */
export interface RateLimiter {
  /**
   * Counts a request for a key. If the request is allowed, returns 0. Otherwise, returns the
   * milliseconds after which the next request may be allowed.
   */
  take(key: string): number | Promise<number>;
}

/** Rate of requests that this process allows for each key. */
export interface Rate {
  /** Number of requests per second. */
  readonly perSecond: number;
  /**
   * Number of requests that may arrive at once after a pause; by default, the number of requests
   * per second.
   */
  readonly burst?: number;
}

/**
 * Limits for the rate of calls. Calls above a limit are rejected with the time after which they may
 * be repeated.
 */
export interface RateOptions<User = unknown> {
  /**
   * Rate for each user that `authenticate` returns. Anonymous callers are only limited by their
   * address.
   */
  readonly perCaller?: Rate | RateLimiter;
  /**
   * Rate for each IP address, counted before `authenticate`. The addresses of an IPv6 network (/64)
   * count together. Requests without an address, such as Web requests without `peer`, also count
   * together, and are reported to `onError`.
   */
  readonly perAddress?: Rate | RateLimiter;
  /**
   * Returns the key of a user. By default, the key is the user itself if the user is a string or a
   * number, and otherwise the user's `id`.
   */
  readonly callerOf?: (user: User) => string;
  /**
   * Source of the caller's address if the server is behind trusted proxies. Default: the address of
   * the connection.
   */
  readonly forwarded?: ForwardedAddress;
}

/** Header with the address of a caller, which trusted proxies set. */
export interface ForwardedAddress {
  /** Name of the header, such as `x-forwarded-for` or `forwarded` (RFC 7239). */
  readonly header: string;
  /**
   * Number of trusted proxies that append to the header; 1 by default. Earlier addresses in the
   * header are ignored, because callers can send them.
   */
  readonly proxies?: number;
}

/** Maximum number of keys in memory. */
const maxKeys = 20_000;

/** Maximum number of keys that one request examines to find keys to drop. */
const dropSteps = 20;

/** Time at which the bucket of a key is full again. */
interface Bucket {
  fullAt: number;
}

/** A token bucket for each key, in the memory of this process. */
export class TokenBuckets implements RateLimiter {
  readonly #msPerRequest: number;
  readonly #burstMs: number;
  /**
   * Objects, because replacing a number in a map would search the key again and allocate the
   * number.
   */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ perSecond, burst = perSecond }: Rate) {
    this.#msPerRequest = 1_000 / perSecond;
    this.#burstMs = Math.max(1, burst) * this.#msPerRequest;
  }

  take(key: string, now: number = performance.now()): number {
    const bucket = this.#buckets.get(key);
    const isFull = bucket === undefined || bucket.fullAt <= now;
    const fullAt = (isFull ? now : bucket.fullAt) + this.#msPerRequest;
    const missing = fullAt - now - this.#burstMs;
    // Because of rounding errors, the sum may be slightly too large.
    if (missing > 0.001) return missing;
    if (bucket !== undefined) {
      bucket.fullAt = fullAt;
      return 0;
    }
    if (this.#buckets.size >= maxKeys) this.#drop(now);
    this.#buckets.set(key, { fullAt });
    return 0;
  }

  /**
   * Drops keys with full buckets, or the oldest key if no bucket is full. The number of keys must
   * be limited, because an attacker may use any number of addresses.
   */
  #drop(now: number): void {
    let steps = 0;
    for (const [key, { fullAt }] of this.#buckets) {
      steps += 1;
      if (fullAt <= now || this.#buckets.size >= maxKeys) this.#buckets.delete(key);
      if (steps >= dropSteps) return;
    }
  }
}

/** Applies the limits in {@link RateOptions} to calls. */
export class Rates {
  readonly #options: RateOptions;
  readonly #errors: ErrorTable;
  readonly #perCaller: RateLimiter | undefined;
  readonly #perAddress: RateLimiter | undefined;
  readonly #report: (error: unknown) => void;
  #hasReported = false;

  /**
   * Throws a `TypeError` for invalid options. `report` receives an error if callers have no
   * address.
   */
  constructor(options: RateOptions, errors: ErrorTable, report: (error: unknown) => void) {
    this.#options = options;
    this.#report = report;
    this.#errors = errors;
    this.#perCaller = limiterOf("perCaller", options.perCaller);
    this.#perAddress = limiterOf("perAddress", options.perAddress);
    const { header, proxies = 1 }: Partial<ForwardedAddress> = options.forwarded ?? { header: "-" };
    if (typeof header !== "string" || !/^[!-+\--~]+$/.test(header))
      throw new TypeError("`rates.forwarded.header` must be the name of a header");
    if (!Number.isInteger(proxies) || proxies < 1)
      throw new TypeError("`rates.forwarded.proxies` must be an integer of at least 1");
  }

  /**
   * Counts a request from an address. Only returns a promise if the limiter returns a promise.
   * Throws an error if the address sends too many requests. `now` is the value of
   * `performance.now()`, which the caller passes because reading the clock takes as long as
   * counting the request.
   */
  address(caller: Caller, now: number): PromiseLike<void> | undefined {
    if (this.#perAddress === undefined) return undefined;
    return this.#take(this.#perAddress, this.#keyOf(caller), now);
  }

  /**
   * Counts a request from a user. Only returns a promise if the limiter returns a promise. Throws
   * an error if the user sends too many requests.
   */
  caller(user: unknown, now: number): PromiseLike<void> | undefined {
    if (this.#perCaller === undefined || isNoUser(user)) return undefined;
    return this.#take(this.#perCaller, this.#nameOf(user), now);
  }

  #take(limiter: RateLimiter, key: string, now: number): PromiseLike<void> | undefined {
    const waitMs = limiter instanceof TokenBuckets ? limiter.take(key, now) : limiter.take(key);
    if (!isThenable(waitMs)) {
      this.#check(waitMs);
      return undefined;
    }
    return waitMs.then((ms) => {
      this.#check(ms);
    });
  }

  #check(waitMs: number): void {
    if (!(waitMs > 0)) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    const message =
      "Too many requests: repeat the request after " + `${String(retryAfterSeconds)} seconds`;
    const codes = { httpStatus: 429, grpcStatus: "RESOURCE_EXHAUSTED" } as const;
    throw new this.#errors.invalidRequest(message, { ...codes, retryAfterSeconds });
  }

  #nameOf(user: unknown): string {
    const found = nameOf(user, this.#options.callerOf);
    if (found !== undefined) return found;
    throw new TypeError(
      "`rates.perCaller` requires the name of the user: set `rates.callerOf`, or give users an " +
        "`id`",
    );
  }

  /**
   * Returns the key of a caller's address. Callers without an address have the same key, and are
   * reported once.
   */
  #keyOf(caller: Caller): string {
    const address = addressOf(caller, this.#options.forwarded);
    if (address !== undefined) return address;
    if (!this.#hasReported) this.#report(new Error(noAddress));
    this.#hasReported = true;
    return "";
  }
}

/**
 * Returns the name of a user: by default, the user itself, or the `id` of an object. Returns
 * `undefined` if this is neither a string nor a number.
 */
export function nameOf(user: unknown, callerOf: RateOptions["callerOf"]): string | undefined {
  const defaultName: unknown = isObject(user) ? user["id"] : user;
  const name: unknown = callerOf === undefined ? defaultName : callerOf(user);
  return typeof name === "string" || typeof name === "number" ? String(name) : undefined;
}

const noAddress =
  "`rates.perAddress` counts requests without an address together: pass `{ peer }` to the " +
  "handler, or set `rates.forwarded`";

/** Returns the key of a caller's address, which trusted proxies may send in a header. */
export function addressOf(
  { peer, headers }: Partial<Pick<Caller, "peer">> & Pick<Caller, "headers">,
  forwarded: ForwardedAddress | undefined,
): string | undefined {
  if (forwarded === undefined) return addressKey(peer?.address);
  const name = forwarded.header.toLowerCase();
  const { proxies = 1 } = forwarded;
  // Each proxy appends an element, so the first trusted proxy has appended this element.
  const element = headers.get(name)?.split(",").at(-proxies);
  const address = name === "forwarded" ? forOf(element) : element?.trim();
  // If the header is absent, the request came from the proxy itself or bypassed the proxy.
  return addressKey(address) ?? addressKey(peer?.address);
}

/**
 * Returns the address in an element of the header `Forwarded` (RFC 7239), such as
 * `for="[2001:db8::1]:4711"`.
 */
function forOf(element: string | undefined): string | undefined {
  return /(?:^|;)\s*for\s*=\s*"?([^;"\s]+)/i.exec(element ?? "")?.[1];
}

function limiterOf(name: string, given: Rate | RateLimiter | undefined): RateLimiter | undefined {
  if (given === undefined || isLimiter(given)) return given;
  const { perSecond, burst = perSecond }: Partial<Rate> = given;
  for (const [key, value] of Object.entries({ ...given, perSecond, burst })) {
    const isValid = typeof value === "number" && value > 0 && value !== Infinity;
    if (!isValid)
      throw new TypeError(
        `\`rates.${name}.${key}\` must be a positive number, got ${String(value)}`,
      );
  }
  return new TokenBuckets(given);
}

/** Returns whether a limit is an object of the user that counts the requests. */
function isLimiter(given: Rate | RateLimiter): given is RateLimiter {
  return (given as Partial<RateLimiter>).take !== undefined;
}

/**
 * Returns the key of an address: an IPv4 address, or the first 64 bits of an IPv6 address, because
 * a single caller usually has all addresses with these bits. This function does not use the module
 * `address`. Clients only load that module if they check addresses, and bundlers would move it to
 * an additional file if servers used it too.
 */
export function addressKey(address: string | undefined): string | undefined {
  if (address === undefined || address === "") return undefined;
  // Most addresses need no conversion, and matching a pattern takes as long as counting the
  // request.
  if (!address.includes(":") && !address.startsWith("[")) return address;
  // Proxies may append the port of the connection.
  const v4 = /^\[?(?:::ffff:)?(\d+(?:\.\d+){3})\]?(?::\d+)?$/i.exec(address)?.[1];
  if (v4 !== undefined) return v4;
  const bare = address.replace(/^\[|\](?::\d+)?$|%.*$/g, "").toLowerCase();
  // Two colons stand for the groups of zeros between two parts.
  const parts = bare.split("::", 2);
  const [before = [], after = []] = parts.map((part) => (part === "" ? [] : part.split(":")));
  const zeros = parts.length < 2 ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
