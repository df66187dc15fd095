import fc from "../../../../support/properties.js";
import { describe, expect, it } from "vitest";
import { ClientCore } from "../../../../../library/runtime/client/core.js";
import { splitRequest } from "../../../../../library/runtime/bindings/rest/client-request.js";
import {
  createRestTransport,
  type RestTransportOptions,
} from "../../../../../library/runtime/bindings/rest/client.js";
import type { HttpRoute } from "../../../../../library/runtime/protocol/operation.js";
import { A2AError } from "../../../../../library/runtime/protocol/error.js";
import {
  errorWriter,
  readHttpError,
} from "../../../../../library/runtime/protocol/error-form-status.js";
import { formatEvent } from "../../../../../library/runtime/http/sse.js";
import {
  addBook,
  all,
  BookNotFound,
  drain,
  errors,
  failureOf,
  getBook,
  joinBooks,
  json,
  operations,
  protocol,
  serve,
  watchBook,
} from "../client-sample.js";

const book = { id: "1", title: "Emma" };

function callerOf(url: string, options: Partial<RestTransportOptions> = {}) {
  const transport = createRestTransport({
    url,
    protocol,
    operations,
    errors,
    readError: readHttpError,
    ...options,
  });
  return new ClientCore({ transport, protocol, errors });
}

describe("a call over HTTP+JSON", () => {
  it("a call puts the request into path and query if the HTTP method has no body", async () => {
    const { url, requests } = await serve((_, response) =>
      json(response, book, 200, "application/books+json"),
    );
    const request = {
      id: "a/b c",
      limit: 0,
      full: false,
      tags: ["x,y", "z&"],
      filter: { author: "Ünal", year: 1815 },
    };
    expect(await callerOf(url).unary(getBook, request)).toEqual(book);
    expect(requests[0]).toMatchObject({ method: "GET", body: "" });
    expect(requests[0]?.url).toBe(
      "/books/a%2Fb%20c?limit=0&full=false&tags=x%2Cy&tags=z%26&filter.author=%C3%9Cnal&filter.year=1815",
    );
    expect(requests[0]?.headers).toMatchObject({
      accept: "application/books+json, application/json",
      "books-version": "2.1",
    });
    expect(requests[0]?.headers["content-type"]).toBeUndefined();
  });

  it("a call puts all fields that are not in the path into the body", async () => {
    const { url, requests } = await serve((_, response) => json(response, book));
    const request = { id: "1", filter: { author: "Jane", year: 1815 } };
    await callerOf(url).unary(addBook, request);
    expect(requests[0]).toMatchObject({ method: "POST", url: "/shelves/Jane/books" });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ id: "1", filter: { year: 1815 } });
    expect(requests[0]?.headers["content-type"]).toBe("application/books+json");
    expect(request.filter.author).toBe("Jane");
  });

  it("a call uses the route with the tenant if the request has a tenant", async () => {
    const { url, requests } = await serve((_, response) => json(response, book));
    await callerOf(url).unary(getBook, { tenant: "acme", id: "1" });
    await callerOf(url).unary(addBook, { tenant: "acme", filter: { author: "J" } });
    expect(requests.map((request) => request.url)).toEqual(["/acme/books/1", "/shelves/J/books"]);
    expect(requests[1]?.body).toBe('{"tenant":"acme","filter":{}}');
  });

  it.each([
    ["", "/books/1"],
    ["/", "/books/1"],
    ["/base", "/base/books/1"],
    ["/base/", "/base/books/1"],
    ["/base/?key=k#x", "/base/books/1?key=k"],
  ])("a call extends the base URL %j", async (base, expected) => {
    const { url, requests } = await serve((_, response) => json(response, book));
    await callerOf(url + base).unary(getBook, { id: "1" });
    expect(requests[0]?.url).toBe(expected);
  });

  it("a call is not sent if the request does not fit the route", async () => {
    const { url, requests } = await serve((_, response) => json(response, book));
    const caller = callerOf(url);
    for (const id of [undefined, "", "..", "\uD800"]) {
      const error = await failureOf(caller.unary(getBook, id === undefined ? {} : { id }));
      expect(error).toBeInstanceOf(errors.invalidParams);
      expect(String(error)).toMatch(/GetBook/);
    }
    const listed = { id: "1", tags: [{}] } as never;
    expect(await failureOf(caller.unary(getBook, listed))).toBeInstanceOf(errors.invalidParams);
    expect(await failureOf(caller.unary(joinBooks, { id: "1" }))).toMatchObject({ unsent: true });
    expect(requests).toEqual([]);
  });

  it("a call returns an empty object for an empty response", async () => {
    const { url } = await serve(({ url: path }, response) =>
      response.writeHead(path === "/books/1" ? 204 : 200).end(),
    );
    const transport = createRestTransport({
      url,
      protocol,
      operations,
      errors,
      readError: readHttpError,
    });
    const caller = new ClientCore({ transport, protocol, errors, validate: false });
    expect(await caller.unary(getBook, { id: "1" })).toEqual({});
    expect(await caller.unary(getBook, { id: "2" })).toEqual({});
  });

  it("a call puts the response body into the field that the route names", async () => {
    const { url } = await serve((_, response) => json(response, "1"));
    const operation = {
      ...getBook,
      http: [{ method: "GET", path: "/books/{id}", responseBody: "id" }],
    };
    expect(await callerOf(url, { operations: [operation] }).unary(operation, { id: "1" })).toEqual({
      id: "1",
    });
  });

  it("a call throws the protocol error in the body", async () => {
    const sent = new BookNotFound("gone", { metadata: { id: "1" } });
    const { url } = await serve((_, response) =>
      json(response, errorWriter.http(sent, errors), sent.httpStatus),
    );
    const error = await failureOf(callerOf(url).unary(getBook, { id: "1" }));
    expect(error).toBeInstanceOf(BookNotFound);
    expect(error).toMatchObject({ message: "gone", metadata: { id: "1" }, httpStatus: 404 });
  });

  it("a call reads 401 and 403 as missing access, and other bodies as a TransportError", async () => {
    const statuses = [401, 403, 404, 502, 200];
    const { url } = await serve((_, response) =>
      response.writeHead(statuses.shift() ?? 500).end("<html>"),
    );
    const failures = [];
    while (statuses.length > 0)
      failures.push(await failureOf(callerOf(url).unary(getBook, { id: "1" })));
    expect(failures).toMatchObject([
      { name: "UnauthenticatedError" },
      { name: "PermissionDeniedError" },
      { name: "TransportError", status: 404 },
      { name: "TransportError", status: 502 },
      { name: "TransportError", status: 200 },
    ]);
  });
});

