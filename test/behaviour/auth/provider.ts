import { exportJWK, type JWK } from "jose";
import { Provider, type Configuration, type ClientMetadata } from "oidc-provider";
import { listen } from "../../support/http.js";
import { audience, keyNamed } from "./issuer.js";

/** An issuer of `oidc-provider`, with a browser that signs in at once. */
export interface RealIssuer {
  readonly url: string;
  /** The requests that the issuer has received: method and path. */
  readonly requests: string[];
  /**
   * Starts the issuer again with another key; tokens of the earlier key are not its own any longer.
   */
  rotate(): Promise<void>;
  /**
   * Follows an authorization URL like a browser whose user agrees to everything, and returns the
   * final URL.
   */
  readonly browse: (url: URL) => Promise<string>;
  /** Confirms the code of a device as a user does. */
  confirm(userCode: string): Promise<void>;
}

export const redirectUrl = "http://127.0.0.1:9/callback";
export const clientSecret = "a secret: with & and %";

/**
 * Starts an issuer on the loopback interface that issues JWTs for the agent. It stops with the
 * test.
 */
export async function startProvider(
  clients: readonly ClientMetadata[] = [],
  lifeSeconds = 600,
): Promise<RealIssuer> {
  let handle: (...args: Parameters<ReturnType<Provider["callback"]>>) => unknown = () => undefined;
  const requests: string[] = [];
  const url = await listen((request, response) => {
    requests.push(`${request.method} ${request.url?.replace(/\?.*/, "")}`);
    handle(request, response);
  });
  let count = 0;
  const rotate = async () => {
    const { privateKey } = await keyNamed(`key-${++count}`);
    const key = { ...(await exportJWK(privateKey)), kid: `key-${count}` };
    const provider = new Provider(url, configurationOf(clients, key, lifeSeconds));
    // The login pages of a development server are the user interface; nothing else of it is used.
    handle = provider.callback();
  };
  await rotate();
  return {
    url,
    requests,
    rotate,
    browse: (target) =>
      new Browser().signIn(target.href, target.searchParams.get("redirect_uri") ?? ""),
    confirm: (userCode) => new Browser().confirm(`${url}/device`, userCode),
  };
}

function configurationOf(
  clients: readonly ClientMetadata[],
  key: JWK,
  lifeSeconds: number,
): Configuration {
  return {
    clients: [
      {
        client_id: "service",
        client_secret: clientSecret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: "app",
        token_endpoint_auth_method: "none",
        application_type: "native",
        grant_types: [
          "authorization_code",
          "refresh_token",
          "urn:ietf:params:oauth:grant-type:device_code",
        ],
        redirect_uris: [redirectUrl],
        response_types: ["code"],
      },
      ...clients,
    ],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [{ ...key, use: "sig", alg: "ES256" }] },
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    enabledJWA: { clientAuthSigningAlgValues: ["ES256", "RS256"] },
    scopes: ["openid", "offline_access", "ask"],
    ttl: { AccessToken: lifeSeconds, ClientCredentials: lifeSeconds },
    issueRefreshToken: async () => true,
    features: {
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, __, { clientId }) => ({
          scope: "ask read",
          audience,
          accessTokenFormat: clientId.startsWith("opaque") ? "opaque" : "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  };
}

/**
 * A browser as far as the login pages need one: it keeps cookies, follows redirects, and submits
 * forms.
 */
class Browser {
  readonly #cookies = new Map<string, string>();

  async signIn(start: string, end: string): Promise<string> {
    let response = await this.#get(start);
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get("location");
      if (location !== null) {
        const next = new URL(location, response.url).href;
        if (next.startsWith(end)) return next;
        response = await this.#get(next);
      } else {
        response = await this.#submit(await response.text(), response.url, {
          login: "ada",
          password: "x",
        });
      }
    }
    throw new Error("The issuer did not redirect the browser to the client");
  }

  async confirm(page: string, userCode: string): Promise<void> {
    let response = await this.#get(page);
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get("location");
      if (location !== null) {
        response = await this.#get(new URL(location, response.url).href);
        continue;
      }
      const text = await response.text();
      if (!text.includes("<form")) return;
      response = await this.#submit(text, response.url, {
        login: "ada",
        password: "x",
        user_code: userCode,
      });
    }
    throw new Error("The device is not confirmed");
  }

  async #submit(page: string, url: string, values: Record<string, string>): Promise<Response> {
    const action = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? url;
    const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
    const body = new URLSearchParams({ ...values, ...fields });
    return this.#get(new URL(action, url).href, { method: "POST", body });
  }

  async #get(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}
