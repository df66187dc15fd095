import { afterEach, describe, expect, it, vi } from "vitest";
import type { SecurityScheme } from "../../../generated/1.1-draft/models.js";
import {
  IssuerError,
  memoryTokenStore,
  oauth,
  type OAuthOptions,
} from "../../../library/auth/oauth.js";
import { json, serve } from "../../support/http.js";
import { oauthScheme } from "./agent.js";

afterEach(() => {
  vi.useRealTimers();
});

type Reply = Parameters<typeof serve>[0];

/** An issuer that responds as a test says, or else with a token of a number, in order. */
async function startIssuer(replies: Readonly<Record<string, Reply>> = {}) {
  let count = 0;
  const issuer = await serve((received, response) => {
    const path = received.url ?? "";
    const reply = replies[path];
    const { url } = issuer;
    if (reply !== undefined) reply(received, response);
    else if (path === "/.well-known/openid-configuration")
      json(response, {
        issuer: url,
        token_endpoint: `${url}/token`,
        authorization_endpoint: `${url}/authorize`,
        device_authorization_endpoint: `${url}/device`,
      });
    else if (path === "/token")
      json(response, { access_token: `token-${++count}`, token_type: "Bearer", expires_in: 600 });
    else json(response, {}, 404);
  });
  return { ...issuer, replies };
}

/** Little time only for issuers that take all of it: a busy machine is slow, too. */
const patienceFor = (line: RegExp): number => (line.source.includes("200 ms") ? 200 : 60_000);

const wanted = (scheme: SecurityScheme = oauthScheme, refused?: string) => ({
  scheme,
  scopes: ["ask"],
  refused,
});
const clientCredentials = { clientId: "app", clientSecret: "secret" };

const flowsOf = (tokenUrl: string): SecurityScheme => ({
  oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: {} } } },
});

describe("a client whose issuer comes from the card", () => {
  it.each<[what: string, schemeOf: (url: string) => SecurityScheme]>([
    ["a flow", (url) => flowsOf(`${url}/token`)],
    [
      "metadata",
      (url) => ({
        oauth2SecurityScheme: {
          flows: { clientCredentials: { tokenUrl: "https://evil.test", scopes: {} } },
          oauth2MetadataUrl: `${url}/.well-known/openid-configuration`,
        },
      }),
    ],
    [
      "OpenID Connect",
      (url) => ({
        openIdConnectSecurityScheme: {
          openIdConnectUrl: `${url}/.well-known/openid-configuration`,
        },
      }),
    ],
  ])(
    "the client obtains a token at an allowed origin that the card names by %s",
    async (_, schemeOf) => {
      const { url, requests } = await startIssuer();
      const find = oauth({ trustedOrigins: [url], clientCredentials });
      expect(await find(wanted(schemeOf(url)))).toBe("token-1");
      const [sent] = requests.filter(({ url: path }) => path === "/token");
      expect(sent?.headers.authorization).toBe(
        `Basic ${Buffer.from("app:secret").toString("base64")}`,
      );
      expect(new URLSearchParams(sent?.body).get("scope")).toBe("ask");
    },
  );

  it("the client sends nothing to an origin that is not allowed", async () => {
    const { url, requests } = await startIssuer();
    const find = oauth({ trustedOrigins: ["https://login.test"], clientCredentials });
    const metadata = `${url}/.well-known/openid-configuration`;
    const schemes: SecurityScheme[] = [
      flowsOf(`${url}/token`),
      flowsOf("https://login.test.evil.test/token"),
      flowsOf("https://login.test@evil.test/token"),
      flowsOf("javascript:alert(1)"),
      { openIdConnectSecurityScheme: { openIdConnectUrl: metadata } },
      {
        oauth2SecurityScheme: {
          flows: { clientCredentials: { tokenUrl: "", scopes: {} } },
          oauth2MetadataUrl: metadata,
        },
      },
    ];
    for (const scheme of schemes)
      await expect(find(wanted(scheme))).rejects.toThrow(/The card names/);
    expect(requests).toEqual([]);
  });

  it("the client opens no page of an origin that is not allowed and differs from the token endpoint", async () => {
    const { url, requests } = await startIssuer();
    const opened: URL[] = [];
    const redirectToAuthorization = (to: URL) => {
      opened.push(to);
      return "";
    };
    const authorizationCode = {
      clientId: "app",
      redirectUrl: "http://127.0.0.1:9/",
      redirectToAuthorization,
    };
    const find = oauth({ trustedOrigins: [url], authorizationCode });
    for (const authorizationUrl of [
      "https://evil.test/login",
      "javascript:alert(1)",
      "file:///bin/sh",
      "calc:",
    ]) {
      const flows = {
        authorizationCode: { authorizationUrl, tokenUrl: `${url}/token`, scopes: {} },
      };
      await expect(find(wanted({ oauth2SecurityScheme: { flows } }))).rejects.toThrow(
        "The card names",
      );
    }
    expect([opened, requests]).toEqual([[], []]);
  });

  it("the client refuses a card that mixes two trusted issuers, because one of them would receive codes of the other", async () => {
    const [one, other] = [await startIssuer(), await startIssuer()];
    const redirectToAuthorization = (): string => expect.unreachable();
    const authorizationCode = {
      clientId: "app",
      redirectUrl: "http://127.0.0.1:9/",
      redirectToAuthorization,
    };
    const find = oauth({ trustedOrigins: [one.url, other.url], authorizationCode });
    const code = {
      authorizationUrl: `${one.url}/login`,
      tokenUrl: `${other.url}/token`,
      scopes: {},
    };
    const scheme = { oauth2SecurityScheme: { flows: { authorizationCode: code } } };
    await expect(find(wanted(scheme))).rejects.toThrow("set the option `issuer`");
    expect([one.requests, other.requests]).toEqual([[], []]);
  });

  it("the client does not follow metadata that names another issuer", async () => {
    const metadata: Reply = (_, response) =>
      json(response, { issuer: "https://login.test", token_endpoint: "https://evil.test" });
    const { url } = await startIssuer({ "/.well-known/openid-configuration": metadata });
    const scheme = {
      openIdConnectSecurityScheme: { openIdConnectUrl: `${url}/.well-known/openid-configuration` },
    };
    await expect(
      oauth({ trustedOrigins: [url], clientCredentials })(wanted(scheme)),
    ).rejects.toThrow("is not the metadata of an issuer");
    await expect(oauth({ issuer: url, clientCredentials })(wanted())).rejects.toThrow(
      "The response of the issuer is invalid",
    );
  });
});

