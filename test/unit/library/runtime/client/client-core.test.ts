import { describe, expect, it, vi } from "vitest";
import { openScope } from "../../../../../library/runtime/client/scope.js";
import { TransportError, type Call } from "../../../../../library/runtime/protocol/transport.js";
import {
  all,
  callerOf,
  drain,
  errors,
  failureOf,
  getBook,
  joinBooks,
  streamOf,
  transportOf,
  watchBook,
} from "../client-sample.js";

const forever = (): Promise<never> => new Promise(() => undefined);

describe("a call", () => {
  it("a call sends the version of the protocol and the extensions, if any", async () => {
    const transport = transportOf();
    await callerOf({ transport }).unary(getBook, {});
    expect(transport.calls[0]).toEqual({
      name: getBook.name,
      operation: getBook,
      request: {},
      headers: { "books-version": "2.1" },
      signal: undefined,
      deviations: {},
    });
    const caller = callerOf({ transport, extensions: ["urn:a", "urn:b"] });
    await caller.unary(getBook, {}, { extensions: ["urn:b", "urn:c"] });
    expect(transport.calls[1]?.headers).toMatchObject({ "books-extensions": "urn:a,urn:b,urn:c" });
  });

  it("a call sends the headers of the client and of the call, regardless of the case of their names", async () => {
    const transport = transportOf();
    const caller = callerOf({ transport, headers: { Authorization: "a", "X-One": "1" } });
    await caller.unary(getBook, {}, { headers: { authorization: "b", "Books-Version": "9" } });
    expect(transport.calls[0]?.headers).toEqual({
      authorization: "b",
      "x-one": "1",
      "books-version": "9",
    });
  });

  it("a call sets the tenant in requests whose tenant field is empty", async () => {
    const transport = transportOf();
    const caller = callerOf({ transport, tenant: "acme" });
    const request = { id: "1" };
    await caller.unary(getBook, request);
    await caller.unary(getBook, { tenant: "" });
    await caller.unary(getBook, { tenant: "other" });
    await caller.unary(joinBooks, streamOf({ id: "1" }));
    const requests = transport.calls.map((call) => call.request);
    expect(requests.slice(0, 3)).toEqual([
      { id: "1", tenant: "acme" },
      { tenant: "acme" },
      { tenant: "other" },
    ]);
    expect(await all(requests[3] as AsyncIterable<unknown>)).toEqual([{ id: "1" }]);
    expect(request).toEqual({ id: "1" });
  });

  it("a call sets the tenant in each request of a request stream", async () => {
    const transport = transportOf();
    const operation = { ...joinBooks, tenant: true } as const;
    await callerOf({ transport, tenant: "acme" }).unary(operation, streamOf({ id: "1" }));
    expect(await all(transport.calls[0]?.request as AsyncIterable<unknown>)).toEqual([
      { id: "1", tenant: "acme" },
    ]);
  });
});

describe("a response", () => {
  it("a response is returned in its canonical form", async () => {
    const transport = transportOf({
      unary: () => Promise.resolve({ id: "1", title: null, extra: 1 }),
    });
    expect(await callerOf({ transport }).unary(getBook, {})).toEqual({ id: "1" });
  });

  it("an invalid response is an error that names the operation and all issues", async () => {
    const transport = transportOf({
      unary: () => Promise.resolve({ title: 1 }),
      stream: () => streamOf({ id: "1" }, { id: 2 }),
    });
    const error = await failureOf(callerOf({ transport }).unary(getBook, {}));
    expect(error).toBeInstanceOf(errors.invalidResponse);
    expect(String(error)).toMatch(/GetBook.*\/title.*\/id/);
    const { elements, failure } = await drain(callerOf({ transport }).stream(watchBook, {}));
    expect(failure).toBeInstanceOf(errors.invalidResponse);
    expect(elements).toEqual([{ id: "1" }]);
  });

  it("a response is not validated if checks are disabled", async () => {
    const transport = transportOf({ unary: () => Promise.resolve({ title: 1 }) });
    expect(await callerOf({ transport, validate: false }).unary(getBook, {})).toEqual({ title: 1 });
  });
});

