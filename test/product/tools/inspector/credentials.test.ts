import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bearerTokens } from "../../../../examples/echo-agent/auth.js";
import { a2a, a2aJson, agentWith, echoAgent } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { listen } from "../../../support/http.js";

describe("a2a credentials", () => {
  const users = new Map([["s3cret-token", "ada"]]);

  it("a2a sends a bearer token from a flag, a variable, a file or the environment (A2ACLI_AUTH_001, AUTH_002)", async () => {
    const url = await echoAgent({ authenticate: bearerTokens(users) });
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "token"), "s3cret-token\n");
    for (const given of ["s3cret-token", "env:TOKEN", "@token"])
      expect(
        (
          await a2a(`send hi -a ${url} --bearer "${given}"`, {
            cwd,
            env: { TOKEN: "s3cret-token" },
          })
        ).code,
      ).toBe(0);
    expect(
      (await a2a(`send hi -a ${url}`, { cwd, env: { A2ACLI_BEARER: "s3cret-token" } })).code,
    ).toBe(0);
  });

  it("a2a ends with 4 if the agent rejects the token, and never prints it (A2ACLI_AUTH_004)", async () => {
    const url = await echoAgent({ authenticate: bearerTokens(users) });
    const { code, stdout, stderr } = await a2a(
      `send hi -a ${url} --bearer wr0ng-token --debug --verbose`,
    );
    expect([code, stderr]).toEqual([4, expect.stringContaining("A2ACLI_ERR_AUTH_FAILED")]);
    expect(stdout + stderr).not.toContain("wr0ng-token");
    expect(stderr).toContain("authorization: Bearer <authorization>");
  });

  it.each(["header", "cookie", "query"])(
    "a2a sends an API key in the %s that the card declares",
    async (location) => {
      const seen: string[] = [];
      const schemes = { key: { apiKeySecurityScheme: { location, name: "X-Agent-Code" } } };
      const url = await agentWith(
        (request, response) => {
          seen.push(
            `${String(request.headers["x-agent-code"])} ${String(request.headers.cookie)} ${String(request.url)}`,
          );
          response.end("{}");
        },
        { securitySchemes: schemes, securityRequirements: [{ schemes: { key: { list: [] } } }] },
      );
      const { stderr } = await a2a(`task get t -a ${url} --api-key k3y --debug`);
      expect(seen[0]).toContain("k3y");
      expect(stderr).not.toContain("k3y");
    },
  );

  it("a2a sends no credentials to an origin other than the origin of the card, unless the user names it", async () => {
    const seen: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const listed = [{ url: other, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const url = await agentWith((_request, response) => response.end(), {
      supportedInterfaces: listed,
    });
    const args = ["task", "get", "t", "-a", url, "--bearer", "s3cret"];
    const { code, stderr } = await a2a(args);
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /headers \(authorization\) were not sent to \S+, because the card has another origin \(A2ACLI_ERR_CREDENTIALS_MISSING\)\n/,
      ),
    ]);
    expect(stderr).toContain(`Hint: If you trust that origin, add --origin ${other}\n`);
    await a2a([...args, "--origin", other]);
    expect(seen).toEqual([undefined, "Bearer s3cret"]);
  });

  it("a2a refuses to send the user's token to an agent that a file in the project names", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".env"), "A2ACLI_AGENT_CARD=https://evil.example\n");
    const refused = await a2aJson("send hi", { cwd, env: { A2ACLI_BEARER: "s3cret" } });
    expect(refused).toMatchObject({ code: 2, json: { error: { code: "A2ACLI_ERR_USAGE" } } });
    expect(refused.json.error?.message).toContain("A2ACLI_AGENT_CARD");
  });

  it.each(["env:SECRET", "@token.txt"])(
    "a2a refuses a file in the project that sends %s to its agent",
    async (secret) => {
      const cwd = temporaryFolder();
      writeFileSync(
        join(cwd, ".env"),
        `A2ACLI_AGENT_CARD=https://evil.example\nA2ACLI_BEARER=${secret}\n`,
      );
      const refused = await a2aJson("send hi", { cwd, env: { SECRET: "s3cret" } });
      expect(refused).toMatchObject({ code: 2, json: { error: { code: "A2ACLI_ERR_USAGE" } } });
    },
  );

  it("a2a does not send credentials to an origin to which the card redirects", async () => {
    const seen: unknown[] = [];
    const other = await agentWith((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const named = await listen((request, response) => {
      response.writeHead(302, { location: `${other}${request.url ?? ""}` }).end();
    });
    await a2a(`task get t -a ${named} --bearer s3cret`);
    expect(seen).toEqual([undefined]);
  });

  it("a2a ignores a folder with the name .env", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, ".env"));
    expect((await a2a("config show", { cwd })).code).toBe(0);
  });

  it("a2a refuses a folder for downloads that a file in the project names", async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, ".env"),
      "A2ACLI_AGENT_CARD=https://evil.example\nA2ACLI_DIR=../autostart\n",
    );
    const { code, stderr } = await a2a("download t-1", { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("sets A2ACLI_DIR")]);
  });

  it("a2a refuses credentials that no scheme of the card accepts", async () => {
    const url = await agentWith((_request, response) => response.end(), {
      securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } },
    });
    expect((await a2a(`task get t -a ${url} --bearer x`)).stderr).toContain("It declares key");
  });
});

