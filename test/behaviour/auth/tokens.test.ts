import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jwt, type JwtOptions } from "../../../library/auth/jwt.js";
import { A2AClient } from "../../../generated/1.1-draft/index.js";
import { grpcTransport } from "../../../generated/1.1-draft/client/grpc.js";
import { call, protectedAgent } from "./agent.js";
import { audience, forge, keyNamed, paths, type ScriptedIssuer, startIssuer } from "./issuer.js";
import { startWithIssuer } from "./token-agent.js";

const seconds = () => Math.floor(Date.now() / 1000);

/** Tokens that must be refused, with the reason that the challenge states. */
const invalid: [
  what: string,
  reason: string,
  make: (issuer: ScriptedIssuer) => string | Promise<string>,
][] = [
  ["has expired", "The token has expired", (issuer) => issuer.token({ exp: seconds() - 6 })],
  ["never expires", "The token has no expiry time", (issuer) => issuer.token({ exp: undefined })],
  [
    "is not valid yet",
    "The token is not valid yet",
    (issuer) => issuer.token({ nbf: seconds() + 30 }),
  ],
  [
    "is for another audience",
    "The token is for another audience",
    (issuer) => issuer.token({ aud: "https://b.test" }),
  ],
  [
    "names no audience",
    "The token is for another audience",
    (issuer) => issuer.token({ aud: undefined }),
  ],
  [
    "is of another issuer",
    "The token is from another issuer",
    (issuer) => issuer.token({ iss: `${issuer.url}/` }),
  ],
  [
    "names no issuer",
    "The token is from another issuer",
    (issuer) => issuer.token({ iss: undefined }),
  ],
  [
    "names no user",
    "The user of the token is unknown",
    (issuer) => issuer.token({ sub: undefined }),
  ],
  [
    "names an empty user",
    "The user of the token is unknown",
    (issuer) => issuer.token({ sub: "" }),
  ],
  [
    "names a number as user",
    "The user of the token is unknown",
    (issuer) => issuer.token({ sub: 7 }),
  ],
  [
    "is for a logout",
    "The type of the token is not accepted",
    (issuer) => issuer.token({}, { typ: "logout+jwt" }),
  ],
  [
    "is a proof of DPoP",
    "The type of the token is not accepted",
    (issuer) => issuer.token({}, { typ: "dpop+jwt" }),
  ],
  [
    "is bound to a key",
    "The token is bound to a key that the connection does not have",
    (issuer) => issuer.token({ cnf: { jkt: "abc" } }),
  ],
  [
    "is bound to a certificate",
    "The token is bound to a key that the connection does not have",
    (issuer) => issuer.token({ cnf: { "x5t#S256": "abc" } }),
  ],
  [
    "is not signed",
    "The algorithm of the token is not accepted",
    async (issuer) => forge({ alg: "none" }, claimsOf(await issuer.token())),
  ],
  [
    "names the algorithm none in capitals",
    "The algorithm of the token is not accepted",
    async (issuer) => forge({ alg: "NONE" }, claimsOf(await issuer.token())),
  ],
  [
    "is signed by HMAC with the public key",
    "The algorithm of the token is not accepted",
    async (issuer) => {
      const unsigned = forge({ alg: "HS256", kid: "k1" }, claimsOf(await issuer.token()));
      const signature = createHmac("sha256", JSON.stringify(issuer.keys[0])).update(
        unsigned.slice(0, -1),
      );
      return unsigned + signature.digest("base64url");
    },
  ],
  [
    "is signed by another key of the same name",
    "The token is invalid",
    async (issuer) =>
      new SignJWT(claimsOf(await issuer.token()))
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .sign((await keyNamed("k1")).privateKey),
  ],
  [
    "brings its own key",
    "The token is invalid",
    async (issuer) => {
      const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
      const header = {
        alg: "ES256",
        kid: "k1",
        jwk: await exportJWK(publicKey),
        jku: "https://evil.test/keys",
      };
      return new SignJWT(claimsOf(await issuer.token()))
        .setProtectedHeader(header)
        .sign(privateKey);
    },
  ],
  [
    "has an unknown critical header",
    "The token is invalid",
    async (issuer) => {
      const [, claims = "", signature = ""] = (await issuer.token()).split(".");
      const header = Buffer.from(
        JSON.stringify({ alg: "ES256", kid: "k1", crit: ["x"], x: 1 }),
      ).toString("base64url");
      return `${header}.${claims}.${signature}`;
    },
  ],
  [
    "was changed",
    "The token is invalid",
    async (issuer) => {
      const [header = "", claims = "", signature = ""] = (await issuer.token()).split(".");
      const changed = Buffer.from(JSON.stringify({ ...decoded(claims), sub: "root" })).toString(
        "base64url",
      );
      return `${header}.${changed}.${signature}`;
    },
  ],
  ["is encrypted", "The token is invalid", () => "a.b.c.d.e"],
  ["is not a token", "The token is invalid", () => "secret"],
  ["is too long", "The token is too long", () => "a.".repeat(8_193)],
];

