import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { CardCache, connect, fetchCard } from "../../../generated/1.0/index.js";
import { v0_3 } from "../../../generated/1.0/versions/0.3/client.js";
import { failureOf } from "../../support/everywhere.js";
import { json, serve } from "../../support/http.js";
import { card } from "../../hostile/sample.js";

const versions = [v0_3];
const oldCard = {
  ...{
    name: "Old",
    description: "Answers.",
    version: "1.0.0",
    protocolVersion: "0.3.0",
    skills: [],
  },
  ...{ capabilities: {}, defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
};

/** Serves a card at one path, and responds to all other paths with `other`. */
async function agentAt(path: string, found: object, other: (response: ServerResponse) => void) {
  return serve(({ url }, response) => {
    if (url === path) json(response, found);
    else other(response);
  });
}

const missing = (response: ServerResponse): void => void response.writeHead(404).end();
const page = (response: ServerResponse): void =>
  void response
    .writeHead(200, { "content-type": "text/html" })
    .end("<!doctype html><p>Welcome</p>");

describe("the URL of a card", () => {
  it.each(["/a2a/v1/card", "/agent?id=1&format=card", "/cards/7/"])(
    "a client finds the card at %s, although the URL does not end in .json",
    async (path) => {
      const { url, requests } = await agentAt(path, card, missing);
      expect((await fetchCard(url + path)).name).toBe(card.name);
      expect(requests.at(0)?.url).toContain("/.well-known/agent-card.json");
    },
  );

  it("a client does not request the root of an origin, which is never a card", async () => {
    const { url, requests } = await agentAt("/card", card, missing);
    const error = await failureOf(fetchCard(`${url}/`));
    expect(error).toMatchObject({ name: "TransportError", status: 404 });
    expect(requests).toHaveLength(1);
  });

  it("an error lists every URL at which the client looked for a card, and is about the first URL", async () => {
    const { url } = await agentAt("/agent", { status: "ok" }, missing);
    const { message } = (await failureOf(fetchCard(`${url}/agent`, { versions }))) as Error;
    const well = `${url}/agent/.well-known`;
    expect(message).toBe(
      `${well}/agent-card.json responded with something other than an agent card (HTTP status 404); ` +
        `the client looked for a card at ${well}/agent-card.json, ${url}/agent`,
    );
  });

  it("a card at its own URL is checked like any other card", async () => {
    const { url } = await agentAt("/v1/card", { ...card, skills: "none" }, missing);
    const { message } = (await failureOf(fetchCard(`${url}/v1/card`))) as Error;
    expect(message).toContain("/skills");
  });

  it("a redirect from a guessed URL to another origin does not receive the headers", async () => {
    const elsewhere = await serve((_, response) => json(response, card));
    const { url, requests } = await serve(({ url: path }, response) => {
      if (path === "/v1/card") response.writeHead(302, { location: `${elsewhere.url}/card` }).end();
      else missing(response);
    });
    await fetchCard(`${url}/v1/card`, { headers: { "x-api-key": "secret" } });
    expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual(["secret", "secret"]);
    expect(JSON.stringify(elsewhere.requests.map(({ headers }) => headers))).not.toContain(
      "secret",
    );
  });

  it("a server that fails is not asked for other paths", async () => {
    const { url, requests } = await serve((_, response) => response.writeHead(503).end());
    await failureOf(fetchCard(`${url}/agent`, { versions }));
    expect(requests).toHaveLength(1);
  });
});

describe("the path of a card of an earlier version", () => {
  const path = "/.well-known/agent.json";
  const v0_2 = { ...v0_3, cardPath: path };
  it.each<[string, (response: ServerResponse) => void]>([
    ["status 401", (response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end()],
    ["status 403", (response) => response.writeHead(403).end()],
    ["status 405", (response) => response.writeHead(405).end()],
    ["a page", page],
  ])(
    "a client finds the card if the path of its own version responds with %s",
    async (_, other) => {
      const { url } = await serve(({ url: requested }, response) => {
        if (requested === path) json(response, { ...oldCard, url });
        else other(response);
      });
      expect((await fetchCard(url, { versions: [v0_2] })).name).toBe("Old");
    },
  );

  it("a client throws the error for missing credentials if only one of the paths requires them", async () => {
    const { url } = await serve(({ url: requested }, response) => {
      response.writeHead(requested === path ? 401 : 404).end();
    });
    const error = await failureOf(fetchCard(url, { versions: [v0_2] }));
    expect(error).toMatchObject({ name: "UnauthenticatedError" });
    expect(error).toHaveProperty(
      "message",
      expect.stringContaining("the card itself requires credentials"),
    );
  });
});

describe("a cached card", () => {
  it("a client revalidates a card with a cache-control of its own, because Node would send no-cache", async () => {
    const { url, requests } = await serve(({ headers }, response) => {
      // Express never responds with 304 to a request with no-cache.
      const isFresh = headers["if-none-match"] === '"1"' && headers["cache-control"] !== "no-cache";
      response.setHeader("etag", '"1"');
      if (isFresh) response.writeHead(304).end();
      else json(response, card);
    });
    const cache = new CardCache();
    for (let count = 0; count < 2; count++) await connect(url, { cache });
    expect(requests.map(({ headers }) => headers["cache-control"])).toEqual([
      undefined,
      "max-age=0",
    ]);
  });
});

describe("the error for a card without a usable interface", () => {
  const plain = { ...card, supportedInterfaces: undefined };
  const url = "http://127.0.0.1/";
  it.each<[what: string, found: object, hint: string]>([
    ["no version", { ...plain, url }, "generate with --versions 0.3, and pass the adapter"],
    [
      "the form of an earlier version",
      { ...plain, url, protocolVersion: "1.0" },
      "the card has no supportedInterfaces",
    ],
    [
      "the members of another version",
      { ...card, supportedInterfaces: [{ url, transport: "JSONRPC" }] },
      "the interfaces in supportedInterfaces must have the members url and protocolBinding",
    ],
    ...["1", "v1.0", "V1"].map((protocolVersion): [string, object, string] => [
      `the version ${protocolVersion}`,
      { ...card, supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion }] },
      `the card has version ${protocolVersion}: write 1.0`,
    ]),
  ])("the error names the cause: %s", async (_what, found, hint) => {
    const fetch = (): Promise<Response> => Promise.resolve(Response.json(found));
    expect(await failureOf(connect("http://127.0.0.1", { fetch }))).toHaveProperty(
      "message",
      expect.stringContaining(hint),
    );
  });
});
