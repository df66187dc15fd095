import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ServedService } from "../../../library/runtime/server/served-service.js";
import { generateFrom, libraryOptions, writeTo } from "../../support/output.js";
import { libraryService, loadLibrary } from "./library.js";
import { servicesSource } from "./shop.js";

type Handler = (request: Request) => Promise<Response>;

async function answer(handler: Handler, head: string, body?: string) {
  const [method = "", path = ""] = head.split(" ");
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await handler(new Request(`http://library.test${path}`, init));
  return [response.status, JSON.parse(await response.text()) as unknown] as const;
}

it("a client sends a request to the first route whose path it fits", async () => {
  const library = await loadLibrary();
  const handler = library.fetchHandler(libraryService(library));
  const urls: string[] = [];
  const client = library.connectLibrary("http://library.test", {
    fetch(url, init) {
      urls.push(url);
      return handler(new Request(url, init));
    },
  });
  for (const name of ["shelves/1", "1"]) await client.getShelf({ name });
  await expect(client.getShelf({ name: "" })).rejects.toThrow(
    "GetShelf: name must match the path /v1/{name=shelves/*}",
  );
  expect(urls).toEqual(["http://library.test/v1/shelves/1", "http://library.test/v2/shelves/1"]);
});

it("a client sends maps in a query, also maps of nested messages", async () => {
  const library = await loadLibrary();
  const handler = library.fetchHandler(libraryService(library));
  const client = library.connectLibrary("http://library.test", {
    fetch: (url, init) => handler(new Request(url, init)),
  });
  const facts = { "a]=b&c": "1", "": "2", __proto__x: "ü", "d.e": "" };
  const call = { facts, book: { labels: { color: "red" } } };
  expect(await client.search(call)).toMatchObject({ method: "search", call });
});

describe("a request over HTTP+JSON", () => {
  let handler: Handler;

  beforeAll(async () => {
    const library = await loadLibrary();
    handler = library.fetchHandler(libraryService(library));
  });

  /** Returns the request that the service receives. */
  async function seen(head: string, body?: string) {
    const [status, response] = await answer(handler, head, body);
    return status === 200 ? (response as { readonly call?: object }).call : status;
  }

  it("variables may be booleans and numbers of enums, with each kind of body", async () => {
    const read = { count: 2, flag: true, kind: "POEM" };
    expect(await seen("GET /v1/facts/2/true/2")).toEqual(read);
    expect(await seen("POST /v1/facts/2/true/2", '{"name":"a"}')).toEqual({ ...read, name: "a" });
    const put = { flag: true, kind: "NOVEL", book: { title: "a" } };
    expect(await seen("PUT /v1/facts/true/1", '{"title":"a"}')).toEqual(put);
    expect(await seen("POST /v1/facts/2/yes/2", "{}")).toBe(400);
  });

  it("a body that is one field is JSON, and not in the form of a query", async () => {
    const parent = "/v1/shelves/1/books";
    expect(await seen(`POST ${parent}`, '{"sold":true,"notes":["a"]}')).toEqual({
      parent: "shelves/1",
      book: { sold: true, notes: ["a"] },
    });
    for (const body of ['{"sold":"true"}', '{"notes":"a"}', '{"kind":"1"}'])
      expect(await seen(`POST ${parent}`, body)).toBe(400);
    expect(await seen("POST /v1/tags", '"a"')).toBe(400);
  });

  it("an empty body leaves a field out, or is an empty message", async () => {
    expect(await seen("POST /v1/tags", "")).toEqual({});
    expect(await seen("POST /v1/count?flag=true", "")).toEqual({ flag: true });
    const created = { parent: "shelves/1", book: {} };
    expect(await seen("POST /v1/shelves/1/books", "")).toEqual(created);
  });

  it("the paths of a field mask in a query may be camelCase or snake_case", async () => {
    const read = { readMask: "pageSize,book.soldAt" };
    for (const mask of ["pageSize,book.soldAt", "page_size,book.sold_at", "page_size,book.soldAt"])
      expect(await seen(`GET /v1/search?read_mask=${mask}`)).toEqual(read);
    expect(await seen("GET /v1/search?readMask=_")).toBe(400);
  });

  it("the key of a map is in brackets", async () => {
    const sent =
      "/v1/search?facts[a]=b&facts%5Bc.d%5D=e&facts[a]=f&facts.a=g&tags[x]=h&facts[__proto__]=i";
    const facts = JSON.parse('{"a":"f","c.d":"e","__proto__":"i"}') as object;
    expect(await seen(`GET ${sent}`)).toEqual({ facts });
  });

  it("the query cannot change the field that the body contains", async () => {
    const sent = "POST /v1/shelves/1/books?book.pages=5&count=1";
    const created = { parent: "shelves/1", book: { title: "a" }, count: 1 };
    expect(await seen(sent, '{"title":"a"}')).toEqual(created);
  });

  it("a list in the query has an element for each parameter, also with commas", async () => {
    const query = "tags=a,b&tags=c&numbers=1&numbers=2&kinds=1&kinds=POEM";
    const read = { tags: ["a,b", "c"], numbers: [1, 2], kinds: ["NOVEL", "POEM"] };
    expect(await seen(`GET /v1/search?${query}`)).toEqual(read);
    expect(await seen("GET /v1/search?numbers=1,2")).toBe(400);
  });
});

