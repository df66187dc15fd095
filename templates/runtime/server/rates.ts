import { networkOf, type NetworkSizes } from "../base/address.js";
import { isThenable } from "../base/async.js";
import { isObject } from "../base/json.js";
import type { ErrorTable } from "../protocol/error.js";
import { isNoUser } from "./user.js";
import type { Caller } from "./context.js";

/** Counter of requests by key, for example in a database that all processes share. */
export interface RateLimiter {
  /**
   * Counts a request for a key. If the request is allowed, returns 0. Otherwise, returns the milliseconds after which
   * the next request may be allowed.
   */
  take(key: string): number | Promise<number>;
}

/** Rate of requests that this process allows for each key. */
export interface Rate {
  /** Number of requests per second. */
  readonly perSecond: number;
  /** Number of requests that may arrive at once after a pause; by default, the number of requests per second. */
  readonly burst?: number;
}

/** Limits for the rate of calls. Calls above a limit are rejected with the time after which they may be repeated. */
export interface RateOptions<User = unknown> {
  /** Rate for each user that `authenticate` returns. Anonymous callers are only limited by their address. */
  readonly perCaller?: Rate | RateLimiter;
  /** Rate for each IP address, counted before `authenticate`. The addresses of an IPv6 network (/64) count together. */
  readonly perAddress?: Rate | RateLimiter;
  /** Returns the name of a user. By default, a user that is a string or a number, otherwise the user's `id`. */
  readonly callerOf?: (user: User) => string;
  /** Source of the address behind trusted proxies. Default: the address of the connection. */
  readonly forwarded?: ForwardedAddress;
}

/** Header with the address of a caller, which trusted proxies set. */
export interface ForwardedAddress {
  /** Name of the header, such as `x-forwarded-for`. */
  readonly header: string;
  /**
   * Number of trusted proxies that append to the header; 1 by default. Earlier addresses in the header are ignored,
   * because callers can send them.
   */
  readonly proxies?: number;
}

/** Maximum number of keys in memory. */
const maxKeys = 20_000;

/** Maximum number of keys that one request checks in order to drop keys. */
const dropSteps = 20;

/** A token bucket for each key, in the memory of this process. */
export class TokenBuckets implements RateLimiter {
  readonly #msPerRequest: number;
  readonly #burstMs: number;
  /** For each key, the time at which its bucket is full again. One number per key is sufficient. */
  readonly #fullAt = new Map<string, number>();

  constructor({ perSecond, burst = perSecond }: Rate) {
    this.#msPerRequest = 1_000 / perSecond;
    this.#burstMs = Math.max(1, burst) * this.#msPerRequest;
  }

  take(key: string, now: number = performance.now()): number {
    const before = this.#fullAt.get(key);
    const fullAt = Math.max(before ?? 0, now) + this.#msPerRequest;
    const missing = fullAt - now - this.#burstMs;
    // Because of rounding, the sum of times may be too large by a fraction.
    if (missing > 0.001) return missing;
    if (before === undefined && this.#fullAt.size >= maxKeys) this.#drop(now);
    this.#fullAt.set(key, fullAt);
    return 0;
  }

  /**
   * Drops keys with full buckets, or the oldest key if no bucket is full, because an attacker may use any number of
   * addresses.
   */
  #drop(now: number): void {
    let steps = 0;
    for (const [key, fullAt] of this.#fullAt) {
      steps += 1;
      if (fullAt <= now || this.#fullAt.size >= maxKeys) this.#fullAt.delete(key);
      if (steps >= dropSteps) return;
    }
  }
}

/** Limiter that rejects calls above a rate. */
export class Rates {
  readonly #options: RateOptions;
  readonly #errors: ErrorTable;
  readonly #perCaller: RateLimiter | undefined;
  readonly #perAddress: RateLimiter | undefined;

  /** Throws a `TypeError` for invalid options. */
  constructor(options: RateOptions, errors: ErrorTable) {
    this.#options = options;
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
   * Counts a request from an address. Only returns a promise if the limiter returns a promise. Throws an error if the
   * address sends too many requests.
   */
  address(caller: Caller): PromiseLike<void> | undefined {
    if (this.#perAddress === undefined) return undefined;
    const address = this.#addressOf(caller);
    return address === undefined ? undefined : this.#take(this.#perAddress, address);
  }

  /**
   * Counts a request from a user. Only returns a promise if the limiter returns a promise. Throws an error if the user
   * sends too many requests.
   */
  caller(user: unknown): PromiseLike<void> | undefined {
    if (this.#perCaller === undefined || isNoUser(user)) return undefined;
    return this.#take(this.#perCaller, this.#nameOf(user));
  }

  #take(limiter: RateLimiter, key: string): PromiseLike<void> | undefined {
    const waitMs = limiter.take(key);
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
    const message = `Too many requests: repeat the request after ${String(retryAfterSeconds)} seconds`;
    const codes = { httpStatus: 429, grpcStatus: "RESOURCE_EXHAUSTED" } as const;
    throw new this.#errors.invalidRequest(message, { ...codes, retryAfterSeconds });
  }

  #nameOf(user: unknown): string {
    const { callerOf } = this.#options;
    const found: unknown = callerOf === undefined ? (isObject(user) ? user["id"] : user) : callerOf(user);
    if (typeof found === "string" || typeof found === "number") return String(found);
    throw new TypeError("`rates.perCaller` requires the name of the user: set `rates.callerOf`, or give users an `id`");
  }

  #addressOf({ peer, headers }: Caller): string | undefined {
    const { forwarded } = this.#options;
    if (forwarded === undefined) return addressKey(peer?.address);
    const list = headers.get(forwarded.header.toLowerCase())?.split(",") ?? [];
    // Without the header, the request came from the proxy itself or past it.
    return addressKey(list.at(-(forwarded.proxies ?? 1))?.trim()) ?? addressKey(peer?.address);
  }
}

function limiterOf(name: string, given: Rate | RateLimiter | undefined): RateLimiter | undefined {
  if (given === undefined || "take" in given) return given;
  for (const [key, value] of Object.entries({ ...given }))
    if (typeof value !== "number" || !(value > 0) || value === Infinity)
      throw new TypeError(`\`rates.${name}.${key}\` must be a positive number, got ${String(value)}`);
  return new TokenBuckets(given);
}

/** Networks that count as one address: one caller usually has all addresses of an IPv6 network. */
const single: NetworkSizes = { v4: 32, v6: 64 };

/** Returns the key of an address: its network, or the text itself if it is not an address. */
export function addressKey(address: string | undefined): string | undefined {
  if (address === undefined || address === "") return undefined;
  // Proxies may append the port of the connection. Parsing an address would take longer than this search.
  const v4 = /^\[?(?:::ffff:)?(\d+(?:\.\d+){3})\]?(?::\d+)?$/i.exec(address)?.[1];
  return v4 ?? networkOf(address.replace(/^\[|\](?::\d+)?$|%.*$/g, ""), single) ?? address;
}
