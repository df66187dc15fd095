import { mkdtemp, readFile, rm, stat, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../../generated/1.1-draft/index.js";
import { jwt } from "../../../library/auth/jwt.js";
import { oauth, type OAuthOptions } from "../../../library/auth/oauth.js";
import { fileTokenStore } from "../../../library/auth/token-file.js";
import { withCredentials } from "../../../generated/1.1-draft/kit/client/index.js";
import { protectedAgent, type ProtectedAgent } from "./agent.js";
import { audience, keyNamed } from "./issuer.js";
import { clientSecret, type RealIssuer, redirectUrl, startProvider } from "./provider.js";

afterEach(() => {
  vi.useRealTimers();
});

async function agentOf({ url: issuer }: RealIssuer) {
  return protectedAgent(jwt({ issuer, audience }));
}

/** Connects to an agent with tokens, and returns a function that makes a call. */
async function callerOf(
  agent: ProtectedAgent,
  options: OAuthOptions,
): Promise<() => Promise<unknown>> {
  const login = oauth(options);
  const client = await connect(agent.url, { interceptors: [withCredentials({ login })] });
  return async () => (await client.getTask({ id: "t" })).id;
}

const service = { clientId: "service", clientSecret };

/** How often an issuer was asked for a token. */
const tokensAsked = ({ requests }: RealIssuer) =>
  requests.filter((path) => path === "POST /token").length;

describe("a client with tokens of a real issuer", () => {
  it("the client calls an agent with client credentials and caches the token", async () => {
    const issuer = await startProvider();
    const agent = await agentOf(issuer);
    const call = await callerOf(agent, { issuer: issuer.url, clientCredentials: service });
    expect([await call(), await call()]).toEqual(["t", "t"]);
    expect(tokensAsked(issuer)).toBe(1);
    expect(agent.reached[0]).toMatchObject({
      id: "service",
      claims: { aud: audience, scope: "ask" },
    });
  });

  it("the client requests one token for concurrent calls", async () => {
    const issuer = await startProvider();
    const call = await callerOf(await agentOf(issuer), {
      issuer: issuer.url,
      clientCredentials: service,
    });
    expect(await Promise.all(Array.from({ length: 20 }, call))).toEqual(
      Array.from({ length: 20 }, () => "t"),
    );
    expect(tokensAsked(issuer)).toBe(1);
  });

  it("the client signs an assertion instead of sending a secret", async () => {
    const { publicKey, privateKey } = await keyNamed("mine");
    const keyed = {
      client_id: "keyed",
      token_endpoint_auth_method: "private_key_jwt" as const,
      redirect_uris: [],
      grant_types: ["client_credentials"],
      response_types: [],
      jwks: { keys: [publicKey] },
    };
    const issuer = await startProvider([keyed]);
    const clientCredentials = { clientId: "keyed", privateKey: { key: privateKey, kid: "mine" } };
    const call = await callerOf(await agentOf(issuer), { issuer: issuer.url, clientCredentials });
    expect(await call()).toBe("t");
  });

  it("the client signs a user in with a browser, by PKCE, state and nonce", async () => {
    const issuer = await startProvider();
    const agent = await agentOf(issuer);
    const asked: URL[] = [];
    const redirectToAuthorization = (url: URL) => {
      asked.push(url);
      return issuer.browse(url);
    };
    const authorizationCode = { clientId: "app", redirectUrl, redirectToAuthorization };
    const call = await callerOf(agent, {
      issuer: issuer.url,
      scopes: ["openid"],
      authorizationCode,
    });
    expect(await Promise.all([call(), call()])).toEqual(["t", "t"]);
    expect(agent.reached[0]).toMatchObject({ id: "ada" });
    expect(asked).toHaveLength(1);
    const parameters = Object.fromEntries(asked[0]?.searchParams ?? []);
    expect(parameters).toMatchObject({
      scope: "ask openid",
      code_challenge_method: "S256",
      response_type: "code",
    });
    for (const name of ["code_challenge", "state", "nonce"])
      expect(parameters[name]?.length).toBeGreaterThan(30);
  });

  it("the client refuses a code with another state", async () => {
    const issuer = await startProvider();
    const redirectToAuthorization = async (url: URL): Promise<URL> => {
      const back = new URL(await issuer.browse(url));
      back.searchParams.set("state", "forged");
      return back;
    };
    const authorizationCode = { clientId: "app", redirectUrl, redirectToAuthorization };
    const call = await callerOf(await agentOf(issuer), { issuer: issuer.url, authorizationCode });
    await expect(call()).rejects.toMatchObject({
      name: "TokenError",
      message: expect.stringContaining("state") as string,
    });
    expect(tokensAsked(issuer)).toBe(0);
  });

  it("the client refuses a code of another issuer", async () => {
    const issuer = await startProvider();
    const redirectToAuthorization = async (url: URL): Promise<URL> => {
      const back = new URL(await issuer.browse(url));
      back.searchParams.set("iss", "https://evil.test");
      return back;
    };
    const authorizationCode = { clientId: "app", redirectUrl, redirectToAuthorization };
    const call = await callerOf(await agentOf(issuer), { issuer: issuer.url, authorizationCode });
    await expect(call()).rejects.toMatchObject({
      name: "TokenError",
      message: expect.stringContaining('"iss"') as string,
    });
    expect(tokensAsked(issuer)).toBe(0);
  });

  it("the client refreshes a token before it expires, without the user", async () => {
    const issuer = await startProvider([], 100);
    let count = 0;
    const redirectToAuthorization = (url: URL) => {
      count += 1;
      return issuer.browse(url);
    };
    const authorizationCode = { clientId: "app", redirectUrl, redirectToAuthorization };
    const call = await callerOf(await agentOf(issuer), {
      issuer: issuer.url,
      authorizationCode,
      refreshBeforeMs: 20_000,
    });
    expect(await call()).toBe("t");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 50_000 });
    expect(await call()).toBe("t");
    expect(tokensAsked(issuer)).toBe(1);
    vi.setSystemTime(Date.now() + 40_000);
    expect(await call()).toBe("t");
    expect([tokensAsked(issuer), count]).toEqual([2, 1]);
  });

  it("the client signs a user in by a device code", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true, advanceTimeDelta: 1_000 });
    const issuer = await startProvider();
    const agent = await agentOf(issuer);
    const shown: string[] = [];
    const showCode = ({
      userCode,
      verificationUri,
    }: {
      userCode: string;
      verificationUri: string;
    }): unknown => {
      shown.push(verificationUri);
      // The user takes longer than the first question of the client.
      vi.waitFor(() => expect(tokensAsked(issuer)).toBeGreaterThan(0)).then(
        () => issuer.confirm(userCode),
        () => undefined,
      );
      return undefined;
    };
    const call = await callerOf(agent, {
      issuer: issuer.url,
      deviceCode: { clientId: "app", showCode },
    });
    expect(await call()).toBe("t");
    expect(shown).toEqual([`${issuer.url}/device`]);
    expect(tokensAsked(issuer)).toBeGreaterThan(1);
    expect(agent.reached[0]).toMatchObject({ id: "ada" });
  });

  it("the client starts with a refresh token and keeps the next token in a file that only its user may read", async () => {
    const issuer = await startProvider();
    const agent = await agentOf(issuer);
    const folder = await mkdtemp(join(tmpdir(), "tokens-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "deep", "tokens.json");
    const authorizationCode = {
      clientId: "app",
      redirectUrl,
      redirectToAuthorization: issuer.browse,
    };
    const first = await callerOf(agent, {
      issuer: issuer.url,
      authorizationCode,
      store: fileTokenStore(path),
    });
    expect(await first()).toBe("t");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const [kept] = Object.values(
      JSON.parse(await readFile(path, "utf8")) as Record<string, { refreshToken: string }>,
    );
    // Another process reads the same file.
    const second = await callerOf(agent, {
      issuer: issuer.url,
      authorizationCode,
      store: fileTokenStore(path),
    });
    expect(await second()).toBe("t");
    expect(tokensAsked(issuer)).toBe(1);
    const refreshToken = { clientId: "app", refreshToken: kept?.refreshToken ?? "" };
    const third = await callerOf(agent, { issuer: issuer.url, refreshToken });
    expect(await third()).toBe("t");
    expect(tokensAsked(issuer)).toBe(2);
    await chmod(path, 0o644);
    const fourth = await callerOf(agent, {
      issuer: issuer.url,
      authorizationCode,
      store: fileTokenStore(path),
    });
    await expect(fourth()).rejects.toThrow("run `chmod 600`");
  });

  it("the client obtains another token once if the agent refuses the token", async () => {
    const issuer = await startProvider();
    const agent = await protectedAgent(jwt({ issuer: issuer.url, audience, cooldownMs: 0 }));
    const call = await callerOf(agent, { issuer: issuer.url, clientCredentials: service });
    expect(await call()).toBe("t");
    await issuer.rotate();
    // The agent has the old key, so the old token is still good; a token of the new key makes it
    // fetch the keys.
    const other = await callerOf(agent, { issuer: issuer.url, clientCredentials: service });
    expect(await other()).toBe("t");
    expect(tokensAsked(issuer)).toBe(2);
    expect(await Promise.all([call(), call(), call()])).toEqual(["t", "t", "t"]);
    expect(tokensAsked(issuer)).toBe(3);
  });

  it("the client fails with one line if the issuer refuses the client", async () => {
    const issuer = await startProvider();
    const wrong = { clientId: "service", clientSecret: "wrong" };
    const call = await callerOf(await agentOf(issuer), {
      issuer: issuer.url,
      clientCredentials: wrong,
    });
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "TokenError", code: "invalid_client" });
    expect(String(error)).toMatch(
      /^TokenError: The issuer refused to issue a token: invalid_client[^\n]*$/,
    );
    expect(String(error)).not.toContain("wrong");
  });
});