describe("an agent that refuses the media type of the protocol with 415", () => {
  const strict = (taken: (type: string) => boolean) =>
    serve(({ headers }, response) => {
      if (taken(headers["content-type"] ?? "")) json(response, book);
      else response.writeHead(415).end("Unsupported Media Type");
    });
  const typesOf = (requests: readonly { headers: Readonly<Record<string, unknown>> }[]) =>
    requests.map(({ headers }) => headers["content-type"]);

  it("the agent gets plain JSON instead, and later calls start with plain JSON", async () => {
    const { url, requests } = await strict((type) => type === "application/json");
    const caller = callerOf(url);
    const request = { filter: { author: "J" } };
    expect(await caller.unary(addBook, request)).toEqual(book);
    expect(await caller.unary(addBook, request)).toEqual(book);
    expect(typesOf(requests)).toEqual([
      "application/books+json",
      "application/json",
      "application/json",
    ]);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  });

  it("the agent gets the media type of the protocol again if it also refuses plain JSON", async () => {
    const { url, requests } = await strict(() => false);
    const caller = callerOf(url);
    const request = { filter: { author: "J" } };
    expect(await failureOf(caller.unary(addBook, request))).toMatchObject({
      name: "TransportError",
      status: 415,
    });
    await failureOf(caller.unary(addBook, request));
    expect(typesOf(requests)).toEqual([
      ...["application/books+json", "application/json"],
      ...["application/books+json", "application/json"],
    ]);
  });

  it("the agent gets one call if the request has no body", async () => {
    const { url, requests } = await strict(() => false);
    await failureOf(callerOf(url).unary(getBook, { id: "1" }));
    expect(requests).toHaveLength(1);
  });
});

