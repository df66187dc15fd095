import { describe, expect, it } from "vitest";
import { connect, createAgent } from "../../../generated/1.1-draft/index.js";
import { withCredentials } from "../../../generated/1.1-draft/kit/client/index.js";
import type { AgentCard, SecurityScheme } from "../../../generated/1.1-draft/models.js";
import { nodeListener } from "../../../generated/1.1-draft/server/node.js";
import { grpcTransport } from "../../../generated/1.1-draft/client/grpc.js";
import { A2AClient } from "../../../generated/1.1-draft/index.js";
import { jwt } from "../../../library/auth/jwt.js";
import { oauth, type OAuthOptions } from "../../../library/auth/oauth.js";
import { authenticateBy } from "../../../library/kit/calls/authentication.js";
import { challengeFor } from "../../../library/kit/calls/challenge.js";
import { protectedResource } from "../../../library/kit/calls/protected-resource.js";
import { skillAccess } from "../../../library/kit/calls/skill-access.js";
import { bearerChallengeIn } from "../../../library/client/challenges.js";
import { resourceListener } from "../../../library/kit/node.js";
import { createServer } from "node:http";
import { json, listen, serve } from "../../support/http.js";
import { card as plain } from "../../support/kit.js";
import { cardAt, oauthScheme, protectedAgent } from "./agent.js";
import { audience, startIssuer } from "./issuer.js";
import { clientSecret, startProvider } from "./provider.js";
import { aMessage } from "../../support/messages.js";

const service = { clientId: "service", clientSecret };
const say = aMessage("hi");

/**
 * An agent with a skill that requires more scopes than the agent itself. The text of a message
 * names the skill.
 */
async function skilledAgent(issuer: string) {
  const server = createServer();
  const url = await listen((request, response) => server.emit("request", request, response));
  const skill = (id: string, list?: string[]) => ({
    id,
    name: id,
    description: id,
    tags: ["t"],
    ...(list && { securityRequirements: [{ schemes: { login: { list } } }] }),
  });
  const card: AgentCard = {
    ...plain,
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.1" }],
    capabilities: { streaming: true },
    securitySchemes: { login: oauthScheme },
    securityRequirements: [{ schemes: { login: { list: ["ask"] } } }],
    skills: [skill("greet"), skill("read", ["read"])],
  };
  const login = jwt({ issuer, audience });
  const checkSkill = skillAccess(card, { login });
  const reached: unknown[] = [];
  const reply = { ...say, role: "ROLE_AGENT" as const };
  const agent = createAgent({
    card,
    ...authenticateBy(card, { login }),
    async authorize({ request, context }) {
      const { message } = request as { message?: { parts: { text?: string }[] } };
      await checkSkill(message?.parts[0]?.text ?? "greet", context);
    },
    service: {
      async sendMessage({ message }) {
        reached.push(message.parts[0]?.text);
        return { message: reply };
      },
      async *sendStreamingMessage({ message }) {
        reached.push(message.parts[0]?.text);
        yield { message: reply };
      },
    },
  });
  server.on("request", nodeListener(agent));
  return { url, reached };
}

async function clientOf(url: string, options: OAuthOptions) {
  return connect(url, { interceptors: [withCredentials({ login: oauth(options) })] });
}

const ask = (text: string) => ({ message: { ...say, parts: [{ text }] } });

