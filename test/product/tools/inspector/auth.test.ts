import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jwt } from "../../../../library/auth/jwt.js";
import type { AgentCard, SecurityScheme } from "../../../../generated/1.0/models.js";
import { startProvider } from "../../../behaviour/auth/provider.js";
import { audience } from "../../../behaviour/auth/issuer.js";
import { json, serve } from "../../../support/http.js";
import { a2a, a2aJson, agentWith } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

/**
 * Stands for the browser of the user: a program that stores the URL that it opens. Returns the
 * opened URL.
 */
function fakeBrowser(): () => Promise<URL> {
  const bin = temporaryFolder();
  const opened = join(bin, "url");
  writeFileSync(
    join(bin, "xdg-open"),
    `#!/bin/sh\nprintf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
  );
  chmodSync(join(bin, "xdg-open"), 0o700);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"] ?? ""}`);
  return async () => {
    await expect.poll(() => existsSync(opened)).toBe(true);
    return new URL(readFileSync(opened, "utf8"));
  };
}

/** An agent that requires tokens of an issuer for its tasks. */
async function agentOf(issuer: string, scheme: SecurityScheme, more: Partial<AgentCard> = {}) {
  const check = jwt({ issuer, audience });
  const users: unknown[] = [];
  const url = await agentWith(
    (request, response) => {
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      void (async () => check(token, { scopes: ["ask"], caller: {} as never }))().then(
        (user) => {
          users.push(user);
          json(response, {
            jsonrpc: "2.0",
            id: 1,
            result: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
          });
        },
        () => response.writeHead(401, { "www-authenticate": "Bearer" }).end(),
      );
    },
    {
      securitySchemes: { login: scheme },
      securityRequirements: [{ schemes: { login: { list: ["ask"] } } }],
      ...more,
    },
  );
  return { url, users };
}

const metadataUrl = (issuer: string): SecurityScheme => ({
  openIdConnectSecurityScheme: { openIdConnectUrl: `${issuer}/.well-known/openid-configuration` },
});

describe.skipIf(process.platform !== "linux")(
  "a2a auth with a browser (skipped: the fake browser is for Linux)",
  () => {
    it("the user signs in once, later commands send the token, and a sign-out deletes it", async () => {
      const issuer = await startProvider();
      const { url, users } = await agentOf(issuer.url, metadataUrl(issuer.url));
      const cwd = temporaryFolder();
      const get = ["task", "get", "t", "-a", url];
      expect((await a2a(get, { cwd })).stderr).toContain("Run `a2a auth login`");
      const open = fakeBrowser();
      const login = a2a(
        `auth login -a ${url} --oauth-issuer ${issuer.url} --oauth-client-id app --browser`,
        { cwd },
      );
      await fetch(await issuer.browse(await open()));
      const { code, stdout } = await login;
      expect([code, stdout]).toEqual([
        0,
        `Signed-In: ${url} (scheme login, issuer ${issuer.url})\n`,
      ]);
      expect((await a2a(get, { cwd })).code).toBe(0);
      expect((await a2a(get, { cwd, env: { A2ACLI_OAUTH_CLIENT_ID: "app" } })).code).toBe(0);
      expect(users).toMatchObject([{ id: "ada" }, { id: "ada" }]);

      const files = ["tokens.json", "logins.json"].map((name) =>
        join(cwd, ".config", "a2a-cli", name),
      );
      for (const path of files) expect(statSync(path).mode & 0o777).toBe(0o600);
      const token = (
        Object.values(JSON.parse(readFileSync(files[0] ?? "", "utf8")) as object)[0] as {
          accessToken: string;
        }
      ).accessToken;
      const status = await a2a("auth status", { cwd });
      expect(status.stdout).toMatch(
        new RegExp(
          `Agent: ${url}\nScheme: login\nIssuer: ${issuer.url}\nClient: app \\(code\\)\nExpires: .*, then renewed`,
        ),
      );
      expect(
        status.stdout + (await a2a([...get, "--debug", "--verbose"], { cwd })).stderr,
      ).not.toContain(token);

      // A cloned repository must not send the token elsewhere.
      const clone = join(cwd, ".env");
      writeFileSync(clone, "A2ACLI_ORIGIN=https://evil.example\n");
      expect((await a2a(get, { cwd })).stderr).toContain("A2ACLI_ORIGIN, and a sign-in");
      writeFileSync(clone, "");
      issuer.requests.length = 0;
      const logout = await a2a(`auth logout -a ${url}`, { cwd });
      expect(logout.stdout).toBe(`Signed-Out: ${url}\n`);
      // The issuer revokes the refresh token; agents accept its signed access tokens until they
      // expire.
      expect(logout.stderr).toBe(
        `${issuer.url} cannot revoke the access token, which remains valid until it expires\n`,
      );
      expect(issuer.requests.filter((each) => each === "POST /token/revocation")).toHaveLength(2);
      expect(readFileSync(files[0] ?? "", "utf8")).toBe("{}");
      expect((await a2a("auth status", { cwd })).stdout).toBe("Sign-Ins: none\n");
      expect((await a2a(get, { cwd })).code).toBe(4);
      expect((await a2a(`auth logout -a ${url}`, { cwd })).code).toBe(4);
    });
  },
);

