import * as oauth from "oauth4webapi";
import type { SecurityScheme } from "../kit/model.js";
import { isObject } from "../runtime/base/json.js";
import type { CredentialRequest } from "../client/credentials.js";
import { trustIn } from "../runtime/client/origins.js";
import {
  fetchFromIssuer,
  IssuerError,
  isForeignPrivate,
  isLoopback,
  metadataUrls,
  resourceMetadataUrl,
  secureUrl,
} from "./issuer-fetch.js";
import type { OAuthSettings } from "./oauth-options.js";
import { TokenError } from "./token-error.js";

/** An issuer's metadata, and the options for requests to the issuer. */
export interface IssuerServer {
  readonly metadata: oauth.AuthorizationServer;
  readonly requests: RequestOptions;
  /**
   * URL of the agent according to its resource metadata; only set if this metadata names the
   * issuer.
   */
  readonly resource?: string | undefined;
}

/** Request options that `oauth4webapi` sets. */
interface RequestParts {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: RequestInit["body"] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options for each request that `oauth4webapi` sends. */
export interface RequestOptions {
  readonly [oauth.customFetch]: (url: string, init: RequestParts) => Promise<Response>;
}

/**
 * Key of the option that allows requests without TLS. `oauth4webapi` marks the option as deprecated
 * to warn about its use. The option is only `true` for an issuer on this machine.
 */
const insecure: symbol = (oauth as unknown as { readonly allowInsecureRequests: symbol })
  .allowInsecureRequests;

/** Milliseconds after which the metadata of an issuer is read again. */
const maxAgeMs = 600_000;

/**
 * Finds the endpoints of issuers, either in their metadata or in the security schemes of an agent
 * card.
 */
export class IssuerServers {
  readonly #settings: OAuthSettings;
  readonly #known = new Map<
    string,
    { readonly server: Promise<IssuerServer>; readonly at: number }
  >();

  /** Throws a `TypeError` if the settings do not define which issuers are trusted. */
  constructor(settings: OAuthSettings) {
    const { issuer, trustedOrigins } = settings;
    if (issuer === undefined && trustedOrigins === undefined)
      throw new TypeError(
        "`issuer` is missing: set it, or set `trustedOrigins` to the origins of the issuers " +
          "that cards may name",
      );
    if (issuer !== undefined) secureUrl(issuer, "`issuer`");
    for (const origin of trustedOrigins ?? []) secureUrl(origin, "A member of `trustedOrigins`");
    this.#settings = settings;
  }

  /**
   * Returns a name for the issuer of a security scheme. The keys of stored tokens contain this
   * name.
   */
  nameFor({ scheme, resourceMetadata }: Source): string {
    const { issuer } = this.#settings;
    if (issuer !== undefined) return issuer;
    const location = locationOf(scheme);
    return JSON.stringify(namesIssuer(location) ? location : { resourceMetadata });
  }

  /** Returns whether the issuer with a name from a token key is trusted. */
  isNamed(name: string): boolean {
    const { issuer, trustedOrigins = [] } = this.#settings;
    if (issuer !== undefined) return name === issuer;
    const { metadataUrl, metadata, resourceMetadata } = locationNamed(name);
    const url = metadataUrl ?? metadata?.issuer;
    // A name with `resourceMetadata` is trusted, because only trusted issuers in this metadata are
    // used.
    return url === undefined
      ? resourceMetadata !== undefined
      : URL.canParse(url) && trustIn(trustedOrigins)(url);
  }

  /**
   * Returns the issuer for a name that {@link nameFor} has returned. If the name contains endpoints
   * from a card, this method reads the issuer's metadata, because cards contain only some of the
   * endpoints. Returns `undefined` if the issuer has no metadata.
   */
  async discoveredServer(name: string): Promise<IssuerServer | undefined> {
    const location = this.#settings.issuer === undefined ? locationNamed(name) : {};
    if (location.metadata === undefined) return this.#serverAt(name, location);
    try {
      return await this.#discover(this.#trusted(location.metadata.issuer));
    } catch (error) {
      if (error instanceof IssuerError) throw error;
      return undefined;
    }
  }