/** The fault of an unusable issuer, the line for operators, and the affected paths. */
const faults: [what: string, line: RegExp, replies: Readonly<Record<string, Reply>>][] = [
  [
    "redirects a request for a token",
    /token responded with a redirect, which is not followed/,
    {
      "/token": (_, response) => response.writeHead(307, { location: "/elsewhere" }).end(),
    },
  ],
  [
    "redirects a request for metadata",
    /openid-configuration responded with a redirect/,
    {
      "/.well-known/openid-configuration": (_, response) =>
        response.writeHead(301, { location: "/elsewhere" }).end(),
    },
  ],
  [
    "does not respond",
    /token cannot be read: no response within 200 ms/,
    { "/token": () => undefined },
  ],
  [
    "responds with 10 MB",
    /token responded with more than 524288 bytes/,
    {
      "/token": (_, response) =>
        json(response, { access_token: "x".repeat(1e7), token_type: "Bearer" }),
    },
  ],
  [
    "responds with an HTML page",
    /The response of the issuer is invalid/,
    { "/token": (_, response) => response.end("<html>") },
  ],
  [
    "responds without a token",
    /The response of the issuer is invalid/,
    { "/token": (_, response) => json(response, {}) },
  ],
  [
    "responds with a token for DPoP",
    /token of the unsupported type dpop/i,
    {
      "/token": (_, response) => json(response, { access_token: "x", token_type: "DPoP" }),
    },
  ],
  [
    "responds with a token that adds a header",
    /characters that are not allowed in a header/,
    {
      "/token": (_, response) =>
        json(response, { access_token: "x\r\ncookie: a", token_type: "Bearer" }),
    },
  ],
  [
    "refuses in several lines",
    /The issuer refused to issue a token: invalid_grant: a b$/,
    {
      "/token": (_, response) =>
        json(response, { error: "invalid_grant", error_description: "a\nb" }, 400),
    },
  ],
  [
    "fails",
    /The response of the issuer is invalid/,
    { "/token": (_, response) => json(response, {}, 503) },
  ],
];

