import { describe, expect, it, vi } from "vitest";
import { ClientCore } from "../../../templates/runtime/client/core.js";
import { openFirst } from "../../../templates/runtime/client/connect.js";
import { CardCache, discover, type DiscoverOptions } from "../../../templates/runtime/client/discover.js";
import {
  TransportError,
  type AgentInterface,
  type Call,
  type Interceptor,
  type TransportFactory,
} from "../../../templates/runtime/protocol/transport.js";
import { message, required } from "../../../templates/runtime/schema/message.js";
import { list, string, struct } from "../../../templates/runtime/schema/types.js";
import {
  addBook,
  all,
  BookNotFound,
  errors,
  failureOf,
  getBook,
  joinBooks,
  json,
  nowhere,
  protocol,
  serve,
  watchBook,
  discovery,
} from "./client-sample.js";

interface Card {
  name: string;
  doors: object[];
}

const CardSchema = message<Card>("Card", () => ({ name: required(string), doors: required(list(struct)) }));
const card = { name: "Library", doors: [] };
const find = (target: string | URL, options: Partial<DiscoverOptions<Card>> = {}) =>
  discover(target, { discovery, errors, card: CardSchema, ...options });

describe("discover", () => {
  it("finds the card below an origin or a base path, or at its own URL", async () => {
    const { url, requests } = await serve((_, response) => json(response, card));
    for (const target of [url, `${url}/`, `${url}/base/`, new URL(`${url}/base?x=1`), `${url}/my/card.json`]) {
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

  it("says where the card was in the end", async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === "/moved/card.json") json(response, card);
      else response.writeHead(302, { location: "/moved/card.json" }).end();
    });
    expect((await find(url)).url).toBe(`${url}/moved/card.json`);
  });

  it("throws where there is no card, or none that is valid", async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === "/wrong.json") json(response, { name: 1 });
      else if (path === "/text.json") response.end("hello");
      else json(response, {}, 404);
    });
    expect(await failureOf(find(url))).toMatchObject({ name: "TransportError", status: 404 });
    expect(await failureOf(find(`${url}/text.json`))).toBeInstanceOf(TransportError);
    const error = await failureOf(find(`${url}/wrong.json`));
    expect(error).toBeInstanceOf(errors.invalidResponse);
    expect(String(error)).toMatch(/wrong\.json.*\/name/);
    expect(await failureOf(find(await nowhere()))).toBeInstanceOf(TransportError);
    const reason = new Error("enough");
    expect(await failureOf(find(url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  it("throws the error for missing access where the card is not for everybody", async () => {
    const { url } = await serve(({ url: path }, response) =>
      path === "/401.json" ? json(response, {}, 401) : response.writeHead(403).end("<p>No</p>"),
    );
    expect(await failureOf(find(`${url}/401.json`))).toBeInstanceOf(errors.unauthenticated);
    expect(await failureOf(find(`${url}/403.json`))).toBeInstanceOf(errors.permissionDenied);
  });

  it("gives up where the card, or the rest of it, does not come in time", async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === "/half.json") response.writeHead(200, { "content-type": "application/json" }).write('{"name":');
    });
    for (const target of [url, `${url}/half.json`]) {
      expect(await failureOf(find(target, { timeoutMs: 50 }))).toMatchObject({ name: "TimeoutError" });
    }
  });

  it("reads a card that tells the members of its oneofs by `$case`, and changes no other", async () => {
    const lock = { bars: 3, notes: [{ $case: 1, value: 2 }] };
    const Locked = message("Locked", () => ({ iron: required(struct) }));
    const Doors = message("Card", () => ({ doors: required(list(Locked)) }));
    const told = { doors: [{ kind: { $case: "iron", value: { lock: { $case: "lock", value: lock } } } }] };
    const { url } = await serve(({ url: path }, response) =>
      json(response, path === "/wrong.json" ? { doors: [{ kind: { $case: "wood", value: {} } }] } : told),
    );
    const read = (target: string) => discover(target, { discovery, errors, card: Doors });
    expect((await read(url)).card).toEqual({ doors: [{ iron: { lock } }] });
    expect(await failureOf(read(`${url}/wrong.json`))).toBeInstanceOf(errors.invalidResponse);
    // Whatever is valid as it is stays as it is, as free JSON.
    const Free = message("Card", () => ({ doors: required(list(struct)) }));
    expect((await discover(url, { discovery, errors, card: Free })).card).toEqual(told);
  });

  it("runs through interceptors, which see the checked card and may change the headers", async () => {
    const { url, requests } = await serve((_, response) => json(response, card));
    const seen: unknown[] = [];
    const unary: Interceptor["unary"] = async (call, next) => {
      seen.push(call.operation.name);
      const found = await next({ ...call, headers: { ...call.headers, authorization: "Bearer a" } });
      seen.push(found);
      return found;
    };
    const { card: found } = await find(url, { interceptors: [{ unary }], headers: { "X-One": "1" } });
    expect(found).toEqual(card);
    expect(seen).toEqual(["GET /.well-known/books.json", card]);
    expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer a", "x-one": "1" });
  });

  it("keeps cards apart in the cache that interceptors ask for with other headers", async () => {
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

  it("throws what an interceptor throws, and takes a card that one has", async () => {
    const error = new Error("not today");
    expect(
      await failureOf(find("http://127.0.0.1:1", { interceptors: [{ unary: () => Promise.reject(error) }] })),
    ).toBe(error);
    const interceptor: Interceptor = { unary: () => Promise.resolve(card) };
    expect(await find("http://127.0.0.1:1", { interceptors: [interceptor] })).toEqual({
      card,
      url: "http://127.0.0.1:1/.well-known/books.json",
    });
  });

  it("uses a card from the cache while it is fresh, and each time as a copy", async () => {
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

  it("revalidates a card that is not fresh by its ETag", async () => {
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
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"one"', '"one"']);
  });

  it.each([
    ["no-cache, max-age=60", 2],
    ["max-age=0", 2],
    ["s-maxage=60", 2],
    ["max-age=60, no-store", 2],
    ['max-age="60"', 1],
    ["MAX-AGE=60", 1],
  ])("understands Cache-Control: %s", async (control, expected) => {
    const { url, requests } = await serve((_, response) => {
      response.setHeader("cache-control", control);
      json(response, card);
    });
    const cache = new CardCache();
    await find(url, { cache });
    await find(url, { cache });
    expect(requests).toHaveLength(expected);
  });

  it("counts the age that a card already had, and forgets the oldest card first", async () => {
    const { url, requests } = await serve(({ url: path }, response) => {
      if (path === "/old.json") response.setHeader("age", "60");
      response.setHeader("cache-control", "max-age=60");
      json(response, card);
    });
    const cache = new CardCache(2);
    for (const path of ["old", "old", "a", "b", "old", "b"]) await find(`${url}/${path}.json`, { cache });
    expect(requests.map((request) => request.url?.slice(1, -5))).toEqual(["old", "old", "a", "b", "old"]);
  });
});

/** A factory whose transports answer as `answer` says, by the URL of the interface. */
function factoryOf(
  binding: string,
  answer: (target: AgentInterface, call: Call) => unknown,
): TransportFactory & { closed: string[]; opened: string[] } {
  const [closed, opened]: string[][] = [[], []];
  return {
    binding,
    closed: closed ?? [],
    opened: opened ?? [],
    open(target) {
      opened?.push(target.url);
      return {
        binding,
        unary: (call) => Promise.resolve().then(() => answer(target, call)),
        async *stream(call) {
          for (let count = 0; count < 2; count++) yield await Promise.resolve(answer(target, call));
        },
        carries: ({ jsonRpc }) => binding !== "RPC" || jsonRpc !== undefined,
        close: () => void closed?.push(target.url),
      };
    },
  };
}

const door = (at: string, speaks: string, edition = "2.1", library?: string): object => ({
  at,
  speaks,
  edition,
  library,
});
const unreachable = (url: string): never => {
  throw new TransportError("down", { url, unsent: true });
};
const open = (doors: object[], factories: TransportFactory[], url = "https://a.example/x/card.json"): ClientCore =>
  new ClientCore({ transport: openFirst({ doors }, factories, { protocol, discovery, url }), protocol, errors });

describe("openFirst", () => {
  it("takes the first interface of the card with a known binding and the right version", async () => {
    const seen: AgentInterface[] = [];
    const factory = factoryOf("RPC", (target) => (seen.push(target), { id: target.url }));
    const doors = [
      door("https://a/1", "SOAP"),
      door("https://a/2", "RPC", "1.0"),
      door("https://a/3", "RPC", "2.1.7", "acme"),
    ];
    expect(await open(doors, [factory]).unary(getBook, {})).toEqual({ id: "https://a/3" });
    expect(seen).toEqual([{ url: "https://a/3", binding: "RPC", version: "2.1.7", tenant: "acme" }]);
  });

  it("takes a missing version for the one that the protocol assumes", () => {
    const factory = factoryOf("RPC", () => ({}));
    const doors = [{ at: "https://a/1", speaks: "RPC" }];
    expect(() => open(doors, [factory])).toThrow(/RPC 1\.9 at/);
    const older = { ...protocol, version: "1.9" };
    expect(openFirst({ doors }, [factory], { protocol: older, discovery }).binding).toBe("RPC");
  });

  it("says what the agent offers and what the client speaks where nothing fits", () => {
    const factories = [factoryOf("RPC", () => ({})), factoryOf("REST", () => ({}))];
    const doors = [door("https://a/1", "SOAP"), door("https://a/2", "RPC", "3.0"), { at: 1 }, null];
    const message =
      "The agent offers SOAP 2.1 at https://a/1, RPC 3.0 at https://a/2; this client speaks RPC 2.1, REST 2.1";
    expect(() => open(doors as object[], factories)).toThrow(message);
    expect(() => openFirst(null, factories, { protocol, discovery })).toThrow(/offers no interface/);
  });

  it("resolves relative URLs against that of the card, except addresses of gRPC", async () => {
    const factories = ["RPC", "GRPC"].map((binding) => factoryOf(binding, (target) => ({ id: target.url })));
    expect(await open([door("/rpc", "RPC")], factories).unary(getBook, {})).toEqual({ id: "https://a.example/rpc" });
    expect(await open([door("rpc", "RPC")], factories).unary(getBook, {})).toEqual({ id: "https://a.example/x/rpc" });
    expect(await open([door("10.0.0.1:1", "GRPC")], factories).unary(getBook, {})).toEqual({ id: "10.0.0.1:1" });
  });

  it("names the tenant of the interface in each request", async () => {
    const factory = factoryOf("RPC", (target, { request }) => {
      if (target.url === "https://a/1") unreachable(target.url);
      return { id: JSON.stringify(request) };
    });
    const caller = open(
      [door("https://a/1", "RPC", "2.1", "one"), door("https://a/2", "RPC", "2.1", "two")],
      [factory],
    );
    expect(await caller.unary(getBook, {})).toEqual({ id: '{"tenant":"two"}' });
    expect(await caller.unary(getBook, { tenant: "own" })).toEqual({ id: '{"tenant":"own"}' });
  });

  it("goes on to the next interface where one cannot be reached, and stays there", async () => {
    let down = "https://a/1";
    const calls: string[] = [];
    const factory = factoryOf("RPC", ({ url }) => (calls.push(url), url === down ? unreachable(url) : { id: url }));
    const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factory]);
    await caller.unary(addBook, {});
    await caller.unary(addBook, {});
    expect(await all(caller.stream(watchBook, {}))).toHaveLength(2);
    down = "https://a/2";
    expect(await all(caller.stream(watchBook, {}))).toEqual([{ id: "https://a/1" }, { id: "https://a/1" }]);
    expect(calls.map((url) => url.at(-1)).join("")).toBe("12222211");
    expect(factory.opened).toEqual(["https://a/1", "https://a/2"]);
    caller.close();
    expect(factory.closed.toSorted()).toEqual(["https://a/1", "https://a/2"]);
  });

  it("goes on where an address is none", async () => {
    const broken = {
      binding: "REST",
      open: () => {
        throw new TypeError("Invalid URL");
      },
    };
    const caller = open(
      [door("http://", "REST"), door("https://a/2", "RPC")],
      [broken, factoryOf("RPC", () => ({ id: "1" }))],
    );
    expect(await caller.unary(addBook, {})).toEqual({ id: "1" });
  });

  it("repeats a call that may have arrived only if it reads", async () => {
    const factory = factoryOf("RPC", ({ url }) => {
      if (url === "https://a/1") throw new TransportError("cut", { url });
      return { id: url };
    });
    const doors = [door("https://a/1", "RPC"), door("https://a/2", "RPC")];
    expect(await failureOf(open(doors, [factory]).unary(addBook, {}))).toMatchObject({ message: "cut" });
    expect(await open(doors, [factory]).unary(getBook, {})).toEqual({ id: "https://a/2" });
    expect(await all(open(doors, [factory]).stream(watchBook, {}))).toHaveLength(2);
  });

  it("does not repeat what has been answered", async () => {
    const answers = [new BookNotFound(), new TransportError("odd", { url: "x", status: 200 }), new Error("bug")];
    for (const answer of answers) {
      const calls = vi.fn(() => {
        throw answer;
      });
      const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factoryOf("RPC", calls)]);
      expect(await failureOf(caller.unary(getBook, {}))).toBe(answer);
      expect(await failureOf(all(caller.stream(watchBook, {})))).toBe(answer);
      expect(calls).toHaveBeenCalledTimes(2);
    }
  });

  it("does not repeat a stream that has begun", async () => {
    let calls = 0;
    const factory = factoryOf("RPC", ({ url }) => (calls++ === 0 ? { id: "1" } : unreachable(url)));
    const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factory]);
    expect(await failureOf(all(caller.stream(watchBook, {})))).toMatchObject({ message: "down" });
    expect(calls).toBe(2);
  });

  it("never sends a stream of requests twice, and skips bindings that do not carry it", async () => {
    const rpc = vi.fn(() => ({ id: "rpc" }));
    const factories = [factoryOf("RPC", rpc), factoryOf("GRPC", ({ url }) => unreachable(url))];
    const caller = open([door("https://a/1", "RPC"), door("a:1", "GRPC"), door("a:2", "GRPC")], factories);
    const error = await failureOf(caller.unary(joinBooks, { id: "1" }));
    expect(error).toMatchObject({ message: "down", url: "a:1" });
    expect(await caller.unary(getBook, {})).toEqual({ id: "rpc" });
    expect(rpc).toHaveBeenCalledTimes(1);
    const alone = open([door("https://a/1", "RPC")], factories);
    expect(String(await failureOf(alone.unary(joinBooks, { id: "1" })))).toMatch(/JoinBooks/);
  });

  it("says what is wrong with each interface where none can be reached", async () => {
    const doors = [door("https://a/1", "RPC"), door("https://a/2", "RPC")];
    const factory = factoryOf("RPC", ({ url }) => {
      throw new TransportError(`${url} is down`, { url, unsent: true });
    });
    const error = await failureOf(open(doors, [factory]).unary(getBook, {}));
    expect(error).toMatchObject({ name: "TransportError", unsent: true });
    expect(String(error)).toMatch(/a\/1 is down; https:\/\/a\/2 is down/);
    const [only] = doors;
    expect(await failureOf(open(only ? [only] : [], [factory]).unary(getBook, {}))).toMatchObject({
      message: "https://a/1 is down",
    });
  });
});