describe("a fallback route", () => {
  it("the fallback is used after 404, 405 or 501, with the same request", async () => {
    for (const status of [404, 405, 501]) {
      const { url, requests } = await serve(({ method }, response) => {
        if (method === "GET") response.writeHead(status).end();
        else json(response, book);
      });
      expect(await all(callerOf(url).stream(watchBook, { id: "1", limit: 2 }))).toEqual([book]);
      expect(requests.map((request) => `${request.method} ${request.url}`)).toEqual([
        "GET /books/1:watch?limit=2",
        "POST /books/1:watch",
      ]);
      expect(requests[1]?.body).toBe('{"limit":2}');
    }
  });

  it("the fallback is used if the first route was read as an unknown resource", async () => {
    // An agent that knows POST only reads `1:watch` as an id.
    const { url } = await serve(({ method }, response) => {
      if (method === "GET")
        json(response, errorWriter.http(new BookNotFound("1:watch"), errors), 404);
      else json(response, book);
    });
    expect(await all(callerOf(url).stream(watchBook, { id: "1" }))).toEqual([book]);
  });

  it.each([
    ["has more details", 404, new BookNotFound("second"), "second"],
    ["is unknown", 404, new errors.methodNotFound("second"), "first"],
    ["fails", 500, new errors.internal("second"), "first"],
  ])(
    "an error of the fallback that %s is ignored unless it is about the request",
    async (_, status, error, expected) => {
      const { url, requests } = await serve(({ method }, response) => {
        if (method === "GET")
          json(response, errorWriter.http(new BookNotFound("first"), errors), 404);
        else json(response, errorWriter.http(error, errors), status);
      });
      expect(await failureOf(all(callerOf(url).stream(watchBook, { id: "1" })))).toMatchObject({
        message: expected,
      });
      expect(requests).toHaveLength(2);
    },
  );

  it("the fallback is not used after another status", async () => {
    const { url, requests } = await serve((_, response) =>
      json(response, errorWriter.http(new errors.internal(), errors), 500),
    );
    expect(await failureOf(all(callerOf(url).stream(watchBook, { id: "1" })))).toBeInstanceOf(
      errors.internal,
    );
    expect(requests).toHaveLength(1);
  });

  it("the error of the fallback is thrown if the agent does not know this route either", async () => {
    const { url, requests } = await serve((_, response) =>
      json(response, errorWriter.http(new errors.methodNotFound(), errors), 404),
    );
    expect(await failureOf(all(callerOf(url).stream(watchBook, { id: "1" })))).toBeInstanceOf(
      errors.methodNotFound,
    );
    expect(requests).toHaveLength(2);
  });
});

describe("a stream over HTTP+JSON", () => {
  async function streamedWith(
    ...events: unknown[]
  ): Promise<{ elements: unknown[]; failure: unknown; accept: unknown }> {
    const { url, requests } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream;charset=UTF-8" });
      response.end(events.map((event) => formatEvent(JSON.stringify(event))).join(""));
    });
    return {
      ...(await drain(callerOf(url).stream(watchBook, { id: "1" }))),
      accept: requests[0]?.headers.accept,
    };
  }

  it("a stream yields the object of each event", async () => {
    const { elements, failure, accept } = await streamedWith({ id: "1" }, { id: "2" });
    expect(elements).toEqual([{ id: "1" }, { id: "2" }]);
    expect(failure).toBeUndefined();
    expect(accept).toBe("text/event-stream, application/books+json, application/json");
  });

  it("a stream throws the error in an event after the events before it", async () => {
    const { elements, failure } = await streamedWith(
      { id: "1" },
      errorWriter.http(new BookNotFound("gone"), errors),
    );
    expect(elements).toEqual([{ id: "1" }]);
    expect(failure).toBeInstanceOf(BookNotFound);
    expect((await streamedWith({ error: { code: 500, message: "x" } })).failure).toBeInstanceOf(
      A2AError,
    );
  });

  it("a stream throws the error for an invalid response if an event has another form", async () => {
    expect((await streamedWith({ error: "x" })).failure).toBeInstanceOf(errors.invalidResponse);
  });
});

describe("splitRequest", () => {
  const place = (route: Partial<HttpRoute>, request: unknown): unknown =>
    splitRequest({ method: "PUT", path: "/a", ...route }, request);

  it("splitRequest splits a request between a named body and the query", () => {
    expect(place({ body: "book" }, { book: { id: "1" }, full: true })).toEqual({
      path: "/a",
      query: ["full=true"],
      body: { id: "1" },
    });
    expect(place({ body: "book" }, { full: true })).toMatchObject({
      body: undefined,
      query: ["full=true"],
    });
  });

  it("splitRequest removes nested fields from the body that the path contains", () => {
    const request = { a: { b: { c: "x", d: 1 } }, e: 2 };
    expect(place({ path: "/{a.b.c}/{e}", body: "*" }, request)).toEqual({
      path: "/x/2",
      query: [],
      body: { a: { b: { d: 1 } } },
    });
  });

  it("splitRequest omits null and only accepts valid names", () => {
    const request = JSON.parse('{"a":null,"__proto__":{"x":1},"b":[]}') as unknown;
    expect(place({}, request)).toMatchObject({ query: ["__proto__.x=1"] });
    expect(() => place({ path: "/{constructor.name}" }, {})).toThrow(/constructor\.name/);
  });

  it("splitRequest loses no text", () => {
    const text = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((id) => id !== "." && id !== "..");
    fc.assert(
      fc.property(text, fc.array(text), (id, tags) => {
        const { path, query } = splitRequest({ method: "GET", path: "/books/{id}" }, { id, tags });
        const url = new URL(`http://x${path}?${query.join("&")}`);
        expect(decodeURIComponent(url.pathname)).toBe(`/books/${id}`);
        expect(url.searchParams.getAll("tags")).toEqual(tags);
        expect(url.search).not.toMatch(/,/);
      }),
    );
  });
});