describe("several services of one server", () => {
  const proto = (name: string, ...routes: readonly string[]) => `
    syntax = "proto3";
    package ${name.toLowerCase()}.v1;
    import "google/api/annotations.proto";
    service ${name} {
      ${routes
        .map((route, index) => {
          const [method = "", path = ""] = route.split(" ");
          const rule = `{ ${method.toLowerCase()}: "${path}" }`;
          return `rpc Call${index}(Item) returns (Item) { option (google.api.http) = ${rule}; }`;
        })
        .join("\n")}
    }
    message Item { string name = 1; }
  `;

  interface Output {
    readonly fetchHandler: (services: readonly ServedService[], options?: object) => Handler;
    readonly [serve: `serve${string}`]: (options: object) => ServedService;
  }

  /** Generates a service, whose methods respond with the name of the service. */
  async function service(name: string, ...routes: readonly string[]) {
    const source = servicesSource(proto(name, ...routes));
    const generated = await generateFrom(source, libraryOptions);
    const folder = writeTo(`routes-${name}-${process.pid}-${routes.length}`, generated);
    const output = (await import(join(folder, "index.ts"))) as Output;
    const methods = routes.map((_, index) => [`call${index}`, () => ({ name })] as const);
    const served = output[`serve${name}`]?.({ service: Object.fromEntries(methods) });
    if (served === undefined) throw new Error(`serve${name} is missing`);
    return { served, fetchHandler: output.fetchHandler };
  }

  it("a request reaches the service with the most specific route, in any order of the list", async () => {
    const files = await service("Files", "GET /v1/{name=**}", "GET /v1/items");
    const items = await service("Items", "GET /v1/items/{name}", "POST /v1/items");
    for (const list of [
      [files.served, items.served],
      [items.served, files.served],
    ]) {
      const handler = files.fetchHandler(list);
      expect(await answer(handler, "GET /v1/items/1")).toEqual([200, { name: "Items" }]);
      expect(await answer(handler, "GET /v1/other/1")).toEqual([200, { name: "Files" }]);
      expect(await answer(handler, "POST /v1/items", "")).toEqual([200, { name: "Items" }]);
      expect(await answer(handler, "GET /v1/items")).toEqual([200, { name: "Files" }]);
      const message: unknown = expect.stringMatching(/only supports (GET, POST|POST, GET)$/);
      expect(await answer(handler, "PUT /v1/items", "")).toMatchObject([
        405,
        { error: { message } },
      ]);
      expect(await answer(handler, "GET /v2")).toMatchObject([404, {}]);
    }
  });

  it("a handler refuses two services with the same route, unless it serves no routes", async () => {
    const one = await service("One", "GET /v1/{name=items/*}");
    const two = await service("Two", "GET /v1/items/{name}");
    expect(() => one.fetchHandler([one.served, two.served])).toThrow(
      new TypeError(
        "GET /v1/items/{name} is a route of one.v1.One and of two.v1.Two: change one of the two " +
          "routes, or serve the services on two servers",
      ),
    );
    const handler = one.fetchHandler([one.served, two.served], { rest: false });
    expect(await answer(handler, "GET /v1/items/1").catch(() => "none")).toBe("none");
  });
});