  /**
   * Returns whether the issuer cannot be determined yet: neither the settings nor the card name an
   * issuer, and the URL of the resource metadata is unknown.
   */
  isUnknown({ scheme, resourceMetadata }: Source): boolean {
    return (
      this.#settings.issuer === undefined &&
      !namesIssuer(locationOf(scheme)) &&
      resourceMetadata === undefined
    );
  }

  /**
   * Returns the issuer for a scheme. Throws a {@link TokenError} if the agent does not specify a
   * trusted issuer.
   */
  async serverFor(source: Source): Promise<IssuerServer> {
    return this.#serverAt(this.nameFor(source), {
      ...locationOf(source.scheme),
      resourceMetadata: source.resourceMetadata,
    });
  }

  async #serverAt(name: string, location: IssuerLocation): Promise<IssuerServer> {
    const known = this.#known.get(name);
    if (known !== undefined && Date.now() - known.at < maxAgeMs) return known.server;
    const server = this.#find(location);
    // Limit the size of the cache, because an agent can change the schemes in its card arbitrarily
    // often.
    if (this.#known.size >= 100) this.#known.clear();
    const entry = { server, at: Date.now() };
    this.#known.set(name, entry);
    // Failures are not cached, so that the next call retries.
    server.catch(() => this.#known.get(name) === entry && this.#known.delete(name));
    return server;
  }

  async #find({ metadataUrl, metadata, resourceMetadata }: IssuerLocation): Promise<IssuerServer> {
    const { issuer } = this.#settings;
    if (issuer !== undefined) return this.#discover(issuer);
    if (metadataUrl !== undefined)
      return this.#discover(await this.#issuerAt(this.#trusted(metadataUrl)));
    if (metadata === undefined) {
      if (resourceMetadata === undefined)
        throw new TokenError(
          "Neither the card nor the challenge of the agent contains an issuer: set the option " +
            "`issuer`",
        );
      const { trusted, resource } = await this.#protectedResource(resourceMetadata);
      return { ...(await this.#discover(trusted)), resource };
    }
    const urls = Object.values(metadata).filter((url) => typeof url === "string");
    for (const url of urls) this.#trusted(url);
    // Otherwise, an agent could make the client send the codes of one trusted issuer to another.
    const other = urls.find((url) => new URL(url).origin !== metadata.issuer);
    if (other !== undefined)
      throw new TokenError(
        `The card names endpoints of ${metadata.issuer} and ${new URL(other).origin}: set the ` +
          "option `issuer`, whose metadata contains the endpoints",
      );
    return { metadata, requests: this.#requestsTo(metadata.issuer) };
  }

  /**
   * Reads the issuer's OpenID Connect metadata. If that metadata is missing, reads its OAuth 2
   * metadata.
   */
  async #discover(issuer: string): Promise<IssuerServer> {
    const requests = this.#requestsTo(issuer);
    const url = new URL(issuer);
    let response = await oauth.discoveryRequest(url, { algorithm: "oidc", ...requests });
    if (response.status === 404)
      response = await oauth.discoveryRequest(url, { algorithm: "oauth2", ...requests });
    return { metadata: await oauth.processDiscoveryResponse(url, response), requests };
  }

  /**
   * Returns the issuer that a metadata document names. The URL of the document must be derived from
   * the issuer, so that no other server can claim to be the issuer.
   */
  async #issuerAt(url: string): Promise<string> {
    const response = await this.#requestsTo(url)[oauth.customFetch](url, { method: "GET" });
    const body: unknown = response.status === 200 ? await response.json() : undefined;
    const issuer = isObject(body) ? body["issuer"] : undefined;
    if (typeof issuer === "string" && URL.canParse(issuer) && metadataUrls(issuer).includes(url))
      return issuer;
    throw new TokenError(`${url} is not the metadata of an issuer: set the option \`issuer\``);
  }

  /**
   * Reads the resource metadata of an agent (RFC 9728), and returns its first trusted issuer. The
   * agent controls the metadata, so the metadata can only select one of the trusted issuers.
   */
  async #protectedResource(
    url: string,
  ): Promise<{ readonly trusted: string; readonly resource: string }> {
    const response = await this.#requestsTo(url)[oauth.customFetch](url, { method: "GET" });
    const body: unknown =
      response.status === 200 ? await response.json().catch(() => undefined) : undefined;
    const { resource, authorization_servers: listed }: Readonly<Record<string, unknown>> = isObject(
      body,
    )
      ? body
      : {};
    // If the metadata could name a different resource, the agent could obtain tokens that are valid
    // for that resource.
    if (typeof resource !== "string" || resourceMetadataUrl(resource) !== url)
      throw new TokenError(`${url} is not the metadata of the agent: set the option \`issuer\``);
    const { trustedOrigins = [] } = this.#settings;
    const issuers = (Array.isArray(listed) ? listed : [])
      .filter((name) => typeof name === "string")
      .slice(0, 20);
    const trusted = issuers.find((name) => URL.canParse(name) && trustIn(trustedOrigins)(name));
    if (trusted !== undefined)
      return { trusted: secureUrl(trusted, "The issuer of the agent"), resource };
    const names =
      issuers.length === 0 ? "no issuer" : `the issuers ${issuers.join(", ").slice(0, 300)}`;
    throw new TokenError(
      `The agent names ${names}, and no origin in \`trustedOrigins\`: add the origin of its ` +
        "issuer if it is trusted",
    );
  }

  #trusted(url: string): string {
    const { trustedOrigins = [] } = this.#settings;
    if (!URL.canParse(url) || !trustIn(trustedOrigins)(url))
      throw new TokenError(
        `The card names the issuer ${url}, whose origin is not in \`trustedOrigins\`: add ` +
          "the origin if it is trusted",
      );
    return secureUrl(url, "The issuer in the card");
  }

  /**
   * Returns request options with a time-out and a size limit. The options block requests to private
   * networks and to this machine, unless the issuer itself is there.
   */
  #requestsTo(issuer: string): RequestOptions {
    const { fetch, timeoutMs = 10_000 } = this.#settings;
    const isLocal = isLoopback(new URL(issuer));
    return {
      [insecure]: isLocal,
      [oauth.customFetch]: (url, { signal, ...parts }) => {
        if (isForeignPrivate(secureUrl(url, "An endpoint of the issuer"), issuer))
          throw new IssuerError(
            `The issuer ${issuer} must not have an endpoint in a private network, got ${url}`,
          );
        return fetchFromIssuer(
          url,
          { ...parts, body: parts.body ?? null, signal: signal ?? null },
          { fetch, timeoutMs },
        );
      },
    };
  }
}