function decoded(part: string) {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
}

function claimsOf(token: string) {
  return decoded(token.split(".")[1] ?? "");
}

describe("an agent that checks tokens", () => {
  it("the agent admits a token of the issuer as the user that its claims name", async () => {
    const { issuer, agent } = await startWithIssuer();
    expect(await call(agent, await issuer.token())).toMatchObject({ status: 200, challenge: null });
    expect(agent.reached).toMatchObject([
      { id: "ada", claims: { iss: issuer.url } },
      { id: "ada" },
    ]);
    expect(issuer.requests).toEqual([paths.oidc, paths.keys]);
  });

  it.each(invalid)(
    "the agent refuses a token that %s with 401, a challenge and no call of a hook",
    async (_, reason, make) => {
      const { issuer, agent } = await startWithIssuer();
      // Node refuses headers of 16 KiB before the agent sees them, so this token is checked without
      // a server.
      const token = await make(issuer);
      if (token.length > 16_000) return expect(refusalOf(issuer, token)).rejects.toThrow(reason);
      expect(await call(agent, token)).toEqual({
        status: 401,
        challenge: `Bearer error="invalid_token", error_description="${reason}"`,
        retryAfter: null,
      });
      expect(agent.reached).toEqual([]);
      expect(agent.errors).toEqual([]);
    },
  );

  it("the agent refuses a caller without a token with 401 and a challenge without an error", async () => {
    const { agent } = await startWithIssuer();
    expect(await call(agent, undefined)).toMatchObject({ status: 401, challenge: "Bearer" });
    expect(agent.reached).toEqual([]);
  });

  it.each([
    ["a string", { scope: "read" }],
    ["a list", { scope: ["read"] }],
    ["a list of Entra", { scope: undefined, scp: ["read"] }],
    ["nothing", { scope: undefined }],
    ["a prefix", { scope: "ask.more asking" }],
  ])(
    "the agent refuses a token without the scope of the card, whose scopes are %s, with 403 and the scope",
    async (_, claims) => {
      const { issuer, agent } = await startWithIssuer({ scopes: ["call"] });
      expect(await call(agent, await issuer.token(claims))).toMatchObject({
        status: 403,
        challenge: 'Bearer error="insufficient_scope", scope="call ask"',
      });
      expect(agent.reached).toEqual([]);
      expect((await call(agent, await issuer.token({ scope: "ask call" }))).status).toBe(200);
      expect(
        (await call(agent, await issuer.token({ scope: undefined, scp: ["ask", "call"] }))).status,
      ).toBe(200);
    },
  );

  it("the agent tolerates a clock difference up to the configured limit", async () => {
    const { issuer, agent } = await startWithIssuer({ clockToleranceMs: 30_000 });
    expect(
      (await call(agent, await issuer.token({ exp: seconds() - 20, nbf: seconds() + 20 }))).status,
    ).toBe(200);
    expect((await call(agent, await issuer.token({ exp: seconds() - 40 }))).status).toBe(401);
    expect((await call(agent, await issuer.token({ nbf: seconds() + 40 }))).status).toBe(401);
  });

  it("the agent also sends the challenge over gRPC", async () => {
    const { issuer, agent } = await startWithIssuer();
    const client = (token: string) =>
      new A2AClient({
        transport: grpcTransport(agent.grpcUrl),
        headers: { authorization: `Bearer ${token}` },
      });
    const good = client(await issuer.token());
    expect((await good.getTask({ id: "t" })).id).toBe("t");
    const bad = client(await issuer.token({ exp: 1 }));
    const error: unknown = await bad.getTask({ id: "t" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "UnauthenticatedError", message: "The token has expired" });
    good.close();
    bad.close();
  });

  it("each challenge names the metadata of the resource", async () => {
    const issuer = await startIssuer();
    const resourceMetadata = "https://agent.test/.well-known/oauth-protected-resource";
    const agent = await protectedAgent(jwt({ issuer: issuer.url, audience }), { resourceMetadata });
    expect((await call(agent, undefined)).challenge).toBe(
      `Bearer resource_metadata="${resourceMetadata}"`,
    );
    expect((await call(agent, await issuer.token({ exp: 1 }))).challenge).toContain(
      `error="invalid_token", error_description="The token has expired", resource_metadata="${resourceMetadata}"`,
    );
    expect((await call(agent, await issuer.token({ scope: "" }))).challenge).toContain(
      `"${resourceMetadata}"`,
    );
  });

  it("the agent maps the claims to a user, and refuses tokens without a user", async () => {
    const issuer = await startIssuer();
    const users = new Map([["ada", { id: 1, name: "Ada" }]]);
    const check = jwt({
      issuer: issuer.url,
      audience,
      user: async ({ sub = "" }) => users.get(sub),
    });
    const agent = await protectedAgent(check);
    expect((await call(agent, await issuer.token())).status).toBe(200);
    expect(agent.reached[0]).toEqual({ id: 1, name: "Ada" });
    expect(await call(agent, await issuer.token({ sub: "eve" }))).toMatchObject({ status: 401 });
  });

  it("the agent admits a token that is bound to the certificate of its connection", async () => {
    const issuer = await startIssuer();
    const check = jwt({ issuer: issuer.url, audience });
    const raw = new TextEncoder().encode("a certificate");
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", raw)).toString("base64url");
    const peer = { address: undefined, certificate: { raw, fingerprint256: "", subject: {} } };
    const token = await issuer.token({ cnf: { "x5t#S256": digest } });
    expect(await check(token, { scopes: [], caller: { peer } as never })).toMatchObject({
      id: "ada",
    });
    await expect(
      (async () => check(token, { scopes: [], caller: { peer: undefined } as never }))(),
    ).rejects.toThrow("bound");
  });
});

