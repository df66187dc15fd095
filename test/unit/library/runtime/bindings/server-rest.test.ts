import { describe, expect, it, vi } from "vitest";
import { restHandler } from "../../../../../library/runtime/bindings/rest/server.js";
import {
  errors,
  eventsOf,
  httpRequest,
  jsonOf,
  sampleCore,
  type NoteService,
} from "../server/server-sample.js";

const seen = vi.fn();

const service: NoteService = {
  addNote: (request) => {
    seen(request);
    return request.note;
  },
  getNote: (request) => {
    seen(request);
    return { id: request.id, text: "hello" };
  },
  deleteNote: () => undefined,
  async *watchNote({ id = "" }) {
    if (id === "denied") throw new errors.unauthenticated();
    yield { id, text: "first" };
    if (id === "broken") throw new Error("inner text");
  },
};

const handler = restHandler(sampleCore(service));

async function send(method: string, url: string, body?: unknown, headers?: Record<string, string>) {
  const answer = await handler(httpRequest(method, url, body, headers));
  if (answer === undefined) throw new Error("not handled");
  return answer;
}

/** Requests that the service received. */
async function requestOf(method: string, url: string, body?: unknown): Promise<unknown> {
  seen.mockClear();
  const answer = await send(method, url, body);
  expect(answer.body).not.toContain('"error"');
  return seen.mock.calls[0]?.[0];
}

async function violation(method: string, url: string, body?: unknown) {
  const answer = await send(method, url, body);
  expect(answer.status).toBe(400);
  return jsonOf(answer);
}

const note = { id: "n1", text: "hello" };

it("the response to a GET is private and never cached, for success and errors", async () => {
  for (const url of ["/notes/n1", "/notes/n1?id=n2", "/nothing"]) {
    expect((await send("GET", url)).headers["cache-control"], url).toBe("no-store");
  }
  expect((await send("PUT", "/notes/n1")).headers["cache-control"]).toBe("no-store");
  expect((await send("POST", "/notes", { note })).headers).not.toHaveProperty("cache-control");
});

describe("a request over HTTP+JSON", () => {
  it("a null body is read as an empty body, because some callers send null", async () => {
    const answer = await send("POST", "/notes", "null", { "content-type": "application/json" });
    expect(await jsonOf(answer)).toMatchObject({
      error: { message: expect.stringMatching(/\/note expected Note/) as string },
    });
  });

  it("the whole body may be the request even if the route names one field as body", async () => {
    const whole = { folderId: "f1", note };
    expect(await requestOf("PUT", "/folders/f1/note", note)).toEqual(whole);
    expect(await requestOf("PUT", "/folders/f1/note", whole)).toEqual(whole);
    expect(await requestOf("PUT", "/folders/f1/note", { note })).toEqual(whole);
    await violation("PUT", "/folders/f1/note", { ...whole, folderId: "f2" });
  });

  it("a path may start with several slashes, which result from a URL with a trailing slash", async () => {
    expect(await requestOf("GET", "//notes/n1")).toEqual({ id: "n1" });
    const below = restHandler(sampleCore(service), { path: "/api/" });
    expect((await below(httpRequest("GET", "/api//notes/n1")))?.status).toBe(200);
  });

  it("a request with an unknown path gets the status and the name of the error for unknown methods", async () => {
    const answer = await send("GET", "/nowhere/x/y/z");
    expect(await jsonOf(answer)).toMatchObject({
      error: { code: answer.status, status: "NOT_FOUND" },
    });
  });

  it("a request is read from path and query", async () => {
    expect(await requestOf("GET", "/notes/a%2Fb?limit=5&full=true")).toEqual({
      id: "a/b",
      limit: 5,
      full: true,
    });
    expect(await requestOf("GET", "/acme/notes/n1")).toEqual({ tenant: "acme", id: "n1" });
  });

  it("a parameter may have several values by repetition, which may contain commas", async () => {
    expect(await requestOf("GET", "/notes/n1?tags=a&tags=b,c%2Cd")).toMatchObject({
      tags: ["a", "b,c,d"],
    });
    expect(await requestOf("GET", "/notes/n%2C1")).toMatchObject({ id: "n,1" });
  });

  it("a parameter may set fields of nested messages with dots", async () => {
    expect(
      await requestOf(
        "GET",
        "/notes/n1?filter.author=a+b&filter.words=x&filter.words=y&filter.words=z",
      ),
    ).toEqual({
      id: "n1",
      filter: { author: "a b", words: ["x", "y", "z"] },
    });
  });

  it("unknown parameters are ignored, including the version", async () => {
    const url =
      "/notes/n1?other=1&Notes-Version=2.1&__proto__.x=1&constructor=2&filter.__proto__.y=3&id.x=4&=5&&";
    expect(await requestOf("GET", url)).toEqual({ id: "n1" });
    expect(await jsonOf(await send("GET", "/notes/n1?Notes-Version=9.9"))).toMatchObject({
      error: { details: [{ reason: "VERSION_NOT_SUPPORTED" }] },
    });
  });

  it("a request is read from path and body", async () => {
    expect(await requestOf("POST", "/notes", { note })).toEqual({ note });
    expect(await requestOf("POST", "/acme/notes", { note, tenant: "" })).toEqual({
      tenant: "acme",
      note,
    });
    expect(await requestOf("POST", "/folders/f1/notes", { note, folderId: "f1" })).toEqual({
      folderId: "f1",
      note,
    });
    expect(await requestOf("POST", "/folders/f1/notes", { note, folder_id: "f1" })).toEqual({
      folderId: "f1",
      note,
    });
  });

  it("the body may be one field", async () => {
    expect(await requestOf("PUT", "/folders/f1/note?tenant=acme", note)).toEqual({
      tenant: "acme",
      folderId: "f1",
      note,
    });
  });

  it("the body may be empty if the path contains all fields", async () => {
    expect(await eventsOf(await send("POST", "/notes/n1:watch"))).toEqual([
      { id: "n1", text: "first" },
    ]);
  });

  it("the body may be parsed already", async () => {
    const parsed = { ...httpRequest("POST", "/notes", ""), parsedBody: { note } };
    expect(await jsonOf(await handler(parsed))).toEqual(note);
  });
});

