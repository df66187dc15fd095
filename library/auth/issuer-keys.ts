import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { isObject } from "../runtime/base/json.js";
import {
  fetchFromIssuer,
  IssuerError,
  type IssuerLimits,
  isForeignPrivate,
  metadataUrls,
  secureUrl,
} from "./issuer-fetch.js";

/** Source of an issuer's keys, and the ages at which the keys are fetched again. */
export interface IssuerKeysOptions extends IssuerLimits {
  /**
   * Issuer whose metadata contains the URL of the keys. Only used if `jwks` does not contain this
   * URL.
   */
  readonly issuer: string | undefined;
  readonly jwks: string | undefined;
  readonly maxAgeMs: number;
  readonly cooldownMs: number;
}

/** Function that finds a key in a fetched key set, with the time of the fetch. */
interface FetchedKeys {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

/**
 * Milliseconds between a failed request to an issuer and the next request. Without this pause, each
 * call would wait for the unavailable issuer.
 */
export const retryMs = 5_000;

/**
 * Keys of an issuer, fetched when the first token must be verified. The keys are fetched again
 * after `maxAgeMs`, so that removed keys are no longer trusted. Unknown key ids cause at most one
 * fetch per `cooldownMs`, so that callers with invented key ids cannot make the agent flood the
 * issuer with requests.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: FetchedKeys | undefined;
  #pending: Promise<FetchedKeys> | undefined;
  #failed: { readonly error: Error; readonly at: number } | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /**
   * Finds the key that verifies a token. Throws an {@link IssuerError} if the keys must be fetched
   * and the issuer is unavailable.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { maxAgeMs, cooldownMs } = this.#options;
    const keys = await this.#keysYoungerThan(maxAgeMs);
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await this.#keysYoungerThan(cooldownMs);
      if (newer === keys) throw error;
      return newer.find(header, token);
    }
  };

  async #keysYoungerThan(ageMs: number): Promise<FetchedKeys> {
    const now = Date.now();
    if (this.#keys !== undefined && now - this.#keys.at < ageMs) return this.#keys;
    // Throw the original error only for the first call, so that an outage is reported once.
    if (this.#failed !== undefined && now - this.#failed.at < retryMs)
      throw new IssuerError(this.#failed.error.message, { cause: alreadyReported });
    // Concurrent calls share one request.
    const pending = this.#pending;
    if (pending !== undefined) return pending;
    this.#pending = this.#fetch();
    try {
      this.#keys = await this.#pending;
      this.#failed = undefined;
      return this.#keys;
    } catch (error) {
      this.#failed = {
        error: error instanceof Error ? error : new Error(String(error)),
        at: Date.now(),
      };
      throw error;
    } finally {
      this.#pending = undefined;
    }
  }

  async #fetch(): Promise<FetchedKeys> {
    const { jwks, issuer } = this.#options;
    const url = jwks ?? (await this.#discover(issuer ?? ""));
    const { body } = await this.#read(url);
    if (!isObject(body) || !Array.isArray(body["keys"]))
      throw new IssuerError(`${url} responded with something other than a JSON Web Key Set`);
    try {
      // `jose` validates each key when a token uses it.
      return { find: createLocalJWKSet(body as unknown as JSONWebKeySet), at: Date.now() };
    } catch (cause) {
      throw new IssuerError(`${url} responded with an invalid JSON Web Key Set`, { cause });
    }
  }

  /**
   * Returns the URL of the key set from the OpenID Connect metadata. If that metadata is missing,
   * uses the OAuth 2 metadata.
   */
  async #discover(issuer: string): Promise<string> {
    const [first, second] = metadataUrls(issuer);
    let url = first;
    let { body, status } = await this.#read(url);
    if (status === 404) {
      url = second;
      ({ body, status } = await this.#read(url));
    }
    if (!isObject(body) || status !== 200)
      throw new IssuerError(`${url} responded with status ${String(status)}`);
    // If the metadata belonged to another issuer, the agent would accept that issuer's tokens.
    if (body["issuer"] !== issuer) {
      const found = JSON.stringify(body["issuer"]);
      throw new IssuerError(
        `${url} is the metadata of the issuer ${found}: set \`issuer\` to exactly this string`,
      );
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

/** Returns whether an earlier call has already thrown the original of this error. */
export function isReported(error: IssuerError): boolean {
  return error.cause === alreadyReported;
}

function keysUrl(found: unknown, issuer: string, source: string): string {
  try {
    const url = secureUrl(typeof found === "string" ? found : "", "jwks_uri");
    // A public issuer must not direct the agent to services in its own network.
    if (isForeignPrivate(url, issuer))
      throw new TypeError(`jwks_uri must not be in a private network, got ${url}`);
    return url;
  } catch (cause) {
    throw new IssuerError(
      `jwks_uri in ${source} must be a public HTTPS URL, got ${String(found)}`,
      { cause },
    );
  }
}
