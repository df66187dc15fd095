import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jwt, type JwtOptions } from "../../../templates/kit/auth/jwt.js";
import { A2AClient } from "../../../generated/1.1-draft/index.js";
import { grpcTransport } from "../../../generated/1.1-draft/client/grpc.js";
import { json, nowhere } from "../../support/http.js";
import { call, protectedAgent, type ProtectedAgent } from "./agent.js";
import { audience, forge, keyNamed, paths, type ScriptedIssuer, startIssuer } from "./issuer.js";

afterEach(() => {
  vi.useRealTimers();
});

/** Advances the clock that code reads. Timers run normally. */
function passed(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

async function start(options: Partial<JwtOptions> = {}): Promise<{ issuer: ScriptedIssuer; agent: ProtectedAgent }> {
  const issuer = await startIssuer();
  const agent = await protectedAgent(jwt({ issuer: issuer.url, audience, ...options }));
  return { issuer, agent };
}

const seconds = (): number => Math.floor(Date.now() / 1000);

/** Tokens that must be refused, with the reason that the challenge states. */
const invalid: [what: string, reason: string, make: (issuer: ScriptedIssuer) => string | Promise<string>][] = [
  ["has expired", "The token has expired", (issuer) => issuer.token({ exp: seconds() - 6 })],
  ["never expires", "The token has no expiry time", (issuer) => issuer.token({ exp: undefined })],
  ["is not valid yet", "The token is not valid yet", (issuer) => issuer.token({ nbf: seconds() + 30 })],
  ["is for another audience", "The token is for another audience", (issuer) => issuer.token({ aud: "https://b.test" })],
  ["names no audience", "The token is for another audience", (issuer) => issuer.token({ aud: undefined })],
  ["is of another issuer", "The token is from another issuer", (issuer) => issuer.token({ iss: `${issuer.url}/` })],
  ["names no issuer", "The token is from another issuer", (issuer) => issuer.token({ iss: undefined })],
  ["names no user", "The user of the token is unknown", (issuer) => issuer.token({ sub: undefined })],
  ["names an empty user", "The user of the token is unknown", (issuer) => issuer.token({ sub: "" })],
  ["names a number as user", "The user of the token is unknown", (issuer) => issuer.token({ sub: 7 })],
  ["is for a logout", "The type of the token is not accepted", (issuer) => issuer.token({}, { typ: "logout+jwt" })],
  ["is a proof of DPoP", "The type of the token is not accepted", (issuer) => issuer.token({}, { typ: "dpop+jwt" })],
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
      const signature = createHmac("sha256", JSON.stringify(issuer.keys[0])).update(unsigned.slice(0, -1));
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
      const header = { alg: "ES256", kid: "k1", jwk: await exportJWK(publicKey), jku: "https://evil.test/keys" };
      return new SignJWT(claimsOf(await issuer.token())).setProtectedHeader(header).sign(privateKey);
    },
  ],
  [
    "has an unknown critical header",
    "The token is invalid",
    async (issuer) => {
      const [, claims = "", signature = ""] = (await issuer.token()).split(".");
      const header = Buffer.from(JSON.stringify({ alg: "ES256", kid: "k1", crit: ["x"], x: 1 })).toString("base64url");
      return `${header}.${claims}.${signature}`;
    },
  ],
  [
    "was changed",
    "The token is invalid",
    async (issuer) => {
      const [header = "", claims = "", signature = ""] = (await issuer.token()).split(".");
      const changed = Buffer.from(JSON.stringify({ ...decoded(claims), sub: "root" })).toString("base64url");
      return `${header}.${changed}.${signature}`;
    },
  ],
  ["is encrypted", "The token is invalid", () => "a.b.c.d.e"],
  ["is not a token", "The token is invalid", () => "secret"],
  ["is too long", "The token is too long", () => "a.".repeat(8_193)],
];

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
}