describe("the end of a call", () => {
  it("a call ends with the reason of the signal even if the transport ignores the signal", async () => {
    const caller = callerOf({
      transport: transportOf({
        unary: forever,
        stream: () => ({ [Symbol.asyncIterator]: () => ({ next: forever }) }),
      }),
    });
    const reason = new Error("enough");
    for (const start of [
      (signal: AbortSignal) => caller.unary(getBook, {}, { signal }),
      (signal: AbortSignal) => all(caller.stream(watchBook, {}, { signal })),
    ]) {
      const controller = new AbortController();
      const call = failureOf(start(controller.signal));
      controller.abort(reason);
      expect(await call).toBe(reason);
      expect(await failureOf(start(AbortSignal.abort(reason)))).toBe(reason);
    }
  });

  it("a call ends before sending anything if the signal has already aborted", async () => {
    const transport = transportOf();
    const signal = AbortSignal.abort();
    await failureOf(callerOf({ transport }).unary(getBook, {}, { signal }));
    await failureOf(all(callerOf({ transport }).stream(watchBook, {}, { signal })));
    expect(transport.calls).toEqual([]);
  });

  it("a call ends with a TimeoutError when the time-out of the whole call or stream has expired", async () => {
    async function* slowly(): AsyncGenerator {
      for (;;) yield await new Promise((resolve) => setTimeout(resolve, 4, { id: "1" }));
    }
    const transport = transportOf({ unary: forever, stream: slowly });
    const caller = callerOf({ transport, timeoutMs: 20 });
    expect(await failureOf(caller.unary(getBook, {}))).toMatchObject({ name: "TimeoutError" });
    expect(await failureOf(all(caller.stream(watchBook, {})))).toMatchObject({
      name: "TimeoutError",
    });
    expect(await failureOf(caller.unary(getBook, {}, { timeoutMs: 0 }))).toBeInstanceOf(
      DOMException,
    );
  });

  it("a finished call leaves no timer and no listener behind", async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const added = vi.spyOn(controller.signal, "addEventListener");
      const removed = vi.spyOn(controller.signal, "removeEventListener");
      const options = { signal: controller.signal, timeoutMs: 1e6 };
      const caller = callerOf({ transport: transportOf() });
      await caller.unary(getBook, {}, options);
      await all(caller.stream(watchBook, {}, options));
      for await (const book of caller.stream(watchBook, {}, options)) if (book.id === "1") break;
      expect(vi.getTimerCount()).toBe(0);
      const listeners = (calls: unknown[][]) => new Set(calls.map(([, listener]) => listener));
      expect(listeners(removed.mock.calls)).toEqual(listeners(added.mock.calls));
      await callerOf({ transport: transportOf(), timeoutMs: 5 }).unary(
        getBook,
        {},
        { timeoutMs: Infinity },
      );
    } finally {
      vi.useRealTimers();
    }
  });

  it("a signal has one listener, regardless of the number of finished calls", () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const first = openScope(signal);
    first.end();
    const later = openScope(signal);
    first.end();
    openScope(signal).end();
    later.end();
    expect(added).toHaveBeenCalledTimes(2);
  });

  it("a call ends with a TransportError when the client is closed, and closing twice is allowed", async () => {
    const close = vi.fn();
    const transport = { ...transportOf(), close };
    const caller = callerOf({ transport });
    const stream = caller.stream(watchBook, {});
    caller.close();
    caller.close();
    expect(close).toHaveBeenCalledOnce();
    for (const call of [caller.unary(getBook, {}), all(stream)]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ name: "TransportError", unsent: true });
      expect(String(error)).toContain("The client is closed");
    }
    expect(transport.calls).toEqual([]);
  });

  it("a time-out that timers cannot represent is unlimited", async () => {
    const late = () => new Promise((resolve) => setTimeout(resolve, 5, { id: "1" }));
    const caller = callerOf({ transport: transportOf({ unary: late }) });
    expect(await caller.unary(getBook, {}, { timeoutMs: 2 ** 40 })).toEqual({ id: "1" });
  });
});

describe("a stream", () => {
  it("a stream sends nothing before its iteration, and one request for any number of iterations", async () => {
    const transport = transportOf();
    const stream = callerOf({ transport }).stream(watchBook, {});
    await Promise.resolve();
    expect(transport.calls).toHaveLength(0);
    const iterator = stream[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: { id: "1" } });
    expect(await all(stream)).toEqual([{ id: "2" }]);
    expect(await all(stream)).toEqual([]);
    expect(transport.calls).toHaveLength(1);
  });

  it("a stream ends its request if the loop is left or throws", async () => {
    const states: (boolean | undefined)[] = [];
    async function* endless(call: Call): AsyncGenerator {
      try {
        for (;;) yield await Promise.resolve({ id: "1" });
      } finally {
        states.push(call.signal?.aborted);
      }
    }
    const caller = callerOf({ transport: transportOf({ stream: endless }) });
    for await (const book of caller.stream(watchBook, {})) if (book.id) break;
    const failing = (async () => {
      for await (const book of caller.stream(watchBook, {})) throw new Error(book.id);
    })();
    expect(await failureOf(failing)).toEqual(new Error("1"));
    expect(states).toEqual([true, true]);
  });

  it("a stream ends immediately while an element is awaited", async () => {
    const transport = transportOf({
      async *stream(call) {
        yield await new Promise((_, reject) =>
          call.signal?.addEventListener("abort", () => reject(new Error("late"))),
        );
      },
    });
    const iterator = callerOf({ transport }).stream(watchBook, {})[Symbol.asyncIterator]();
    const [first, second] = [iterator.next(), iterator.next()];
    await vi.waitFor(() => expect(transport.calls).toHaveLength(1));
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await first).toEqual({ done: true, value: undefined });
    expect(await second).toEqual({ done: true, value: undefined });
    expect(transport.calls[0]?.signal?.aborted).toBe(true);
  });

  it("a stream that is left before its iteration never starts", async () => {
    const transport = transportOf();
    const iterator = callerOf({ transport }).stream(watchBook, {})[Symbol.asyncIterator]();
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(transport.calls).toHaveLength(0);
  });

  it("a stream yields the elements before an error, and throws the error once", async () => {
    const cut = new TransportError("cut", { url: "x" });
    const transport = transportOf({
      async *stream() {
        yield await Promise.resolve({ id: "1" });
        throw cut;
      },
    });
    const iterator = callerOf({ transport }).stream(watchBook, {})[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: { id: "1" } });
    expect(await failureOf(iterator.next())).toBe(cut);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});