describe("a skill with security requirements of its own", () => {
  it("the client obtains the scopes of a skill once, after the agent has refused a call", async () => {
    const issuer = await startProvider();
    const { url, reached } = await skilledAgent(issuer.url);
    const client = await clientOf(url, { issuer: issuer.url, clientCredentials: service });
    await client.sendMessage(ask("greet"));
    await client.sendMessage(ask("read"));
    for await (const event of client.sendStreamingMessage(ask("read")))
      expect(event.message).toBeDefined();
    expect(reached).toEqual(["greet", "read", "read"]);
    expect(issuer.requests.filter((path) => path === "POST /token")).toHaveLength(2);
  });

  it("the client obtains the scopes for a stream, and repeats no message that has arrived", async () => {
    const issuer = await startProvider();
    const { url, reached } = await skilledAgent(issuer.url);
    const client = await clientOf(url, { issuer: issuer.url, clientCredentials: service });
    for await (const event of client.sendStreamingMessage(ask("read")))
      expect(event.message).toBeDefined();
    expect(reached).toEqual(["read"]);
  });

  it("the client requests no scopes that the program does not allow", async () => {
    const issuer = await startProvider();
    const { url, reached } = await skilledAgent(issuer.url);
    const allowed = { issuer: issuer.url, clientCredentials: service, allowedScopes: ["ask"] };
    const client = await clientOf(url, allowed);
    await expect(client.sendMessage(ask("read"))).rejects.toThrow(
      "the scope read, which is not in `allowedScopes`",
    );
    expect(reached).toEqual([]);
  });

  it("the client requests no scopes that the card does not declare, unless the program allows them", async () => {
    const issuer = await startProvider();
    const challenger = await serve((_request, response) => {
      response.setHeader("www-authenticate", 'Bearer error="insufficient_scope", scope="admin"');
      json(response, {}, 403);
    });
    const card = cardAt(challenger.url);
    const clientWith = (allowedScopes?: readonly string[]) => {
      const login = oauth({
        issuer: issuer.url,
        clientCredentials: service,
        ...(allowedScopes && { allowedScopes }),
      });
      return connect(card, { interceptors: [withCredentials({ login }, { card })] });
    };
    await expect((await clientWith()).getTask({ id: "t" })).rejects.toThrow(
      "the scope admin, which its card does not declare: add it to `allowedScopes`",
    );
    expect(challenger.requests).toHaveLength(1);
    await expect((await clientWith(["ask", "admin"])).getTask({ id: "t" })).rejects.toMatchObject({
      name: "PermissionDeniedError",
    });
    expect(challenger.requests).toHaveLength(3);
  });

  it("an unknown skill is refused, and a caller without the credentials of a skill gets the challenge of the skill", async () => {
    const card: AgentCard = {
      ...plain,
      securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "x-key" } } },
      skills: [
        {
          id: "a",
          name: "a",
          description: "a",
          tags: [],
          securityRequirements: [{ schemes: { key: {} } }],
        },
        { id: "b", name: "b", description: "b", tags: [] },
      ],
    };
    const check = skillAccess(card, { key: (key) => (key === "good" ? "ada" : undefined) });
    const caller = (key?: string) =>
      ({ headers: new Map(key === undefined ? [] : [["x-key", key]]) }) as never;
    expect(await check("a", caller("good"))).toBe("ada");
    expect(await check("b", caller())).toBeUndefined();
    await expect(check("a", caller("bad"))).rejects.toMatchObject({
      challenge: 'ApiKey header="x-key"',
    });
    await expect(check("toString", caller("good"))).rejects.toMatchObject({
      name: "PermissionDeniedError",
    });
    expect(() => skillAccess(card, {})).toThrow('The card requires the security scheme "key"');
  });
});