function claimsOf(token: string): Record<string, unknown> {
  return decoded(token.split(".")[1] ?? "");
}

describe("an agent that checks tokens", () => {
  it("the agent admits a token of the issuer as the user that its claims name", async () => {
    const { issuer, agent } = await start();
    expect(await call(agent, await issuer.token())).toMatchObject({ status: 200, challenge: null });
    expect(agent.reached).toMatchObject([{ id: "ada", claims: { iss: issuer.url } }, { id: "ada" }]);
    expect(issuer.requests).toEqual([paths.oidc, paths.keys]);
  });

  it.each(invalid)(
    "the agent refuses a token that %s with 401, a challenge and no call of a hook",
    async (_, reason, make) => {
      const { issuer, agent } = await start();
      // Node refuses headers of 16 KiB before the agent sees them, so this token is checked without a server.
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
    const { agent } = await start();
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
      const { issuer, agent } = await start({ scopes: ["call"] });
      expect(await call(agent, await issuer.token(claims))).toMatchObject({
        status: 403,
        challenge: 'Bearer error="insufficient_scope", scope="call ask"',
      });
      expect(agent.reached).toEqual([]);
      expect((await call(agent, await issuer.token({ scope: "ask call" }))).status).toBe(200);
      expect((await call(agent, await issuer.token({ scope: undefined, scp: ["ask", "call"] }))).status).toBe(200);
    },
  );

  it("the agent tolerates a clock difference up to the configured limit", async () => {
    const { issuer, agent } = await start({ clockToleranceMs: 30_000 });
    expect((await call(agent, await issuer.token({ exp: seconds() - 20, nbf: seconds() + 20 }))).status).toBe(200);
    expect((await call(agent, await issuer.token({ exp: seconds() - 40 }))).status).toBe(401);
    expect((await call(agent, await issuer.token({ nbf: seconds() + 40 }))).status).toBe(401);
  });

  it("the agent also sends the challenge over gRPC", async () => {
    const { issuer, agent } = await start();
    const client = (token: string): A2AClient =>
      new A2AClient({ transport: grpcTransport(agent.grpcUrl), headers: { authorization: `Bearer ${token}` } });
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
    expect((await call(agent, undefined)).challenge).toBe(`Bearer resource_metadata="${resourceMetadata}"`);
    expect((await call(agent, await issuer.token({ exp: 1 }))).challenge).toContain(
      `error="invalid_token", error_description="The token has expired", resource_metadata="${resourceMetadata}"`,
    );
    expect((await call(agent, await issuer.token({ scope: "" }))).challenge).toContain(`"${resourceMetadata}"`);
  });

  it("the agent maps the claims to a user, and refuses tokens without a user", async () => {
    const issuer = await startIssuer();
    const users = new Map([["ada", { id: 1, name: "Ada" }]]);
    const check = jwt({ issuer: issuer.url, audience, user: async ({ sub = "" }) => users.get(sub) });
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
    expect(await check(token, { scopes: [], caller: { peer } as never })).toMatchObject({ id: "ada" });
    await expect((async () => check(token, { scopes: [], caller: { peer: undefined } as never }))()).rejects.toThrow(
      "bound",
    );
  });
});

async function refusalOf(issuer: ScriptedIssuer, token: string): Promise<unknown> {
  return jwt({ issuer: issuer.url, audience })(token, { scopes: [], caller: { peer: undefined } as never });
}

