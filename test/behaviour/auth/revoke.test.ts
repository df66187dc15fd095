import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SecurityScheme } from "../../../generated/1.1-draft/models.js";
import {
  memoryTokenStore,
  oauth,
  type OAuthOptions,
  type Tokens,
  type TokenStore,
} from "../../../library/auth/oauth.js";
import { fileTokenStore } from "../../../library/auth/token-file.js";
import { json, serve } from "../../support/http.js";
import { clientSecret, type RealIssuer, redirectUrl, startProvider } from "./provider.js";

const opaque = {
  client_id: "opaque",
  token_endpoint_auth_method: "none" as const,
  application_type: "native" as const,
  grant_types: ["authorization_code", "refresh_token"],
  redirect_uris: [redirectUrl],
  response_types: ["code" as const],
};
const confidential = { ...opaque, client_id: "opaque-web", client_secret: clientSecret };
const startIssuer = () =>
  startProvider([
    opaque,
    { ...confidential, token_endpoint_auth_method: "client_secret_basic" as const },
  ]);

const signIn = ({ browse }: RealIssuer, clientId: string) => ({
  authorizationCode: { clientId, redirectUrl, redirectToAuthorization: browse },
});
const scheme: SecurityScheme = { httpAuthSecurityScheme: { scheme: "Bearer" } };
const wanted = { scheme, scopes: ["ask"], refused: undefined };

/** Keeps a copy of all tokens that are stored. */
function spied(store = memoryTokenStore()) {
  const seen: Tokens[] = [];
  return {
    ...{ ...store, seen },
    saveTokens: (key: string, tokens: Tokens | undefined) => {
      if (tokens !== undefined) seen.push(tokens);
      return store.saveTokens(key, tokens);
    },
  };
}

/** Returns whether the issuer still accepts a token. */
async function isActive(issuer: RealIssuer, token: string | undefined, client = "opaque") {
  const body = new URLSearchParams({ token: token ?? "", client_id: client });
  const response = await fetch(`${issuer.url}/token/introspection`, { method: "POST", body });
  return ((await response.json()) as { active?: unknown }).active;
}

async function temporaryPath() {
  const folder = await mkdtemp(join(tmpdir(), "revoke-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "tokens.json");
}

describe("a client that revokes its tokens at a real issuer", () => {
  it("the issuer refuses the refresh token and the access token, and the next call signs in again", async () => {
    const issuer = await startIssuer();
    const store = spied();
    const login = oauth({ issuer: issuer.url, ...signIn(issuer, "opaque"), store });
    const first = await login(wanted);
    const [{ accessToken, refreshToken } = {}] = store.seen;
    expect(accessToken).toBe(first);
    expect([await isActive(issuer, accessToken), await isActive(issuer, refreshToken)]).toEqual([
      true,
      true,
    ]);
    expect(await login.revoke()).toBe(true);
    expect([await isActive(issuer, accessToken), await isActive(issuer, refreshToken)]).toEqual([
      false,
      false,
    ]);
    expect(store.keys?.()).toEqual([]);
    issuer.requests.length = 0;
    expect(await login.revoke()).toBe(true);
    expect(issuer.requests).toEqual([]);
    expect(await login(wanted)).not.toBe(first);
  });

  it("another process revokes the tokens in a file, for all scopes of one account only", async () => {
    const issuer = await startIssuer();
    const store = fileTokenStore(await temporaryPath());
    const options = { issuer: issuer.url, ...signIn(issuer, "opaque"), store };
    const [ada, bob] = [
      oauth({ ...options, account: "ada" }),
      oauth({ ...options, account: "bob" }),
    ];
    await ada(wanted);
    await ada({ ...wanted, scopes: ["ask", "read"] });
    const kept = await bob(wanted);
    await store.saveTokens("of another program", { accessToken: "other", issuedAt: 0 });
    expect(await store.keys()).toHaveLength(4);
    expect(await oauth({ ...options, account: "ada" }).revoke()).toBe(true);
    expect(await store.keys()).toHaveLength(2);
    expect(await isActive(issuer, kept)).toBe(true);
  });

  it("a client with a secret authenticates, and a store that cannot list its keys suffices", async () => {
    const issuer = await startIssuer();
    const kept = memoryTokenStore();
    const store: TokenStore = {
      tokens: (key) => kept.tokens(key),
      saveTokens: (key, tokens) => kept.saveTokens(key, tokens),
    };
    const { authorizationCode } = signIn(issuer, "opaque-web");
    const login = oauth({
      ...{ issuer: issuer.url, store },
      authorizationCode: { ...authorizationCode, clientSecret },
    });
    const token = await login(wanted);
    expect(await login.revoke()).toBe(true);
    expect(await isActive(issuer, token)).toBe(false);
  });

  it("an issuer in the card is found by its metadata, if its origin is trusted", async () => {
    const issuer = await startIssuer();
    const flows = {
      authorizationCode: {
        ...{ authorizationUrl: `${issuer.url}/auth`, tokenUrl: `${issuer.url}/token` },
        scopes: {},
      },
    };
    const store = spied();
    const options = { ...signIn(issuer, "opaque"), store };
    const login = oauth({ ...options, trustedOrigins: [issuer.url] });
    const token = await login({ ...wanted, scheme: { oauth2SecurityScheme: { flows } } });
    expect(await oauth({ ...options, trustedOrigins: ["https://other.test"] }).revoke()).toBe(true);
    expect(await isActive(issuer, token)).toBe(true);
    expect(await login.revoke()).toBe(true);
    expect(await isActive(issuer, token)).toBe(false);
  });

  it("the result is false if the issuer cannot revoke the signed access token", async () => {
    const issuer = await startIssuer();
    const store = spied();
    const login = oauth({ issuer: issuer.url, ...signIn(issuer, "app"), store });
    await login(wanted);
    expect(await login.revoke()).toBe(false);
    expect(await isActive(issuer, store.seen[0]?.refreshToken, "app")).toBe(false);
  });

  it("a refused revocation deletes the tokens, and rejects with one line", async () => {
    const issuer = await startIssuer();
    const store = spied();
    const client = { clientId: "service", clientSecret };
    await oauth({ issuer: issuer.url, clientCredentials: client, store })(wanted);
    const wrong = oauth({
      issuer: issuer.url,
      clientCredentials: { ...client, clientSecret: "wrong" },
      store,
    });
    const error: unknown = await wrong.revoke().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "TokenError", code: "invalid_client" });
    expect(String(error)).toMatch(
      /^TokenError: The issuer refused to revoke a token: invalid_client[^\n]*$/,
    );
    expect(store.keys?.()).toEqual([]);
  });
});