/** Data from an agent that may identify the agent's issuer. */
type Source = Pick<CredentialRequest, "scheme" | "resourceMetadata">;

function namesIssuer({ metadataUrl, metadata }: IssuerLocation): boolean {
  return metadataUrl !== undefined || metadata !== undefined;
}

/** Metadata, or URLs of metadata, by which an agent identifies its issuer. */
interface IssuerLocation {
  readonly metadataUrl?: string | undefined;
  readonly metadata?: oauth.AuthorizationServer | undefined;
  readonly resourceMetadata?: string | undefined;
}

/**
 * Parses an issuer name that contains metadata or a URL of metadata. Returns an empty object for
 * any other name.
 */
function locationNamed(name: string): IssuerLocation {
  try {
    const location: unknown = JSON.parse(name);
    // Only this module writes JSON names, so the object has the right type.
    return isObject(location) ? location : {};
  } catch {
    return {};
  }
}

function locationOf({
  oauth2SecurityScheme: scheme,
  openIdConnectSecurityScheme: connect,
}: SecurityScheme): IssuerLocation {
  const metadataUrl = connect?.openIdConnectUrl ?? scheme?.oauth2MetadataUrl;
  if (metadataUrl !== undefined && metadataUrl !== "") return { metadataUrl };
  const { authorizationCode: code, clientCredentials, deviceCode: device } = scheme?.flows ?? {};
  const tokenUrl = (code ?? clientCredentials ?? device)?.tokenUrl;
  if (tokenUrl === undefined || !URL.canParse(tokenUrl)) return {};
  return {
    metadata: {
      issuer: new URL(tokenUrl).origin,
      token_endpoint: tokenUrl,
      ...(code && { authorization_endpoint: code.authorizationUrl }),
      ...(device && { device_authorization_endpoint: device.deviceAuthorizationUrl }),
    },
  };
}
