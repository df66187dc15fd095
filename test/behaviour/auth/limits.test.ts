import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, createAgent } from "../../../generated/1.1-draft/index.js";
import { withCredentials } from "../../../generated/1.1-draft/kit/client/index.js";
import type { AgentCard, SecurityScheme } from "../../../generated/1.1-draft/models.js";
import { fetchHandler } from "../../../generated/1.1-draft/server/http.js";
import { jwt } from "../../../library/auth/jwt.js";
import { oauth } from "../../../library/auth/oauth.js";
import { authenticateBy } from "../../../library/kit/calls/authentication.js";
import { json, serve } from "../../support/http.js";
import { processorTime } from "../../support/processor-time.js";
import { card as plain } from "../../support/kit.js";
import { call, oauthScheme, protectedAgent } from "./agent.js";
import { audience, startIssuer } from "./issuer.js";

/** A card with a thousand schemes of each kind, any of which admits a caller. */
function largeCard(url: string): AgentCard {
  const schemes: Record<string, SecurityScheme> = {};
  for (let at = 0; at < 1_000; at += 1) {
    schemes[`key${at}`] = { apiKeySecurityScheme: { location: "header", name: `x-key-${at}` } };
    schemes[`word${at}`] = { httpAuthSecurityScheme: { scheme: `Word${at}` } };
    schemes[`login${at}`] = oauthScheme;
  }
  const securityRequirements = Object.keys(schemes).map((name) => ({
    schemes: { [name]: { list: ["ask"] } },
  }));
  const supportedInterfaces = [{ url, protocolBinding: "HTTP+JSON", protocolVersion: "1.1" }];
  return { ...plain, supportedInterfaces, securitySchemes: schemes, securityRequirements };
}

const service = {
  getTask: async ({ id }: { id: string }) => ({
    id,
    status: { state: "TASK_STATE_WORKING" as const },
  }),
};

describe("a card with a thousand schemes of each kind", () => {
  const card = largeCard("http://agent.test");

  it("the agent refuses a caller with a challenge that fits into a header, and admits the last scheme", async () => {
    const checks = Object.fromEntries(
      Object.keys(card.securitySchemes ?? {}).map((name) => [name, () => undefined]),
    );
    const access = authenticateBy<string>(card, {
      ...checks,
      key999: (key) => (key === "good" ? "ada" : undefined),
    });
    const handler = fetchHandler(createAgent({ card, ...access, service }));
    const get = (headers: Record<string, string> = {}) =>
      handler(
        new Request("http://agent.test/tasks/t", { headers: { "a2a-version": "1.1", ...headers } }),
      );
    const refused = await get();
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")?.length).toBeLessThan(2_000);
    expect((await get({ "x-key-999": "good" })).status).toBe(200);
    const before = processorTime();
    for (let count = 0; count < 20; count += 1) await get({ authorization: "Bearer x" });
    expect((processorTime() - before) / 20).toBeLessThan(100);
  });

  it("the client asks only the functions of the program for credentials", async () => {
    const asked: string[] = [];
    const find = ({ scopes }: { scopes: readonly string[] }) => {
      asked.push(scopes.join());
      return "token";
    };
    const seen: (string | null)[] = [];
    const fetch = async (_: string, init: RequestInit): Promise<Response> => {
      seen.push(new Headers(init.headers).get("authorization"));
      return Response.json(await service.getTask({ id: "t" }));
    };
    const client = await connect(card, {
      fetch,
      interceptors: [withCredentials({ login999: find }, { card })],
    });
    await client.getTask({ id: "t" });
    expect([asked, seen]).toEqual([["ask"], ["Bearer token"]]);
  });
});

describe("a token of one megabyte", () => {
  it("the agent refuses the token before it is parsed, on every platform", async () => {
    const issuer = await startIssuer();
    const agent = await protectedAgent(jwt({ issuer: issuer.url, audience }));
    const [header = "", claims = "", signature = ""] = (await issuer.token()).split(".");
    const long = `${header}.${claims}${"A".repeat(2 ** 20)}.${signature}`;
    expect((await call(agent, long)).status).toBe(431);
    const { card } = agent;
    const check = jwt({ issuer: issuer.url, audience });
    const handler = fetchHandler(
      createAgent({ card, ...authenticateBy(card, { login: check }), service }),
    );
    const headers = { "a2a-version": "1.1", authorization: `Bearer ${long}` };
    const response = await handler(new Request("http://agent.test/tasks/t", { headers }));
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="The token is too long"',
    ]);
    expect([agent.reached, issuer.requests]).toEqual([[], []]);
  });

  it("the client refuses the token of its issuer", async () => {
    const issuer = await serve((_, response) =>
      json(response, { access_token: "A".repeat(100_000), token_type: "Bearer" }),
    );
    const fetch = async (url: string, init: RequestInit): Promise<Response> =>
      url.endsWith("openid-configuration")
        ? Response.json({ issuer: issuer.url, token_endpoint: `${issuer.url}/token` })
        : globalThis.fetch(url, init);
    const find = oauth({
      issuer: issuer.url,
      clientCredentials: { clientId: "a", clientSecret: "b" },
      fetch,
    });
    await expect(
      (async () => find({ scheme: oauthScheme, scopes: [], refused: undefined }))(),
    ).rejects.toThrow("a token of more than 16384 characters");
  });
});

describe("an issuer with absurd times", () => {
  it("the client does not flood an issuer that names an endless interval for a device code", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const requests: string[] = [];
    const issuer = "https://login.test";
    const fetch = async (url: string): Promise<Response> => {
      const path = new URL(url).pathname;
      requests.push(path);
      if (path === "/device")
        return Response.json({
          device_code: "d",
          user_code: "u",
          verification_uri: "https://login.test/",
          expires_in: 1e12,
          interval: 1e9,
        });
      if (path === "/token")
        return Response.json({ error: "authorization_pending" }, { status: 400 });
      const endpoints = {
        token_endpoint: `${issuer}/token`,
        device_authorization_endpoint: `${issuer}/device`,
      };
      return Response.json({ issuer, ...endpoints });
    };
    const shown: number[] = [];
    const showCode = ({ expiresInMs }: { expiresInMs: number }) => shown.push(expiresInMs);
    const find = oauth({ issuer, deviceCode: { clientId: "a", showCode }, fetch });
    const tokens = (async () => find({ scheme: oauthScheme, scopes: [], refused: undefined }))();
    const failed = expect(tokens).rejects.toThrow("expired before the user confirmed it");
    await vi.advanceTimersByTimeAsync(86_400_000);
    await failed;
    expect(shown).toEqual([86_400_000]);
    expect(requests.filter((path) => path === "/token").length).toBeLessThanOrEqual(144);
  });
});