describe("the keys of an issuer", () => {
  it("the keys are fetched once for concurrent calls and cached", async () => {
    const { issuer, agent } = await start();
    const token = await issuer.token();
    const all = await Promise.all(Array.from({ length: 20 }, () => call(agent, token)));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(issuer.requests).toEqual([paths.oidc, paths.keys]);
  });

  it("the keys are fetched again for the first token of a new key, after the cool-down", async () => {
    const { issuer, agent } = await start();
    const old = await issuer.token();
    expect((await call(agent, old)).status).toBe(200);
    await issuer.rotate();
    const token = await issuer.token();
    expect((await call(agent, token)).status).toBe(401);
    passed(30_000);
    expect((await call(agent, token)).status).toBe(200);
    // The old key is not published any longer.
    expect((await call(agent, old)).status).toBe(401);
  });

  it("the keys are requested once for many tokens with invented keys", async () => {
    const { issuer, agent } = await start();
    for (const kid of ["a", "b", "c", "d"])
      expect((await call(agent, await issuer.token({}, { kid }))).status).toBe(401);
    expect(issuer.requests).toEqual([paths.oidc, paths.keys]);
  });

  it("removed keys are not trusted after their maximum age", async () => {
    const { issuer, agent } = await start({ maxAgeMs: 60_000, clockToleranceMs: 300_000 });
    const token = await issuer.token();
    expect((await call(agent, token)).status).toBe(200);
    issuer.keys = [];
    expect((await call(agent, token)).status).toBe(200);
    passed(60_000);
    expect((await call(agent, token)).status).toBe(401);
  });

  it("a key may have no name", async () => {
    const { issuer, agent } = await start();
    const other = await keyNamed("other");
    issuer.keys = [other.publicKey, ...issuer.keys].map(({ kid: _, ...rest }) => rest);
    expect((await call(agent, await issuer.token({}, { kid: undefined }))).status).toBe(200);
  });

  it("the keys are found by the metadata of OAuth 2 if the issuer has no metadata of OpenID Connect", async () => {
    const { issuer, agent } = await start();
    issuer.replies.set(paths.oidc, (response) => json(response, {}, 404));
    issuer.replies.set(paths.oauth, (response) =>
      json(response, { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }),
    );
    expect((await call(agent, await issuer.token())).status).toBe(200);
  });

  it("the keys may be given as a set, or as the URL of a set", async () => {
    const issuer = await startIssuer();
    const { keys } = issuer;
    for (const jwks of [{ keys }, `${issuer.url}/keys`, new URL(`${issuer.url}/keys`)]) {
      const agent = await protectedAgent(jwt({ jwks, audience }));
      expect((await call(agent, await issuer.token())).status).toBe(200);
    }
    expect(issuer.requests).toEqual([paths.keys, paths.keys]);
    const named = await protectedAgent(jwt({ jwks: { keys }, issuer: "https://login.test", audience }));
    expect((await call(named, await issuer.token())).status).toBe(401);
    expect((await call(named, await issuer.token({ iss: "https://login.test" }))).status).toBe(200);
  });
});