describe("a refused call", () => {
  it.each([
    ["the same scopes", 'Bearer error="insufficient_scope", scope="ask"'],
    ["no scopes", 'Bearer error="insufficient_scope"'],
    ["another error", 'Bearer error="invalid_request", scope="more"'],
    ["another scheme", 'Basic error="insufficient_scope", scope="more"'],
  ])("the client does not repeat a call that was refused with 403 and %s", async (_, challenge) => {
    const asked: (readonly string[])[] = [];
    const agent = await serve((_request, response) => {
      response.setHeader("www-authenticate", challenge);
      json(response, {}, 403);
    });
    const card = cardAt(agent.url);
    const find = ({ scopes }: { scopes: readonly string[] }) => `token-${asked.push(scopes)}`;
    const client = await connect(card, {
      interceptors: [withCredentials({ login: find }, { card })],
    });
    await expect(client.getTask({ id: "t" })).rejects.toMatchObject({
      name: "PermissionDeniedError",
    });
    expect([agent.requests.length, asked]).toEqual([1, [["ask"]]]);
  });

  it("the client repeats a call at most twice: for a refused token, and for missing scopes", async () => {
    let count = 0;
    const agent = await serve((_request, response) => {
      const scope = `s${++count}`;
      response.setHeader("www-authenticate", `Bearer error="insufficient_scope", scope="${scope}"`);
      json(response, {}, count === 1 ? 401 : 403);
    });
    const card = cardAt(agent.url);
    let tokens = 0;
    const interceptors = [withCredentials({ login: () => `token-${++tokens}` }, { card })];
    const client = await connect(card, { interceptors });
    await expect(client.getTask({ id: "t" })).rejects.toMatchObject({
      name: "PermissionDeniedError",
    });
    expect(count).toBe(3);
  });

  it("the client does not repeat a stream that was refused after its first event", async () => {
    let count = 0;
    const agent = await serve((_request, response) => {
      count += 1;
      const event = (value: object) =>
        `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, ...value })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const status = { state: "TASK_STATE_WORKING" };
      response.write(event({ result: { task: { id: "t", contextId: "c", status } } }));
      const details = [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "UNAUTHENTICATED",
          domain: "a2a-protocol.org",
        },
      ];
      response.end(event({ error: { code: -32_000, message: "expired", data: details } }));
    });
    const card = cardAt(agent.url);
    let tokens = 0;
    const interceptors = [withCredentials({ login: () => `token-${++tokens}` }, { card })];
    const client = await connect(card, { interceptors });
    const events: unknown[] = [];
    await expect(
      (async () => {
        for await (const event of client.sendStreamingMessage({ message: say })) events.push(event);
      })(),
    ).rejects.toThrow("expired");
    expect([events.length, count]).toEqual([1, 1]);
  });
});

describe("an agent whose challenge names its metadata", () => {
  const bearer: SecurityScheme = { httpAuthSecurityScheme: { scheme: "Bearer" } };

  /** An agent whose card names no issuer: only its resource metadata does. */
  async function resourceAgent(issuers: readonly string[], metadata?: (url: string) => object) {
    const http = createServer();
    const base = await listen((request, response) => http.emit("request", request, response));
    const url = base.endsWith("/") ? base : `${base}/`;
    const resource = protectedResource({ resource: url, issuers });
    const card = cardAt(url, { securitySchemes: { login: bearer } });
    const challenge = challengeFor(card, { resourceMetadata: resource.url }) ?? "";
    const seen: string[] = [];
    const agent = createAgent({
      card,
      challenge,
      authenticate({ headers }) {
        const token = headers.get("authorization")?.replace("Bearer ", "");
        if (token === undefined) return undefined;
        seen.push(token);
        return "ada";
      },
      service: {
        getTask: async ({ id }) => ({ id, status: { state: "TASK_STATE_WORKING" as const } }),
      },
    });
    const listener = resourceListener(resource);
    const serveAgent = nodeListener(agent);
    http.on("request", (request, response) => {
      if (metadata !== undefined && request.url?.startsWith("/.well-known/oauth"))
        json(response, metadata(url));
      else listener(request, response, () => serveAgent(request, response));
    });
    return { url, seen, challenge };
  }

  it("the client finds its issuer among the trusted issuers, and obtains tokens for this agent", async () => {
    const issuer = await tokenIssuer();
    const { url, seen, challenge } = await resourceAgent(["https://other.test", issuer.url]);
    expect(challenge).toBe(`Bearer resource_metadata="${url}.well-known/oauth-protected-resource"`);
    const login = {
      trustedOrigins: [issuer.url],
      clientCredentials: { clientId: "app", clientSecret: "secret" },
    };
    const client = await clientOf(url, login);
    expect((await client.getTask({ id: "t" })).id).toBe("t");
    expect((await client.getTask({ id: "t" })).id).toBe("t");
    expect(seen).toEqual(["token-1", "token-1"]);
    const sent = issuer.requests.filter(({ url: path }) => path === "/token");
    expect(sent.map(({ body }) => new URLSearchParams(body).get("resource"))).toEqual([url]);
  });

  it.each<[what: string, metadata: (url: string, issuer: string) => object, problem: RegExp]>([
    [
      "names no trusted issuer",
      (resource) => ({ resource, authorization_servers: ["https://evil.test"] }),
      /no origin in/,
    ],
    ["names no issuer", (resource) => ({ resource }), /no issuer/],
    [
      "names a script",
      (resource) => ({ resource, authorization_servers: ["javascript:alert(1)"] }),
      /no origin in/,
    ],
    [
      "is of another resource",
      (_, issuer) => ({ resource: "https://bank.test", authorization_servers: [issuer] }),
      /not the metadata of the agent/,
    ],
    ["is no object", () => [], /not the metadata of the agent/],
  ])(
    "the client obtains no token if the metadata of the agent %s",
    async (_, metadata, problem) => {
      const issuer = await tokenIssuer();
      const { url, seen } = await resourceAgent([], (own) => metadata(own, issuer.url));
      const login = {
        trustedOrigins: [issuer.url],
        clientCredentials: { clientId: "app", clientSecret: "secret" },
      };
      await expect((await clientOf(url, login)).getTask({ id: "t" })).rejects.toThrow(problem);
      expect([seen, issuer.requests]).toEqual([[], []]);
    },
  );

  it("the client ignores metadata at another origin", () => {
    const header =
      'Bearer resource_metadata="https://evil.test/.well-known/oauth-protected-resource"';
    expect(bearerChallengeIn(header, "https://agent.test/v1")?.resourceMetadata).toBeUndefined();
    expect(bearerChallengeIn(header, "https://evil.test/v1")?.resourceMetadata).toMatch(
      "https://evil.test/",
    );
    expect(bearerChallengeIn(header, "dns:///evil.test")?.resourceMetadata).toMatch(
      "https://evil.test/",
    );
  });

  async function tokenIssuer() {
    let count = 0;
    const issuer = await serve(({ url: path }, response) => {
      const { url } = issuer;
      if (path === "/.well-known/openid-configuration")
        json(response, { issuer: url, token_endpoint: `${url}/token` });
      else
        json(response, { access_token: `token-${++count}`, token_type: "Bearer", expires_in: 600 });
    });
    return issuer;
  }
});

describe("the challenges of a header", () => {
  it.each<[string, object | undefined]>([
    ["Bearer", { error: undefined, scopes: [] }],
    [
      "bearer realm=x, error=insufficient_scope,scope=a",
      { error: "insufficient_scope", scopes: ["a"] },
    ],
    [
      'Basic realm="Bearer error=x", Bearer error="e\\"x", scope="a  b a"',
      { error: 'e"x', scopes: ["a", "b"] },
    ],
    ["Negotiate YWJj==, Bearer scope=a", { scopes: ["a"] }],
    ["Bearer scope=a, DPoP scope=b", { scopes: ["a"] }],
    ["Bearer scope=a, scope=b", { scopes: ["a"] }],
    ["Basic", undefined],
    ["", undefined],
    [",,,,  ,", undefined],
    ['Bearer scope="unterminated', { scopes: [] }],
    [
      `Bearer scope="${Array.from({ length: 500 }, (_, at) => `s${at}`).join(" ")}"`,
      { scopes: { length: 50 } },
    ],
    [`Bearer scope="${"a".repeat(9_000)}"`, undefined],
  ])("the client reads the header %s", (header, expected) => {
    const found = bearerChallengeIn(header, "https://agent.test");
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  it("the client reads a hostile header in little time", () => {
    const before = performance.now();
    for (const text of ['Bearer a="', "Bearer ", '"\\', "a=b,", 'Bearer a="\\\\', "== , "])
      bearerChallengeIn(`Bearer ${text.repeat(8_000 / text.length)}`, "https://agent.test");
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it("the client reads the challenge of gRPC metadata", async () => {
    const issuer = await startIssuer();
    const agent = await protectedAgent(jwt({ issuer: issuer.url, audience }));
    const { card } = agent;
    const scopes: (readonly string[])[] = [];
    const login = async (wanted: { scopes: readonly string[] }) => {
      scopes.push(wanted.scopes);
      return issuer.token({ scope: wanted.scopes.length > 1 ? "ask extra" : "" });
    };
    const strict = await protectedAgent(jwt({ issuer: issuer.url, audience, scopes: ["extra"] }));
    const interceptors = [withCredentials({ login }, { card })];
    const client = new A2AClient({ transport: grpcTransport(strict.grpcUrl), interceptors });
    expect((await client.getTask({ id: "t" })).id).toBe("t");
    expect(scopes).toEqual([["ask"], ["ask", "extra"]]);
    client.close();
  });
});
