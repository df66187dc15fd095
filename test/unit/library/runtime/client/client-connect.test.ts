import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ClientCore } from "../../../../../library/runtime/client/core.js";
import { openFirst, openUsable } from "../../../../../library/runtime/client/connect.js";
import { expectLinearTime } from "../../../../support/linear-time.js";
import {
  TransportError,
  type AgentInterface,
  type Call,
  type CallOptions,
  type TransportFactory,
} from "../../../../../library/runtime/protocol/transport.js";
import {
  addBook,
  all,
  BookNotFound,
  errors,
  failureOf,
  getBook,
  joinBooks,
  protocol,
  watchBook,
  discovery,
} from "../client-sample.js";

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
const unsent = new TransportError("down", { url: "", unsent: true });
const unreachable = (url: string): never => {
  throw new TransportError("down", { url, unsent: true });
};
// These tests are about the order of interfaces, whatever their addresses.
const options = {
  protocol,
  discovery,
  url: "https://a.example/x/card.json",
  allowPrivateAddresses: true,
};
const open = (doors: object[], factories: TransportFactory[]): ClientCore => {
  const transport =
    openUsable({ doors }, factories, options) ?? expect.unreachable("no interface is usable");
  return new ClientCore({ transport, protocol, errors });
};

describe("openFirst", () => {
  it("openFirst takes linear time in the number of interfaces and names only some of them", async () => {
    const doorsOf = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        door(`https://a.example/${String(at)}`, "RPC", `9.${String(at)}`),
      );
    await expectLinearTime(40_000, doorsOf, (doors) =>
      expect(openFirst({ doors }, [], options)).rejects.toThrow(
        /^The agent offers RPC 9\.0 at .{0,2000}, …; this client supports nothing/,
      ),
    );
  });

  it("openFirst forgets failed versions of an interface when the card no longer offers it", async () => {
    const unserved = new Set(["gone"]);
    const factory = factoryOf("RPC", () => null);
    await openFirst({ doors: [door("https://a.example", "RPC")] }, [factory], {
      protocol,
      discovery,
      unserved,
    });
    expect(unserved.size).toBe(0);
  });

  it("openFirst uses the first interface of the card with a known transport and the right version", async () => {
    const seen: AgentInterface[] = [];
    const factory = factoryOf("RPC", (target) => (seen.push(target), { id: target.url }));
    const doors = [
      door("https://a/1", "SOAP"),
      door("https://a/2", "RPC", "1.0"),
      door("https://a/3", "RPC", "2.1.7", "acme"),
    ];
    expect(await open(doors, [factory]).unary(getBook, {})).toEqual({ id: "https://a/3" });
    expect(seen).toEqual([
      { url: "https://a/3", binding: "RPC", version: "2.1.7", tenant: "acme" },
    ]);
  });

  it("openFirst assumes the version that the protocol defines if an interface names none", async () => {
    const factory = factoryOf("RPC", () => ({}));
    const doors = [{ at: "https://a/1", speaks: "RPC" }];
    await expect(openFirst({ doors }, [factory], options)).rejects.toThrow(/RPC 1\.9 at/);
    const older = { ...protocol, version: "1.9" };
    expect(openUsable({ doors }, [factory], { protocol: older, discovery })).toMatchObject({
      binding: "RPC",
    });
  });

  it("the error of openFirst gives a reason for each offered interface and lists the supported transports", async () => {
    const factories = [factoryOf("RPC", () => ({})), factoryOf("REST", () => ({}))];
    const doors = [
      door("https://a/1", "SOAP"),
      door("https://a/2", "RPC", "3.0"),
      door("https://a/3", "r-p-c"),
      door("a:4000", "RPC"),
      { at: 1 },
      null,
    ];
    const offers = [
      "SOAP 2.1 at https://a/1 (no transport for this binding)",
      "RPC 3.0 at https://a/2 (no transport for this version)",
      'r-p-c 2.1 at https://a/3 (in the card, write "RPC")',
      "RPC 2.1 at a:4000 (in the card, begin the URL with https:// or http://)",
    ];
    await expect(openFirst({ doors }, factories, options)).rejects.toThrow(
      `The agent offers ${offers.join(", ")}; this client supports RPC 2.1, REST 2.1`,
    );
    await expect(openFirst(null, factories, { protocol, discovery })).rejects.toThrow(
      /offers no interface/,
    );
  });

  it("openFirst throws the error about a card even if the file with the texts cannot be loaded", async () => {
    const file = "../../../../../library/runtime/client/misfits.js";
    vi.doMock(file, () => {
      throw new Error("the file is gone");
    });
    onTestFinished(() => {
      vi.doUnmock(file);
    });
    const error = await failureOf(openFirst({ doors: [door("https://a/1", "SOAP")] }, [], options));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({
      message: "This client supports no interface in the card",
      unsent: true,
    });
  });

  it("openFirst resolves relative URLs against the URL of the card, except gRPC addresses", async () => {
    const factories = ["RPC", "GRPC"].map((binding) =>
      factoryOf(binding, (target) => ({ id: target.url })),
    );
    expect(await open([door("/rpc", "RPC")], factories).unary(getBook, {})).toEqual({
      id: "https://a.example/rpc",
    });
    expect(await open([door("rpc", "RPC")], factories).unary(getBook, {})).toEqual({
      id: "https://a.example/x/rpc",
    });
    expect(await open([door("10.0.0.1:1", "GRPC")], factories).unary(getBook, {})).toEqual({
      id: "10.0.0.1:1",
    });
  });

  it("a call names the tenant of the interface in each request", async () => {
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

  it("an interface of another origin gets what the client created and nothing that an interceptor inserted", async () => {
    const seen: Call["headers"][] = [];
    const factory = factoryOf("RPC", (_, { headers }) => (seen.push(headers), { title: "A" }));
    const transport = await openFirst({ doors: [door("https://b.example/", "RPC")] }, [factory], {
      protocol,
      discovery,
      url: "https://a.example/x/card.json",
      trustedOrigins: ["https://a.example"],
    });
    const [version, extensions] = [
      protocol.headers.version.toLowerCase(),
      protocol.headers.extensions.toLowerCase(),
    ];
    const stealing = (name: string) => ({
      unary: (call: Call, next: (call: Call) => Promise<unknown>) =>
        next({ ...call, headers: { ...call.headers, [name]: "secret" } }),
    });
    for (const name of [version, extensions]) {
      const client = new ClientCore({
        transport,
        protocol,
        errors,
        interceptors: [stealing(name)],
      });
      await client.unary(getBook, {}, { extensions: ["urn:a"] }).catch(() => undefined);
    }
    const plain = new ClientCore({
      transport,
      protocol,
      errors,
      headers: { authorization: "secret" },
    });
    await plain.unary(getBook, {}, { extensions: ["urn:a"] }).catch(() => undefined);
    expect(seen).toEqual([
      { [extensions]: "urn:a" },
      { [version]: protocol.version, [extensions]: "urn:a" },
      { [version]: protocol.version, [extensions]: "urn:a" },
    ]);
  });

  it("the client switches to the next interface if an interface cannot be reached, and keeps using it", async () => {
    let down = "https://a/1";
    const calls: string[] = [];
    const factory = factoryOf(
      "RPC",
      ({ url }) => (calls.push(url), url === down ? unreachable(url) : { id: url }),
    );
    const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factory]);
    await caller.unary(addBook, {});
    await caller.unary(addBook, {});
    expect(await all(caller.stream(watchBook, {}))).toHaveLength(2);
    down = "https://a/2";
    expect(await all(caller.stream(watchBook, {}))).toEqual([
      { id: "https://a/1" },
      { id: "https://a/1" },
    ]);
    expect(calls.map((url) => url.at(-1)).join("")).toBe("12222211");
    expect(factory.opened).toEqual(["https://a/1", "https://a/2"]);
    caller.close();
    expect(factory.closed.toSorted()).toEqual(["https://a/1", "https://a/2"]);
  });

  it("the client opens no transport for a call that was looking up an address when the client was closed", async () => {
    const factory = factoryOf("RPC", ({ url }) => ({ id: url }));
    const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factory]);
    const response = caller.unary(addBook, {});
    caller.close();
    await expect(response).rejects.toThrow("The client is closed");
    expect([factory.opened, factory.closed]).toEqual([[], []]);
  });

  it("the client switches to the next interface if an address is invalid", async () => {
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

  it("the client repeats a call that may have arrived only if it is read-only", async () => {
    const factory = factoryOf("RPC", ({ url }) => {
      if (url === "https://a/1") throw new TransportError("cut", { url });
      return { id: url };
    });
    const doors = [door("https://a/1", "RPC"), door("https://a/2", "RPC")];
    expect(await failureOf(open(doors, [factory]).unary(addBook, {}))).toMatchObject({
      message: "cut",
    });
    expect(await open(doors, [factory]).unary(getBook, {})).toEqual({ id: "https://a/2" });
    expect(await all(open(doors, [factory]).stream(watchBook, {}))).toHaveLength(2);
  });

  it("the client does not repeat a call that has a response", async () => {
    const answers = [
      new BookNotFound(),
      new TransportError("odd", { url: "x", status: 200 }),
      new Error("bug"),
    ];
    for (const answer of answers) {
      const calls = vi.fn(() => {
        throw answer;
      });
      const caller = open(
        [door("https://a/1", "RPC"), door("https://a/2", "RPC")],
        [factoryOf("RPC", calls)],
      );
      expect(await failureOf(caller.unary(getBook, {}))).toBe(answer);
      expect(await failureOf(all(caller.stream(watchBook, {})))).toBe(answer);
      expect(calls).toHaveBeenCalledTimes(2);
    }
  });

  it.each<[string, CallOptions, Error]>([
    ["has no time left", { timeoutMs: 5 }, new DOMException("", "TimeoutError")],
    ["aborts and the transport reports it", { timeoutMs: 5 }, unsent],
  ])("the client keeps an interface if the caller %s", async (_, options, thrown) => {
    let isSlow = true;
    const factory = factoryOf("RPC", ({ url }, { signal }) => {
      if (!isSlow) return { id: url };
      return new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(thrown)),
      );
    });
    const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factory]);
    await failureOf(caller.unary(getBook, {}, options));
    isSlow = false;
    expect(await caller.unary(getBook, {})).toEqual({ id: "https://a/1" });
  });

  it.each(["TimeoutError", "AbortError"])(
    "the client keeps an interface if the caller has a fetch with a %s",
    async (name) => {
      let isSlow = true;
      const factory = factoryOf("RPC", ({ url }) => {
        if (isSlow)
          throw new TransportError("no response", { url, cause: new DOMException("", name) });
        return { id: url };
      });
      const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factory]);
      expect(await failureOf(caller.unary(getBook, {}))).toMatchObject({ message: "no response" });
      isSlow = false;
      expect(await caller.unary(getBook, {})).toEqual({ id: "https://a/1" });
    },
  );

  it("the client does not repeat a stream that has started", async () => {
    let calls = 0;
    const factory = factoryOf("RPC", ({ url }) => (calls++ === 0 ? { id: "1" } : unreachable(url)));
    const caller = open([door("https://a/1", "RPC"), door("https://a/2", "RPC")], [factory]);
    expect(await failureOf(all(caller.stream(watchBook, {})))).toMatchObject({ message: "down" });
    expect(calls).toBe(2);
  });

  it("the client never sends a stream of requests twice, and skips transports that do not support it", async () => {
    const rpc = vi.fn(() => ({ id: "rpc" }));
    const factories = [factoryOf("RPC", rpc), factoryOf("GRPC", ({ url }) => unreachable(url))];
    const caller = open(
      [door("https://a/1", "RPC"), door("a:1", "GRPC"), door("a:2", "GRPC")],
      factories,
    );
    const error = await failureOf(caller.unary(joinBooks, { id: "1" }));
    expect(error).toMatchObject({ message: "down", url: "a:1" });
    expect(await caller.unary(getBook, {})).toEqual({ id: "rpc" });
    expect(rpc).toHaveBeenCalledTimes(1);
    const alone = open([door("https://a/1", "RPC")], factories);
    expect(String(await failureOf(alone.unary(joinBooks, { id: "1" })))).toMatch(/JoinBooks/);
  });

  it("the error gives a reason for each interface if no interface can be reached", async () => {
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
