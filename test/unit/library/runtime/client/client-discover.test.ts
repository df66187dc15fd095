import { describe, expect, it } from "vitest";
import { CardCache } from "../../../../../library/runtime/client/card-cache.js";
import { discover, type DiscoverOptions } from "../../../../../library/runtime/client/discover.js";
import { type Interceptor } from "../../../../../library/runtime/protocol/transport.js";
import { message, required } from "../../../../../library/runtime/schema/message.js";
import { list, string, struct } from "../../../../../library/runtime/schema/types.js";
import { errors, failureOf, json, protocol, serve, discovery } from "../client-sample.js";

interface Card {
  name: string;
  doors: object[];
}

const CardSchema = message<Card>("Card", () => ({
  name: required(string),
  doors: required(list(struct)),
}));
const card = { name: "Library", doors: [] };
const facts = { discovery, errors, protocol };
const find = (target: string | URL, options: Partial<DiscoverOptions<Card>> = {}) =>
  discover(target, { ...facts, loadCard: () => Promise.resolve(CardSchema), ...options });

describe("discover", () => {
  it("discover finds the card below an origin or a base path, or at its own URL", async () => {
    const { url, requests } = await serve((_, response) => json(response, card));
    for (const target of [
      url,
      `${url}/`,
      `${url}/base/`,
      new URL(`${url}/base?x=1`),
      `${url}/my/card.json`,
    ]) {
      expect((await find(target)).card).toEqual(card);
    }
    expect(requests.map((request) => request.url)).toEqual([
      "/.well-known/books.json",
      "/.well-known/books.json",
      "/base/.well-known/books.json",
      "/base/.well-known/books.json?x=1",
      "/my/card.json",
    ]);
  });

  it("discover returns the final URL of the card", async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === "/moved/card.json") json(response, card);
      else response.writeHead(302, { location: "/moved/card.json" }).end();
    });
    expect((await find(url)).url).toBe(`${url}/moved/card.json`);
  });

  it("discover throws the error for missing access if the card is protected", async () => {
    const { url } = await serve(({ url: path }, response) =>
      path === "/401.json" ? json(response, {}, 401) : response.writeHead(403).end("<p>No</p>"),
    );
    expect(await failureOf(find(`${url}/401.json`))).toBeInstanceOf(errors.unauthenticated);
    expect(await failureOf(find(`${url}/403.json`))).toBeInstanceOf(errors.permissionDenied);
  });

  it("discover gives up if the card, or the rest of it, does not arrive in time", async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === "/half.json")
        response.writeHead(200, { "content-type": "application/json" }).write('{"name":');
    });
    for (const target of [url, `${url}/half.json`]) {
      expect(await failureOf(find(target, { timeoutMs: 50 }))).toMatchObject({
        name: "TimeoutError",
      });
    }
  });

  it("discover reads a card whose oneofs are marked with `$case`, and changes no other card", async () => {
    const lock = { bars: 3, notes: [{ $case: 1, value: 2 }] };
    const Locked = message("Locked", () => ({ iron: required(struct) }));
    const Doors = message("Card", () => ({ doors: required(list(Locked)) }));
    const told = {
      doors: [{ kind: { $case: "iron", value: { lock: { $case: "lock", value: lock } } } }],
    };
    const { url } = await serve(({ url: path }, response) =>
      json(
        response,
        path === "/wrong.json" ? { doors: [{ kind: { $case: "wood", value: {} } }] } : told,
      ),
    );
    const read = (target: string) =>
      discover(target, { ...facts, loadCard: () => Promise.resolve(Doors) });
    expect((await read(url)).card).toEqual({ doors: [{ iron: { lock } }] });
    expect((await read(`${url}/wrong.json`)).card).toEqual({ doors: [{ wood: {} }] });
    // Valid cards remain unchanged, like free JSON.
    const Free = message("Card", () => ({ doors: required(list(struct)) }));
    expect((await discover(url, { ...facts, loadCard: () => Promise.resolve(Free) })).card).toEqual(
      told,
    );
  });

  it("discover calls interceptors, which see the validated card and may change the headers", async () => {
    const { url, requests } = await serve((_, response) => json(response, card));
    const seen: unknown[] = [];
    const unary: Interceptor["unary"] = async (call, next) => {
      seen.push(call.operation.name);
      const found = await next({
        ...call,
        headers: { ...call.headers, authorization: "Bearer a" },
      });
      seen.push(found);
      return found;
    };
    const { card: found } = await find(url, {
      interceptors: [{ unary }],
      headers: { "X-One": "1" },
    });
    expect(found).toEqual(card);
    expect(seen).toEqual(["GET /.well-known/books.json", card]);
    expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer a", "x-one": "1" });
  });

  it("discover caches cards separately if interceptors request them with different headers", async () => {
    const { url, requests } = await serve(({ headers }, response) => {
      response.setHeader("cache-control", "max-age=60");
      json(response, { ...card, name: headers.authorization });
    });
    const cache = new CardCache();
    const as = (authorization: string): Interceptor => ({
      unary: (call, next) => next({ ...call, headers: { ...call.headers, authorization } }),
    });
    const names: string[] = [];
    for (const user of ["ann", "bob", "ann"])
      names.push((await find(url, { cache, interceptors: [as(user)] })).card.name);
    expect(names).toEqual(["ann", "bob", "ann"]);
    expect(requests).toHaveLength(2);
  });

  it("discover throws the error of an interceptor, and returns a card that an interceptor provides", async () => {
    const error = new Error("not today");
    expect(
      await failureOf(
        find("http://127.0.0.1:1", { interceptors: [{ unary: () => Promise.reject(error) }] }),
      ),
    ).toBe(error);
    const interceptor: Interceptor = { unary: () => Promise.resolve(card) };
    expect(await find("http://127.0.0.1:1", { interceptors: [interceptor] })).toEqual({
      card,
      body: card,
      url: "http://127.0.0.1:1/.well-known/books.json",
    });
  });

  it("discover returns a copy of a cached card while the card is fresh", async () => {
    const { url, requests } = await serve((_, response) => {
      response.setHeader("cache-control", "public, max-age=60");
      json(response, card);
    });
    const cache = new CardCache();
    const first = await find(url, { cache });
    first.card.name = "changed";
    expect((await find(url, { cache })).card).toEqual(card);
    expect(requests).toHaveLength(1);
    await find(url, { cache, headers: { authorization: "other" } });
    await find(url);
    expect(requests).toHaveLength(3);
  });

  it("discover revalidates a stale card by its ETag", async () => {
    let name = "one";
    const { url, requests } = await serve(({ headers }, response) => {
      response.setHeader("etag", `"${name}"`);
      if (headers["if-none-match"] === `"${name}"`) response.writeHead(304).end();
      else json(response, { ...card, name });
    });
    const cache = new CardCache();
    expect((await find(url, { cache })).card.name).toBe("one");
    expect((await find(url, { cache })).card.name).toBe("one");
    name = "two";
    expect((await find(url, { cache })).card.name).toBe("two");
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"one"',
      '"one"',
    ]);
  });

  it.each([
    ["no-cache, max-age=60", 2],
    ["max-age=0", 2],
    ["s-maxage=60", 2],
    ["max-age=60, no-store", 2],
    ['max-age="60"', 1],
    ["MAX-AGE=60", 1],
  ])("discover supports Cache-Control: %s", async (control, expected) => {
    const { url, requests } = await serve((_, response) => {
      response.setHeader("cache-control", control);
      json(response, card);
    });
    const cache = new CardCache();
    await find(url, { cache });
    await find(url, { cache });
    expect(requests).toHaveLength(expected);
  });

  it("discover counts the previous age of a card, and evicts the oldest card first", async () => {
    const { url, requests } = await serve(({ url: path }, response) => {
      if (path === "/old.json") response.setHeader("age", "60");
      response.setHeader("cache-control", "max-age=60");
      json(response, card);
    });
    const cache = new CardCache(2);
    for (const path of ["old", "old", "a", "b", "old", "b"])
      await find(`${url}/${path}.json`, { cache });
    expect(requests.map((request) => request.url?.slice(1, -5))).toEqual([
      "old",
      "old",
      "a",
      "b",
      "old",
    ]);
  });
});
