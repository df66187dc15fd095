import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { jwt } from "../../../../library/auth/jwt.js";
import { SignIns } from "../../../../tools/inspector/server/sign-in.js";
import { audience } from "../../../behaviour/auth/issuer.js";
import { startProvider } from "../../../behaviour/auth/provider.js";
import { json } from "../../../support/http.js";
import { describeInBrowser } from "../../browser/chromium.js";
import { agentWith } from "./command.js";
import { openDetails, openPage, startInspectorFor, untilOpen } from "./inspecting.js";

/** The registered path of the inspector; issuers ignore the port of loopback addresses. */
const client = {
  client_id: "inspector",
  token_endpoint_auth_method: "none",
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
  redirect_uris: ["http://127.0.0.1/callback"],
  response_types: ["code"],
} as const;

const issuerWithClient = () =>
  startProvider([
    {
      ...client,
      grant_types: [...client.grant_types],
      redirect_uris: [...client.redirect_uris],
      response_types: ["code"],
    },
  ]);

const schemeOf = (issuer: string) => ({
  openIdConnectSecurityScheme: { openIdConnectUrl: `${issuer}/.well-known/openid-configuration` },
});

/** Reads the steps of a sign-in, one at a time. */
async function begin(inspector: string, request: object) {
  const controller = new AbortController();
  const response = await fetch(`${inspector.replace(/#.*/, "")}sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    signal: controller.signal,
    body: JSON.stringify({
      clientId: "inspector",
      clientSecret: "",
      scopes: ["ask"],
      flow: "code",
      ...request,
    }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): Promise<Record<string, string>> =>
    JSON.parse((await reader?.read())?.value ?? "null") as never;
  return { next, leave: () => controller.abort() };
}

describe("a sign-in through the command of the inspector", () => {
  it("the command obtains a token, and its callback accepts the redirect once", async () => {
    const issuer = await issuerWithClient();
    const inspector = await startInspectorFor();
    const { next } = await begin(inspector, { issuer: issuer.url, scheme: schemeOf(issuer.url) });
    const { url = "" } = await next();
    const { origin } = new URL(inspector);
    expect(new URL(url).searchParams.get("redirect_uri")).toBe(`${origin}/callback`);
    const state = new URL(url).searchParams.get("state") ?? "";
    for (const query of [
      "",
      "?code=c",
      "?code=c&state=wrong",
      `?code=c&state=wrong&state=${state}`,
    ])
      expect((await fetch(`${origin}/callback${query}`)).status).toBe(400);
    const { port } = new URL(origin);
    const otherHost = await new Promise((resolve, reject) => {
      const headers = { host: `evil.test:${port}` };
      httpRequest(
        { host: "127.0.0.1", port, path: `/callback?code=c&state=x${state}`, headers },
        (response) => resolve(response.resume().statusCode),
      )
        .once("error", reject)
        .end();
    });
    expect(otherHost).toBe(400);
    const back = await issuer.browse(new URL(url));
    expect(await (await fetch(back)).text()).toContain("You can close this page");
    const { token = "" } = await next();
    const check = jwt({ issuer: issuer.url, audience });
    expect(await check(token, { scopes: ["ask"], caller: {} as never })).toMatchObject({
      id: "ada",
    });
    expect((await fetch(back)).status).toBe(400);
  });

  it("the command reports issuers that it does not trust, and forgets a sign-in when the page is closed", async () => {
    const issuer = await issuerWithClient();
    const inspector = await startInspectorFor();
    const other = await begin(inspector, {
      issuer: "https://login.test",
      scheme: schemeOf(issuer.url),
    });
    expect((await other.next())["error"]).toContain("is not in `trustedOrigins`");
    const plain = await begin(inspector, { issuer: "http://login.test", scheme: {} });
    expect((await plain.next())["error"]).toContain("https://");
    const { next, leave } = await begin(inspector, { issuer: issuer.url, scheme: {} });
    const { url = "" } = await next();
    leave();
    const back = await issuer.browse(new URL(url));
    await expect.poll(async () => (await fetch(back)).status).toBe(400);
  });
});

describe("the redirect of a sign-in", () => {
  const origin = "http://127.0.0.1:4000";

  /** Sends a redirect to the callback, and returns the status of the response. */
  const redirect = (signIns: SignIns, query: string): number => {
    let status = 0;
    const response = {
      writeHead: (code: number) => ((status = code), response),
      end: () => response,
    };
    const request = {
      method: "GET",
      url: `/callback${query}`,
      headers: { host: "127.0.0.1:4000" },
    };
    signIns.receive(request as never, response as never);
    return status;
  };

  const attempt = async (signIns: SignIns, query: string, signal: AbortSignal) => {
    const receiver = await signIns.receiver(() => undefined, signal)();
    return receiver.redirectToAuthorization(new URL(`https://issuer.test/authorize${query}`));
  };

  it("the inspector refuses a redirect without a state, which any page could send", async () => {
    const signIns = new SignIns(origin);
    const waiting = attempt(signIns, "", new AbortController().signal);
    const refused = expect(waiting).rejects.toThrow("has no state");
    expect(redirect(signIns, "?code=c")).toBe(400);
    expect(redirect(signIns, "?code=c&state=")).toBe(400);
    await refused;
  });

  it("the inspector reports that the page ended a sign-in, and forgets its state", async () => {
    const signIns = new SignIns(origin);
    const page = new AbortController();
    const waiting = attempt(signIns, "?state=s", page.signal);
    await Promise.resolve();
    page.abort();
    await expect(waiting).rejects.toThrow("The page ended the sign-in");
    expect(redirect(signIns, "?code=c&state=s")).toBe(400);
  });
});

describeInBrowser("the sign-in on the page of the inspector", (browser) => {
  it("the user signs in at a real issuer, and the page calls the agent with the token", async () => {
    const issuer = await issuerWithClient();
    const check = jwt({ issuer: issuer.url, audience });
    const url = await agentWith(
      (request, response) => {
        const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
        void (async () => check(token, { scopes: ["ask"], caller: {} as never }))().then(
          () =>
            json(response, {
              jsonrpc: "2.0",
              id: 1,
              result: { tasks: [], totalSize: 0, pageSize: 50, nextPageToken: "" },
            }),
          () => response.writeHead(401).end(),
        );
      },
      {
        securitySchemes: { login: schemeOf(issuer.url) },
        securityRequirements: [{ schemes: { login: { list: ["ask"] } } }],
      },
    );
    const { page, problems } = await openPage(browser(), await startInspectorFor(url));
    await untilOpen(page);
    await openDetails(page);
    expect(await page.getByRole("textbox", { name: "Scopes" }).inputValue()).toBe("ask");
    await page.getByRole("textbox", { name: /^Issuer/ }).fill(issuer.url);
    await page.getByRole("textbox", { name: "Client id" }).fill("inspector");
    await page.getByRole("button", { name: "Sign in with a browser" }).click();
    const [popup] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: /^Open 127/ }).click(),
    ]);
    await popup.locator("input[name=login]").fill("ada");
    await popup.locator("input[name=password]").fill("x");
    await popup.locator("button[type=submit]").click();
    await popup.getByRole("button", { name: "Continue" }).click();
    await popup.getByText("You can close this page").waitFor();
    await page.getByText(/^Signed in, until/).waitFor();
    expect(await page.locator("input[type=password]").first().inputValue()).toMatch(/^ey/);
    expect(problems).toEqual([]);
  });
});
