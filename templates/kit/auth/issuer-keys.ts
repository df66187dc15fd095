import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { isObject } from "../../runtime/base/json.js";
import {
  fetchFromIssuer,
  IssuerError,
  type IssuerLimits,
  isLoopback,
  metadataUrls,
  secureUrl,
} from "./issuer-fetch.js";

/** Where the keys of an issuer come from, and how long they are used. */
export interface IssuerKeysOptions extends IssuerLimits {
  /** The issuer whose metadata names the keys; `undefined` if `jwks` is the URL of the keys. */
  readonly issuer: string | undefined;
  readonly jwks: string | undefined;
  readonly maxAgeMs: number;
  readonly cooldownMs: number;
}

/** Keys that were fetched, and the time when. */
interface FetchedKeys {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

/** Milliseconds after a failure in which the issuer is not asked again: each call would wait for it. */
export const retryMs = 5_000;

/**
 * Keys of an issuer, fetched when a token first requires them. They are fetched again after `maxAgeMs`, so that a
 * removed key is no longer trusted, and for an unknown key, but then at most every `cooldownMs`: callers choose the
 * names of the keys in their tokens, and must not make the agent attack its issuer.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: FetchedKeys | undefined;
  #pending: Promise<FetchedKeys> | undefined;
  #failed: { readonly error: Error; readonly at: number } | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** Finds the key of a token. Throws an {@link IssuerError} if the issuer is required for it and is unavailable. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { maxAgeMs, cooldownMs } = this.#options;
    const keys = await this.#youngerThan(maxAgeMs);
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.#youngerThan(cooldownMs);
      if (newer === keys) throw error;
      return newer.find(header, token);
    }
  };

  async #youngerThan(ageMs: number): Promise<FetchedKeys> {
    const now = Date.now();
    if (this.#keys !== undefined && now - this.#keys.at < ageMs) return this.#keys;
    // A failure is thrown once: only the first call of an outage has something to report.
    if (this.#failed !== undefined && now - this.#failed.at < retryMs)
      throw new IssuerError(this.#failed.error.message, { cause: alreadyReported });
    const pending = this.#pending;
    if (pending !== undefined) return pending;
    this.#pending = this.#fetch();
    try {
      this.#keys = await this.#pending;
      this.#failed = undefined;
      return this.#keys;
    } catch (error) {
      this.#failed = { error: error instanceof Error ? error : new Error(String(error)), at: Date.now() };
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }

  async #fetch(): Promise<FetchedKeys> {
    const { jwks, issuer } = this.#options;
    const url = jwks ?? (await this.#discover(issuer ?? ""));
    const { body } = await this.#read(url);
    if (!isObject(body) || !Array.isArray(body["keys"])) throw new IssuerError(`${url} responded with no set of keys`);
    try {
      // The elements are checked by `jose` when a token requires one.
      return { find: createLocalJWKSet(body as unknown as JSONWebKeySet), at: Date.now() };
    } catch (cause) {
      throw new IssuerError(`${url} responded with an invalid set of keys`, { cause });
    }
  }

  /** Returns the address of the keys from the metadata of OpenID Connect, or of OAuth 2 if there is none. */
  async #discover(issuer: string): Promise<string> {
    const [first, second] = metadataUrls(issuer);
    let url = first;
    let { body, status } = await this.#read(url);
    if (status === 404) {
      url = second;
      ({ body, status } = await this.#read(url));
    }
    if (!isObject(body) || status !== 200) throw new IssuerError(`${url} responded with status ${String(status)}`);
    // Metadata of another issuer would let that issuer admit callers.
    if (body["issuer"] !== issuer) {
      const found = JSON.stringify(body["issuer"]);
      throw new IssuerError(`${url} is the metadata of the issuer ${found}: configure exactly this text as issuer`);
    }
    return keysUrl(body["jwks_uri"], issuer, url);
  }

  async #read(url: string): Promise<{ readonly body: unknown; readonly status: number }> {
    const headers = { accept: "application/json" };
    const response = await fetchFromIssuer(url, { method: "GET", headers }, this.#options);
    const { status } = response;
    if (status === 404) return { body: undefined, status };
    if (status !== 200) throw new IssuerError(`${url} responded with status ${String(status)}`);
    try {
      return { body: await response.json(), status };
    } catch (cause) {
      throw new IssuerError(`${url} responded with something other than JSON`, { cause });
    }
  }
}

const alreadyReported = Symbol("already reported");

/** Returns whether an earlier call has thrown the same failure of an issuer. */
export function isReported(error: IssuerError): boolean {
  return error.cause === alreadyReported;
}

function keysUrl(found: unknown, issuer: string, source: string): string {
  try {
    const url = secureUrl(typeof found === "string" ? found : "", "jwks_uri");
    // A remote issuer must not point to services of this machine.
    if (isLoopback(new URL(url)) && !isLoopback(new URL(issuer))) throw new TypeError(`jwks_uri is ${url}`);
    return url;
  } catch (cause) {
    throw new IssuerError(`${source} names no usable jwks_uri: ${String(found)}`, { cause });
  }
}
