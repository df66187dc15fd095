import { describe, expect, it, vi } from "vitest";
import { jsonRpcHandler } from "../../../../../library/runtime/bindings/jsonrpc/server.js";
import { restHandler } from "../../../../../library/runtime/bindings/rest/server.js";
import { chain } from "../../../../../library/runtime/http/server.js";
import { cardHandler } from "../../../../../library/runtime/server/card.js";
import { withCors, type CorsOptions } from "../../../../../library/runtime/server/cors.js";
import { card, httpRequest, sampleCore } from "./server-sample.js";

const authenticate = vi.fn(() => "ann");

/** A handler of all parts that lets pages of other origins in. */
function handlerFor(cors: CorsOptions | boolean | undefined) {
  const core = sampleCore(
    { getNote: ({ id = "" }) => ({ id, text: "hello" }) },
    { card, options: { authenticate } },
  );
  const parts = [cardHandler(core), jsonRpcHandler(core), restHandler(core, { path: "/v1" })];
  return chain(...parts.map((part) => withCors(part, core, cors)));
}

const preflight = (url: string) =>
  httpRequest("OPTIONS", url, undefined, {
    origin: "https://app.example",
    "access-control-request-method": "POST",
  });
const call = (origin: string) => httpRequest("GET", "/v1/notes/n1", undefined, { origin });

describe("an agent that admits pages of other origins", () => {
  it.each(["/", "/v1/notes", "/v1/nowhere", "/.well-known/notes.json"])(
    "a preflight request for %s is answered before authentication",
    async (url) => {
      authenticate.mockClear();
      const response = await handlerFor(true)(preflight(url));
      expect(response).toEqual({
        status: 204,
        headers: {
          "access-control-allow-origin": "*",
          "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
          "access-control-allow-headers":
            "Authorization, Cache-Control, Content-Type, If-None-Match, Notes-Version, Notes-Extensions",
          "access-control-max-age": "7200",
        },
      });
      expect(authenticate).not.toHaveBeenCalled();
    },
  );

  it("a preflight request for another path is left to other handlers", async () => {
    expect(await handlerFor(true)(preflight("/elsewhere"))).toBeUndefined();
  });

  it("the agent allows its own headers and the headers that its options name", async () => {
    const response = await handlerFor({ headers: ["X-Api-Key"] })(preflight("/"));
    expect(response?.headers["access-control-allow-headers"]).toMatch(/, X-Api-Key$/);
  });

  it("every page may read a response and the headers that it needs", async () => {
    expect((await handlerFor(true)(call("https://app.example")))?.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "Notes-Extensions, ETag, Retry-After, WWW-Authenticate",
    });
  });

  it("only pages of the listed origins are admitted, and caches are told so", async () => {
    const handler = handlerFor({ origins: ["https://app.example"] });
    const own = (await handler(call("https://app.example")))?.headers;
    expect(own).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      vary: "Origin",
    });
    const other = (await handler(call("https://other.example")))?.headers;
    expect(other).toMatchObject({ vary: "Origin" });
    expect(other).not.toHaveProperty("access-control-allow-origin");
    const found = await handler(httpRequest("GET", "/.well-known/notes.json"));
    expect(found?.headers["vary"]).toBe("Notes-Version, Origin");
  });
});

describe("an agent that admits no pages of other origins", () => {
  it.each([[undefined], [false]])(
    "a preflight request is treated like any other request: cors is %j",
    async (cors) => {
      const response = await handlerFor(cors)(preflight("/"));
      expect(response?.status).toBe(405);
      expect(response?.headers).not.toHaveProperty("access-control-allow-origin");
      const called = await handlerFor(cors)(call("https://app.example"));
      expect(called?.status).toBe(200);
      expect(called?.headers).not.toHaveProperty("access-control-allow-origin");
    },
  );
});

describe("the option cors", () => {
  it.each<[cors: unknown, problem: string]>([
    [
      { origins: "https://app.example" },
      'cors.origins must be a list of strings, such as ["https://app.example"], got "https://app.example"',
    ],
    [
      { origins: null },
      'cors.origins must be a list of strings, such as ["https://app.example"], got null',
    ],
    [
      { headers: "X-Api-Key" },
      'cors.headers must be a list of strings, such as ["X-Api-Key"], got "X-Api-Key"',
    ],
    [{ origins: ["*"] }, 'cors.origins contains "*", which is not an origin'],
    [
      { origins: ["https://app.example/"] },
      'cors.origins contains "https://app.example/", which is not an origin',
    ],
    [{ origins: ["app.example"] }, 'cors.origins contains "app.example", which is not an origin'],
    [
      "https://app.example",
      'cors must be true, false, or an object with origins, got "https://app.example"',
    ],
    [null, "cors must be true, false, or an object with origins, got null"],
    [
      ["https://app.example"],
      'cors must be true, false, or an object with origins, got ["https://app.example"]',
    ],
  ])("the option is refused if it matches no browser: %j", (cors, problem) => {
    const made = (): unknown => handlerFor(cors as CorsOptions);
    expect(made).toThrow(TypeError);
    expect(made).toThrow(problem);
  });

  it("the option may name browser extensions and documents without an origin", () => {
    expect(() =>
      handlerFor({ origins: ["null", "http://localhost:3000", "chrome-extension://abc"] }),
    ).not.toThrow();
  });
});