describe("an invalid request over HTTP+JSON", () => {
  it("a request is invalid if path and body contradict each other", async () => {
    expect(await violation("POST", "/acme/notes", { note, tenant: "other" })).toMatchObject({
      error: {
        code: 400,
        details: [{ reason: "INVALID_PARAMS" }, { fieldViolations: [{ field: "tenant" }] }],
      },
    });
  });

  it.each([
    ["a body that is not an object", "POST", "/notes", [note], "INVALID_PARAMS"],
    ["a body that is not JSON", "POST", "/notes", "{", "PARSE"],
    ["a field of another type", "POST", "/notes", { note: { id: 1, text: "" } }, "INVALID_PARAMS"],
    ["an invalid number", "GET", "/notes/n1?limit=many", undefined, "INVALID_PARAMS"],
    ["a repeated single value", "GET", "/notes/n1?limit=1&limit=2", undefined, "INVALID_PARAMS"],
    [
      "an invalid escape in its query",
      "GET",
      "/notes/n1?tags=%E0%A4%A",
      undefined,
      "INVALID_PARAMS",
    ],
  ])("a request is invalid if it has %s", async (_, method, url, body, reason) => {
    expect(await violation(method, url, body)).toHaveProperty("error.details.0.reason", reason);
  });
});

describe("the path of the handler", () => {
  it("the path is a prefix of every route, and other paths are declined", async () => {
    const below = restHandler(sampleCore(service), { path: "/api" });
    expect((await below(httpRequest("GET", "/api/notes/n1")))?.status).toBe(200);
    expect(await below(httpRequest("GET", "/notes/n1"))).toBeUndefined();
    expect(await below(httpRequest("GET", "/apis/notes/n1"))).toBeUndefined();
    expect((await below(httpRequest("GET", "/api/other/x/y/z")))?.status).toBe(501);
  });

  it("unknown paths may be left to other handlers", async () => {
    const passing = restHandler(sampleCore(service), { passUnknown: true });
    expect(await passing(httpRequest("GET", "/index.html/x/y/z"))).toBeUndefined();
  });
});

describe("the media type of a response over HTTP+JSON", () => {
  const typeFor = async (accept: string | undefined, url = "/notes/n1"): Promise<unknown> =>
    (await send("GET", url, undefined, accept === undefined ? {} : { accept })).headers[
      "content-type"
    ];

  it.each([
    [undefined, "application/notes+json"],
    ["", "application/notes+json"],
    ["*/*", "application/notes+json"],
    ["application/*", "application/notes+json"],
    ["application/json, application/notes+json", "application/notes+json"],
    ["application/json", "application/json"],
    ["Application/JSON; charset=utf-8", "application/json"],
    ["application/json, text/event-stream", "application/json"],
    ["application/notes+json;q=0.5, application/json", "application/json"],
    ["application/notes+json;q=0, */*;q=0.1", "application/json"],
    ["text/event-stream", "application/json"],
    ["text/html;q=abc, */*;q=0.8", "application/notes+json"],
  ])("the media type follows the Accept header %j", async (accept, expected) => {
    expect(await typeFor(accept)).toBe(expected);
    expect(await typeFor(accept, "/nothing")).toBe(expected);
  });

  it("the media type is found in a header of any length", async () => {
    expect(await typeFor("text/a;".repeat(100_000))).toBe("application/json");
    expect(await typeFor("text/a,".repeat(100_000))).toBe("application/json");
  });
});