async function refusalOf(issuer: ScriptedIssuer, token: string): Promise<unknown> {
  return jwt({ issuer: issuer.url, audience })(token, {
    scopes: [],
    caller: { peer: undefined } as never,
  });
}

describe("the options of jwt", () => {
  it.each<[options: Partial<JwtOptions> & { audience?: never[] }, problem: string]>([
    [{}, "`issuer` is missing"],
    [{ issuer: "" }, "`issuer` is empty"],
    [{ issuer: "http://login.test" }, "`issuer` must be a URL that begins with https://"],
    [{ issuer: "http://localhost.login.test" }, "https://"],
    [{ issuer: "https://me:secret@login.test" }, "https://"],
    [{ issuer: "login.test" }, "https://"],
    [{ jwks: "http://login.test/keys" }, "`jwks` must be a URL that begins with https://"],
    [
      { issuer: "https://login.test", algorithms: ["none"] },
      "`algorithms` must list algorithms with public keys, such as ES256, got none",
    ],
    [
      { issuer: "https://login.test", algorithms: ["ES256", "HS256"] },
      "`algorithms` must list algorithms with public keys, such as ES256, got HS256",
    ],
    [
      { issuer: "https://login.test", algorithms: [] },
      "`algorithms` must list algorithms with public keys, such as ES256, got an empty list",
    ],
    [{ issuer: "https://login.test", clockToleranceMs: -1 }, "`clockToleranceMs` must be"],
    [{ issuer: "https://login.test", clockToleranceMs: Number.NaN }, "`clockToleranceMs` must be"],
    [{ issuer: "https://login.test", clockToleranceMs: 3_600_000 }, "`clockToleranceMs` must be"],
    [{ issuer: "https://login.test", audience: [] }, "`audience` must not be empty"],
    [{ issuer: "https://login.test", audience: [""] as never }, "`audience` must not be empty"],
  ])("invalid options are refused at the start: %j", (options, problem) => {
    expect(() => jwt({ audience, ...options })).toThrow(problem);
  });
});