describe("an issuer of tokens", () => {
  it.each(faults)(
    "an issuer that %s causes one error, which explains the fault in one line",
    async (_, line, replies) => {
      const { url, requests } = await startIssuer(replies);
      const error: unknown = await (async () =>
        oauth({ issuer: url, timeoutMs: patienceFor(line), clientCredentials })(wanted()))().catch(
        (thrown: unknown) => thrown,
      );
      expect((error as Error).message).toMatch(line);
      expect((error as Error).message).not.toMatch(/[\n\r]/);
      expect(requests.some(({ url: path }) => path === "/elsewhere")).toBe(false);
    },
  );

  it("an issuer that is briefly down does not stop calls with a valid token", async () => {
    const replies: Record<string, Reply> = {};
    const { url } = await startIssuer(replies);
    const find = oauth({ issuer: url, clientCredentials, timeoutMs: 2_000 });
    expect(await find(wanted())).toBe("token-1");
    replies["/token"] = () => undefined;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 545_000 });
    expect(await find(wanted())).toBe("token-1");
    vi.setSystemTime(Date.now() + 60_000);
    await expect(find(wanted())).rejects.toBeInstanceOf(IssuerError);
    Reflect.deleteProperty(replies, "/token");
    expect(await find(wanted())).toBe("token-2");
  });

  it("an endpoint on this machine that the issuer names gets no credentials", async () => {
    const { url } = await startIssuer();
    const remote = { issuer: "https://login.test", token_endpoint: `${url}/token` };
    const fetch = async (): Promise<Response> => Response.json(remote);
    await expect(
      oauth({ issuer: "https://login.test", clientCredentials, fetch })(wanted()),
    ).rejects.toThrow();
  });

  it("the issuer gets one request for callers with the same refused token, and none for callers with an older token", async () => {
    const { url, requests } = await startIssuer();
    const find = oauth({ issuer: url, clientCredentials });
    const asked = () => requests.filter(({ url: path }) => path === "/token").length;
    expect(await find(wanted())).toBe("token-1");
    const again = Array.from({ length: 5 }, () => find(wanted(oauthScheme, "token-1")));
    expect(await Promise.all([find(wanted(oauthScheme, "token-1")), ...again])).toEqual(
      Array(6).fill("token-2"),
    );
    expect(await find(wanted(oauthScheme, "token-1"))).toBe("token-2");
    expect(asked()).toBe(2);
  });

  it("the issuer gets assertions, parameters and the resource, and a grant of the application", async () => {
    const { url, requests } = await startIssuer();
    const last = (): Record<string, string> =>
      Object.fromEntries(new URLSearchParams(requests.at(-1)?.body));
    const jwtBearer = { clientId: "app", assertion: (audience: string) => `about ${audience}` };
    const settings = { issuer: url, resource: "https://agent.test", parameters: { tenant: "t" } };
    await oauth({ ...settings, jwtBearer })(wanted());
    expect(last()).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: `about ${url}`,
      client_id: "app",
      resource: "https://agent.test",
      tenant: "t",
      scope: "ask",
    });
    const grant: NonNullable<OAuthOptions["grant"]> = {
      ...clientCredentials,
      run: ({ request }) =>
        request("urn:ietf:params:oauth:grant-type:token-exchange", { subject_token: "s" }),
    };
    expect(await oauth({ ...settings, grant })(wanted())).toBe("token-2");
    expect(last()).toMatchObject({ subject_token: "s", resource: "https://agent.test" });
  });

  it("tokens of different accounts, clients and scopes are kept separately", async () => {
    const { url } = await startIssuer();
    const store = memoryTokenStore();
    const find = (more: object, scopes = ["ask"]) =>
      oauth({ issuer: url, clientCredentials, store, ...more })({ ...wanted(), scopes });
    expect(await find({})).toBe("token-1");
    expect(await find({ account: "ada" })).toBe("token-2");
    expect(await find({ resource: "https://b.test" })).toBe("token-3");
    expect(await find({ clientCredentials: { clientId: "b", clientSecret: "c" } })).toBe("token-4");
    expect(await find({}, ["other"])).toBe("token-5");
    expect(await find({})).toBe("token-1");
  });
});

describe("the options of oauth", () => {
  it.each<[options: object, problem: string]>([
    [{ clientCredentials }, "`issuer` is missing"],
    [{ issuer: "http://login.test", clientCredentials }, "https://"],
    [{ trustedOrigins: ["http://login.test"], clientCredentials }, "https://"],
    [{ issuer: "https://login.test" }, "`oauth` requires exactly one grant"],
    [{ issuer: "https://login.test", clientCredentials, jwtBearer: { clientId: "a" } }, "got 2"],
    [
      { issuer: "https://login.test", clientCredentials: { clientId: "a", clientSecret: "" } },
      "clientSecret` is empty",
    ],
    [
      { issuer: "https://login.test", refreshToken: { clientId: "a", refreshToken: "" } },
      "refreshToken` is empty",
    ],
  ])("invalid options are refused at the start: %j", (options, problem) => {
    expect(() => oauth(options as OAuthOptions)).toThrow(problem);
  });
});