describe("a2a with OAuth", () => {
  const settings = { A2ACLI_OAUTH_CLIENT_ID: "app", A2ACLI_OAUTH_CLIENT_SECRET: "s3cret" };

  it("a2a gets a token with client credentials, and sends it to the agent (A2ACLI_AUTH_006)", async () => {
    const tokens: string[] = [];
    const issuer = await listen((request, response) => {
      tokens.push(String(request.headers.authorization));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ access_token: "t0ken", token_type: "bearer", expires_in: 60 }));
    });
    const seen: unknown[] = [];
    const flows = { clientCredentials: { tokenUrl: `${issuer}/token`, scopes: { all: "All" } } };
    const url = await agentWith(
      (request, response) => {
        seen.push(request.headers.authorization);
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            result: { id: "t", status: { state: "TASK_STATE_WORKING" } },
          }),
        );
      },
      {
        securitySchemes: { login: { oauth2SecurityScheme: { flows } } },
        securityRequirements: [{ schemes: { login: { list: ["all"] } } }],
      },
    );
    const { code, stdout, stderr } = await a2a(`task get t -a ${url} --debug`, {
      env: { ...settings, A2ACLI_OAUTH_ISSUER: issuer },
    });
    expect([code, seen, tokens.length], stdout + stderr).toEqual([0, ["Bearer t0ken"], 1]);
    expect(stderr).not.toContain("t0ken");
  });

  it("a2a does not send the secret to a token endpoint that only the card names", async () => {
    const flows = { clientCredentials: { tokenUrl: "http://127.0.0.1:9/token", scopes: {} } };
    const url = await agentWith((_request, response) => response.end(), {
      securitySchemes: { login: { oauth2SecurityScheme: { flows } } },
      securityRequirements: [{ schemes: { login: { list: [] } } }],
    });
    expect((await a2a(`task get t -a ${url}`, { env: settings })).stderr).toContain(
      "requires --oauth-issuer",
    );
    const env = { ...settings, A2ACLI_OAUTH_ISSUER: "https://login.example" };
    expect((await a2a(`task get t -a ${url}`, { env })).code).not.toBe(0);
  });

  it("a2a requires the secret of the client (A2ACLI_EXIT_001)", async () => {
    const url = await agentWith((_request, response) => response.end());
    const env = { A2ACLI_OAUTH_CLIENT_ID: "app" };
    expect(await a2aJson(`task get t -a ${url}`, { env })).toMatchObject({
      code: 4,
      json: { error: { code: "A2ACLI_ERR_CREDENTIALS_MISSING" } },
    });
  });
});

describe("a2a --insecure", () => {
  it("a2a --insecure warns that others can read the call, and that credentials are sent (A2ACLI_AUTH_003)", async () => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    const { stderr } = await a2a(`send hi -a ${await echoAgent()} --insecure --bearer x`);
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    expect(stderr).toContain("WARNING: TLS certificates are not verified (--insecure)");
    expect(stderr).toContain("WARNING: Credentials are sent over this connection.");
  });
});