/** The fault of an unusable issuer, and the report for operators. */
const faults: [what: string, told: RegExp, spoil: (issuer: ScriptedIssuer) => unknown][] = [
  [
    "responds with an error",
    /openid-configuration responded with status 500/,
    ({ replies }) => replies.set(paths.oidc, (response) => json(response, {}, 500)),
  ],
  [
    "has no metadata",
    /oauth-authorization-server responded with status 404/,
    ({ replies }) => replies.set(paths.oidc, (response) => json(response, {}, 404)),
  ],
  [
    "names another issuer in its metadata",
    /metadata of the issuer "https:\/\/other.test"/,
    ({ replies, url }) =>
      replies.set(paths.oidc, (response) => json(response, { issuer: "https://other.test", jwks_uri: `${url}/keys` })),
  ],
  [
    "redirects",
    /openid-configuration responded with a redirect/,
    ({ replies, url }) =>
      replies.set(paths.oidc, (response) => response.writeHead(302, { location: `${url}/elsewhere` }).end()),
  ],
  [
    "redirects to its keys",
    /keys responded with a redirect/,
    ({ replies, url }) =>
      replies.set(paths.keys, (response) => response.writeHead(307, { location: `${url}/elsewhere` }).end()),
  ],
  [
    "names keys without encryption",
    /must be a public HTTPS URL, got http:\/\/login.test/,
    ({ replies, url }) =>
      replies.set(paths.oidc, (response) => json(response, { issuer: url, jwks_uri: "http://login.test/keys" })),
  ],
  [
    "names a file as its keys",
    /must be a public HTTPS URL, got file:/,
    ({ replies, url }) =>
      replies.set(paths.oidc, (response) => json(response, { issuer: url, jwks_uri: "file:///etc/passwd" })),
  ],
  [
    "names no keys",
    /jwks_uri in .* must be a public HTTPS URL/,
    ({ replies, url }) => replies.set(paths.oidc, (response) => json(response, { issuer: url })),
  ],
  [
    "has an HTML page instead of keys",
    /keys responded with something other than JSON/,
    ({ replies }) => replies.set(paths.keys, (response) => response.end("<html>")),
  ],
  [
    "has no set of keys",
    /keys responded with something other than a JSON Web Key Set/,
    ({ replies }) => replies.set(paths.keys, (response) => json(response, [])),
  ],
  [
    "has an invalid set of keys",
    /keys responded with an invalid JSON Web Key Set/,
    ({ replies }) => replies.set(paths.keys, (response) => json(response, { keys: [1] })),
  ],
  [
    "has keys of 10 MB",
    /keys responded with more than 524288 bytes/,
    ({ replies }) =>
      replies.set(paths.keys, (response) => json(response, { keys: [{ kty: "RSA", n: "A".repeat(1e7) }] })),
  ],
  ["does not respond", /no response within 200 ms/, ({ replies }) => replies.set(paths.oidc, () => undefined)],
  [
    "sends its keys slowly",
    /no response within 200 ms/,
    ({ replies }) => replies.set(paths.keys, (response) => response.writeHead(200).write('{"keys":[')),
  ],
  [
    "breaks the connection",
    /keys cannot be read/,
    ({ replies }) =>
      replies.set(paths.keys, (response) => {
        response.writeHead(200, { "content-length": "99" });
        response.write("{");
        setImmediate(() => response.destroy());
      }),
  ],
];

describe("an unusable issuer", () => {
  it.each(faults)("no caller is admitted if an issuer %s, and the fault is reported once", async (_, told, spoil) => {
    // Little time only for issuers that take all of it: a busy machine is slow, too.
    const { issuer, agent } = await start({ timeoutMs: told.source.includes("200 ms") ? 200 : 60_000 });
    spoil(issuer);
    const token = await issuer.token();
    for (let count = 0; count < 3; count++) {
      expect(await call(agent, token)).toEqual({ status: 503, challenge: null, retryAfter: "5" });
    }
    expect(agent.reached).toEqual([]);
    expect(agent.errors.map(String)).toEqual([expect.stringMatching(told)]);
    expect(String(agent.errors[0])).toMatch(
      /^IssuerError: Tokens are refused because their issuer is unavailable: [^\n]+$/,
    );
    expect(issuer.requests).not.toContain("/elsewhere");
  });

  it("an issuer that failed is asked again later, and the agent admits callers again", async () => {
    const { issuer, agent } = await start();
    const token = await issuer.token();
    issuer.replies.set(paths.keys, (response) => json(response, {}, 502));
    expect((await call(agent, token)).status).toBe(503);
    issuer.replies.clear();
    expect((await call(agent, token)).status).toBe(503);
    passed(5_000);
    expect((await call(agent, token)).status).toBe(200);
  });

  it("no caller is admitted if an issuer is down", async () => {
    const agent = await protectedAgent(jwt({ issuer: await nowhere(), audience }));
    expect(await call(agent, "a.b.c")).toMatchObject({ status: 401 });
    expect(await call(agent, forge({ alg: "ES256" }, {}, "x"))).toMatchObject({ status: 503 });
    expect(String(agent.errors[0])).toContain("ECONNREFUSED");
  });
});

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