describe("a client whose issuer cannot revoke tokens", () => {
  const options = (issuer: string): OAuthOptions => ({
    issuer,
    clientCredentials: { clientId: "app" },
  });

  /** An issuer that responds to revocations in a way that a test determines. */
  async function issuerWith(revoke: Parameters<typeof serve>[0] | undefined) {
    const issuer = await serve((request, response) => {
      const { url } = issuer;
      if (request.url === "/token")
        json(response, { access_token: "t0ken", token_type: "Bearer", expires_in: 60 });
      else if (request.url === "/revoke") revoke?.(request, response);
      else
        json(response, {
          issuer: url,
          token_endpoint: `${url}/token`,
          ...(revoke && { revocation_endpoint: `${url}/revoke` }),
        });
    });
    return issuer;
  }

  it("the result is false if the metadata contains no revocation endpoint", async () => {
    const login = oauth(options((await issuerWith(undefined)).url));
    await login(wanted);
    expect(await login.revoke()).toBe(false);
    expect(await login.revoke()).toBe(true);
  });

  it.each([
    ["a redirect", 302, "IssuerError"],
    ["an error page", 500, "TokenError"],
    ["503", 503, "TokenError"],
  ])("the tokens are deleted if the issuer responds with %s", async (_, status, name) => {
    const issuer = await issuerWith((__, response) =>
      response.writeHead(status, { location: "https://evil.test" }).end(),
    );
    const store = memoryTokenStore();
    const login = oauth({ ...options(issuer.url), store });
    await login(wanted);
    const error: unknown = await login.revoke().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name });
    expect(String(error)).not.toContain("\n");
    expect(store.keys?.()).toEqual([]);
  });

  it("a revocation waits for a token that is being requested, and revokes this token", async () => {
    let tokens = (): void => undefined;
    const requested = new Promise<void>((resolve) => {
      tokens = resolve;
    });
    let respond = (): void => undefined;
    const revoked: string[] = [];
    const issuer = await serve((request, response) => {
      const { url } = issuer;
      if (request.url === "/revoke") {
        revoked.push(new URLSearchParams(request.body).get("token") ?? "");
        response.end();
      } else if (request.url === "/token") {
        respond = () => json(response, { access_token: "t0ken", token_type: "Bearer" });
        tokens();
      } else
        json(response, {
          issuer: url,
          token_endpoint: `${url}/token`,
          revocation_endpoint: `${url}/revoke`,
        });
    });
    const store = memoryTokenStore();
    const login = oauth({ ...options(issuer.url), store });
    const found = login(wanted);
    await requested;
    const revoking = login.revoke();
    respond();
    expect([await found, await revoking, revoked]).toEqual(["t0ken", true, ["t0ken"]]);
    expect(store.keys?.()).toEqual([]);
  });
});
