import { isForeignPrivate } from "../../../library/auth/issuer-fetch.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jwt } from "../../../library/auth/jwt.js";
import { json, nowhere } from "../../support/http.js";
import { call, protectedAgent } from "./agent.js";
import { audience, forge, keyNamed, paths, type ScriptedIssuer, startIssuer } from "./issuer.js";
import { passed, startWithIssuer } from "./token-agent.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("the keys of an issuer", () => {
  it("the keys are fetched once for concurrent calls and cached", async () => {
    const { issuer, agent } = await startWithIssuer();
    const token = await issuer.token();
    const all = await Promise.all(Array.from({ length: 20 }, () => call(agent, token)));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(issuer.requests).toEqual([paths.oidc, paths.keys]);
  });

  it("the keys are fetched again for the first token of a new key, after the cool-down", async () => {
    const { issuer, agent } = await startWithIssuer();
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
    const { issuer, agent } = await startWithIssuer();
    for (const kid of ["a", "b", "c", "d"])
      expect((await call(agent, await issuer.token({}, { kid }))).status).toBe(401);
    expect(issuer.requests).toEqual([paths.oidc, paths.keys]);
  });

  it("removed keys are not trusted after their maximum age", async () => {
    const { issuer, agent } = await startWithIssuer({
      maxAgeMs: 60_000,
      clockToleranceMs: 300_000,
    });
    const token = await issuer.token();
    expect((await call(agent, token)).status).toBe(200);
    issuer.keys = [];
    expect((await call(agent, token)).status).toBe(200);
    passed(60_000);
    expect((await call(agent, token)).status).toBe(401);
  });

  it("a key may have no name", async () => {
    const { issuer, agent } = await startWithIssuer();
    const other = await keyNamed("other");
    issuer.keys = [other.publicKey, ...issuer.keys].map(({ kid: _, ...rest }) => rest);
    expect((await call(agent, await issuer.token({}, { kid: undefined }))).status).toBe(200);
  });

  it("the keys are found by the metadata of OAuth 2 if the issuer has no metadata of OpenID Connect", async () => {
    const { issuer, agent } = await startWithIssuer();
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
    const named = await protectedAgent(
      jwt({ jwks: { keys }, issuer: "https://login.test", audience }),
    );
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
      replies.set(paths.oidc, (response) =>
        json(response, { issuer: "https://other.test", jwks_uri: `${url}/keys` }),
      ),
  ],
  [
    "redirects",
    /openid-configuration responded with a redirect/,
    ({ replies, url }) =>
      replies.set(paths.oidc, (response) =>
        response.writeHead(302, { location: `${url}/elsewhere` }).end(),
      ),
  ],
  [
    "redirects to its keys",
    /keys responded with a redirect/,
    ({ replies, url }) =>
      replies.set(paths.keys, (response) =>
        response.writeHead(307, { location: `${url}/elsewhere` }).end(),
      ),
  ],
  [
    "names keys without encryption",
    /must be a public HTTPS URL, got http:\/\/login.test/,
    ({ replies, url }) =>
      replies.set(paths.oidc, (response) =>
        json(response, { issuer: url, jwks_uri: "http://login.test/keys" }),
      ),
  ],
  [
    "names a file as its keys",
    /must be a public HTTPS URL, got file:/,
    ({ replies, url }) =>
      replies.set(paths.oidc, (response) =>
        json(response, { issuer: url, jwks_uri: "file:///etc/passwd" }),
      ),
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
      replies.set(paths.keys, (response) =>
        json(response, { keys: [{ kty: "RSA", n: "A".repeat(1e7) }] }),
      ),
  ],
  [
    "does not respond",
    /no response within 200 ms/,
    ({ replies }) => replies.set(paths.oidc, () => undefined),
  ],
  [
    "sends its keys slowly",
    /no response within 200 ms/,
    ({ replies }) =>
      replies.set(paths.keys, (response) => response.writeHead(200).write('{"keys":[')),
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
  it.each(faults)(
    "no caller is admitted if an issuer %s, and the fault is reported once",
    async (_, told, spoil) => {
      // Little time only for issuers that take all of it: a busy machine is slow, too.
      const { issuer, agent } = await startWithIssuer({
        timeoutMs: told.source.includes("200 ms") ? 200 : 60_000,
      });
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
    },
  );

  it("an issuer that failed is asked again later, and the agent admits callers again", async () => {
    const { issuer, agent } = await startWithIssuer();
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

it.each([
  "https://0.0.0.0/keys",
  "https://[::ffff:127.0.0.1]/keys",
  "https://localhost./keys",
  "https://x.localhost/keys",
  "https://10.0.0.1/keys",
  "https://169.254.1.1/keys",
])("a public issuer must not name an address in a private network: %s", (url) => {
  expect(isForeignPrivate(url, "https://login.example.com")).toBe(true);
  expect(isForeignPrivate(url, url)).toBe(false);
});

it.each([
  ["https://keys.example.com/", "https://login.example.com"],
  ["https://10.0.0.2/keys", "https://10.0.0.1"],
  ["http://127.0.0.1:1/keys", "http://localhost:2"],
])("an issuer may name an address in its own network: %s", (url, issuer) => {
  expect(isForeignPrivate(url, issuer)).toBe(false);
});