describe("a2a auth logout", () => {
  it("the command deletes the tokens and prints one line if the issuer is unavailable", async () => {
    let isDown = false;
    const issuer = await deviceIssuer(undefined, () => isDown);
    const url = await agentWith((_, response) => json(response, {}, 404), {
      securitySchemes: { login: deviceScheme(issuer.url) },
    });
    const cwd = temporaryFolder();
    const options = ["--oauth-issuer", issuer.url, "--oauth-client-id", "app"];
    expect((await a2a(["auth", "login", "-a", url, ...options], { cwd })).code).toBe(0);
    isDown = true;
    const { code, stdout, stderr } = await a2a("auth logout --all", { cwd });
    expect([code, stdout]).toEqual([0, `Signed-Out: ${url}\n`]);
    expect(stderr).toMatch(
      new RegExp(
        `^The tokens for ${url} are deleted, but not revoked: ${issuer.url}/\\S+ cannot be read: [^\n]*\n$`,
      ),
    );
    expect(readFileSync(join(cwd, ".config", "a2a-cli", "tokens.json"), "utf8")).toBe("{}");
  });
});

/** An issuer that confirms each device at once, unless a test says otherwise. */
async function deviceIssuer(refusal?: string, isDown = () => false) {
  const issuer = await serve(({ url: path }, response) => {
    const { url } = issuer;
    if (isDown()) response.destroy();
    else if (path === "/device")
      json(response, {
        device_code: "d",
        user_code: "ABCD",
        verification_uri: `${url}/activate`,
        expires_in: 60,
        interval: 1,
      });
    else if (path === "/token" && refusal !== undefined) json(response, { error: refusal }, 400);
    else if (path === "/token")
      json(response, { access_token: "t0ken", token_type: "Bearer", expires_in: 60 });
    else json(response, {}, 404);
  });
  return issuer;
}

const deviceScheme = (url: string): SecurityScheme => ({
  oauth2SecurityScheme: {
    flows: {
      deviceCode: { deviceAuthorizationUrl: `${url}/device`, tokenUrl: `${url}/token`, scopes: {} },
    },
  },
});

describe("a2a auth login", () => {
  it("the user signs in with a code on another device", async () => {
    const issuer = await deviceIssuer();
    const seen: (string | undefined)[] = [];
    const url = await agentWith(
      (request, response) => {
        seen.push(request.headers.authorization);
        json(response, {}, 404);
      },
      {
        securitySchemes: { login: deviceScheme(issuer.url) },
        securityRequirements: [{ schemes: { login: { list: [] } } }],
      },
    );
    const cwd = temporaryFolder();
    const args = [
      "auth",
      "login",
      "-a",
      url,
      "--oauth-issuer",
      issuer.url,
      "--oauth-client-id",
      "cli",
    ];
    const { code, stderr } = await a2a(args, { cwd });
    expect([code, stderr]).toEqual([0, `Open ${issuer.url}/activate and enter ABCD\n`]);
    await a2a(`task get t -a ${url}`, { cwd });
    await a2a(`task get t -a ${url} --bearer own`, { cwd });
    expect(seen).toEqual(["Bearer t0ken", "Bearer own"]);
  });

  it("a2a reports the refusal of the issuer, and stores no sign-in", async () => {
    const issuer = await deviceIssuer("access_denied");
    const { url } = await agentOf(issuer.url, deviceScheme(issuer.url));
    const cwd = temporaryFolder();
    const args = [
      "auth",
      "login",
      "-a",
      url,
      "--oauth-issuer",
      issuer.url,
      "--oauth-client-id",
      "cli",
    ];
    const { code, json: found } = await a2aJson(args, { cwd });
    expect([code, found.error?.code]).toEqual([4, "A2ACLI_ERR_AUTH_FAILED"]);
    expect((await a2a("auth status", { cwd })).stdout).toBe("Sign-Ins: none\n");
  });

  it.each<[what: string, args: readonly string[], problem: string]>([
    [
      "an issuer",
      [],
      "requires --oauth-issuer (A2ACLI_ERR_USAGE)\nHint: The card contains the issuer https://login.test",
    ],
    ["a client", ["--oauth-issuer", "https://login.test"], "requires --oauth-client-id"],
    ["a scheme of the card", ["--scheme", "other"], 'no OAuth scheme "other"'],
    ["a known flow", ["--flow", "magic"], "--flow cannot be"],
  ])("a2a requires %s", async (_, args, problem) => {
    const { url } = await agentOf("https://login.test", metadataUrl("https://login.test"));
    const { code, stderr } = await a2a(["auth", "login", "-a", url, ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  it("a2a does not sign in at an issuer that the card names, but the user does not", async () => {
    const evil = await deviceIssuer();
    const { url } = await agentOf(evil.url, deviceScheme(evil.url));
    const args = [
      "auth",
      "login",
      "-a",
      url,
      "--oauth-issuer",
      "https://login.test",
      "--oauth-client-id",
      "cli",
    ];
    const { code, stderr } = await a2a(args);
    expect([code, stderr]).toEqual([4, expect.stringContaining("is not in `trustedOrigins`")]);
    expect(evil.requests).toEqual([]);
  });
});

describe("credentials of a2a over an unencrypted connection", () => {
  it.each([["--bearer"], ["--api-key"]])(
    "a2a warns before it sends %s to a public host without TLS",
    async (option) => {
      const schemes = {
        key: { apiKeySecurityScheme: { location: "query", name: "key" } },
        b: { httpAuthSecurityScheme: { scheme: "Bearer" } },
      };
      const interfaces = [
        { url: "http://10.example.com/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      ];
      const cwd = temporaryFolder();
      const url = await agentWith((_, response) => response.end(), {
        securitySchemes: schemes,
        supportedInterfaces: interfaces,
      });
      const card = join(cwd, "card.json");
      writeFileSync(card, await (await fetch(`${url}/.well-known/agent-card.json`)).text());
      const { stderr } = await a2a(`task get t -a ${card} ${option} s3cret --timeout 1ms`, { cwd });
      expect(stderr).toContain(
        "WARNING: Credentials are sent unencrypted to http://10.example.com/",
      );
    },
  );
});
