import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import {
  jsonRpcHandler,
  type JsonRpcOptions,
} from "../../../../../library/runtime/bindings/jsonrpc/server.js";
import { Prepared, type PreparedEvents } from "../../../../../library/runtime/server/prepared.js";
import {
  eventsOf,
  httpRequest,
  jsonOf,
  NoteNotFoundError,
  sampleCore,
  textOf,
  type Note,
  type NoteService,
} from "../server/server-sample.js";

const note: Note = { id: "n1", text: "hello" };

const service: NoteService = { getNote: ({ id = "" }) => ({ ...note, id }) };

const request = (method: string, params?: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });

/** Opens a stream of a service, and returns the response and its body. */
async function open(service: NoteService, options?: JsonRpcOptions) {
  const response = await jsonRpcHandler(
    sampleCore(service),
    options,
  )(httpRequest("POST", "/", request("WatchNote")));
  if (typeof response?.body !== "object") return expect.unreachable("no stream");
  return { response, body: response.body[Symbol.asyncIterator]() };
}

describe("a request over JSON-RPC", () => {
  it("a request is accepted on the path with and without a trailing slash, and on no other path", async () => {
    const handler = jsonRpcHandler(sampleCore(service), { path: "/rpc/" });
    const status = async (url: string) =>
      (await handler(httpRequest("POST", url, request("GetNote"))))?.status;
    expect(await status("/rpc")).toBe(200);
    expect(await status("/rpc/?a=b")).toBe(200);
    expect(await status("/")).toBeUndefined();
    expect(await status("/rpc/x")).toBeUndefined();
    expect(await status("/rpcx")).toBeUndefined();
  });

  it("a request may name its version in the query, and the header takes precedence", async () => {
    const handler = jsonRpcHandler(sampleCore(service));
    const reply = async (headers: Record<string, string>) =>
      jsonOf(
        await handler(
          httpRequest("POST", "/?notes-version=9.9", request("GetNote", { id: "n1" }), headers),
        ),
      );
    expect(await reply({})).toMatchObject({ error: { code: -32009 } });
    expect(await reply({ "Notes-Version": "2.1" })).toMatchObject({ result: note });
  });
});

describe("the id of a request over JSON-RPC", () => {
  const handler = jsonRpcHandler(sampleCore(service));
  const send = async (id: unknown) =>
    jsonOf(await handler(httpRequest("POST", "/", { ...request("GetNote", { id: "n1" }), id })));

  it.each([null, 0, -1.5, 1e-7, Number.MAX_SAFE_INTEGER, "", "x".repeat(1000)])(
    "the id is returned: %j",
    async (id) => {
      expect(await send(id)).toEqual({ jsonrpc: "2.0", id, result: note });
    },
  );

  it.each([
    [undefined, "`id` is required"],
    ["x".repeat(1001), "at most 1000 characters"],
    [2 ** 53, "at most 53 bits"],
    [true, "a string, a number or null"],
  ])("the id is refused and not returned: %j", async (id, problem) => {
    const message: unknown = expect.stringContaining(problem);
    expect(await send(id)).toMatchObject({ id: null, error: { code: -32600, message } });
  });
});

describe("a request over JSON-RPC whose id is missing or invalid", () => {
  const handler = jsonRpcHandler(sampleCore(service));
  const codeOf = async (body: object): Promise<unknown> =>
    ((await jsonOf(await handler(httpRequest("POST", "/", body)))) as { error: { code: number } })
      .error.code;

  it("a missing id is reported after an invalid method or invalid params", async () => {
    expect(await codeOf({ jsonrpc: "2.0", method: "NoSuchMethod" })).toBe(-32601);
    expect(await codeOf({ jsonrpc: "2.0", method: "GetNote", params: [] })).toBe(-32602);
    expect(await codeOf({ jsonrpc: "2.0", method: "GetNote", params: { id: 7 } })).toBe(-32602);
    expect(await codeOf({ jsonrpc: "2.0", method: "GetNote", params: { id: "n1" } })).toBe(-32600);
    expect(await codeOf({ jsonrpc: "1.0", method: "NoSuchMethod" })).toBe(-32600);
  });

  it.each([{ id: true }, { id: 2 ** 53 }])("an invalid id is reported first: %j", async (id) => {
    expect(await codeOf({ jsonrpc: "2.0", method: "NoSuchMethod", ...id })).toBe(-32600);
    expect(await codeOf({ jsonrpc: "2.0", method: "GetNote", params: [], ...id })).toBe(-32600);
  });

  it("a request without a valid id never reaches the service", async () => {
    const getNote = vi.fn(() => note);
    await jsonRpcHandler(sampleCore({ getNote }))(
      httpRequest("POST", "/", { jsonrpc: "2.0", method: "GetNote", params: { id: "n1" } }),
    );
    expect(getNote).not.toHaveBeenCalled();
  });
});

describe("a stream over JSON-RPC", () => {
  it("a silent stream is kept open with comments, and requests no events in advance", async () => {
    const next = vi.fn(async () => {
      if (next.mock.calls.length > 1) await delay(60);
      return { done: false, value: note };
    });
    const { body } = await open(
      { watchNote: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) },
      { keepAliveMs: 20 },
    );
    expect(await body.next()).toMatchObject({ value: expect.stringMatching(/^data: /) as string });
    expect(next).toHaveBeenCalledTimes(1);
    expect(await body.next()).toMatchObject({ value: expect.stringMatching(/^:/) as string });
    expect(next).toHaveBeenCalledTimes(2);
    const waiting = body.next();
    await body.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it.each(["an event", "an error"])("a stream starts before %s that takes long", async (what) => {
    const { service: silent, speak } = late(what);
    const { response, body } = await open(silent, { keepAliveMs: 20 });
    expect(response).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream" },
    });
    expect(await body.next()).toMatchObject({ value: expect.stringMatching(/^:/) as string });
    speak();
    const chunks: string[] = [];
    for await (const chunk of { [Symbol.asyncIterator]: () => body }) chunks.push(chunk);
    expect(chunks.at(-1)).toMatch(
      what === "an event" ? /^data: .*"result"/ : /^data: .*"error":.*-32001/,
    );
  });

  it("a stream sends an error that arrives while a comment waits for a slow reader", async () => {
    const { service: silent, speak } = late("an error");
    const { body } = await open(silent, { keepAliveMs: 20 });
    expect(await body.next()).toMatchObject({ value: expect.stringMatching(/^:/) as string });
    speak();
    await delay(0);
    expect(await body.next()).toMatchObject({
      value: expect.stringMatching(/^data: .*"error":.*-32001/) as string,
    });
    expect(await body.next()).toEqual({ done: true, value: undefined });
  });

  it("a stream without comments waits for its first event for any time", async () => {
    const { service: silent, speak } = late("an error");
    const handler = jsonRpcHandler(sampleCore(silent), { keepAliveMs: 0 });
    const response = handler(httpRequest("POST", "/", request("WatchNote")));
    speak();
    expect(await jsonOf(await response)).toMatchObject({ id: 1, error: { code: -32001 } });
  });

  it("a stream sends all available events, up to the first event that may not be sent", async () => {
    const { body } = await open({
      watchNote: () => atOnce(new Prepared(note), { id: "n2", text: "a\nb" }, 7, note),
    });
    const { value = "" } = await body.next();
    expect(value.split("\n\n")).toEqual([
      'data: {"jsonrpc":"2.0","id":1,"result":{"id":"n1","text":"hello"}}',
      'data: {"jsonrpc":"2.0","id":1,"result":{"id":"n2","text":"a\\nb"}}',
      expect.stringMatching(/^data: {"jsonrpc":"2.0","id":1,"error":{/),
      "",
    ]);
    expect(await body.next()).toEqual({ done: true, value: undefined });
  });

  it("a stream ends with an error if an event has no form in JSON", async () => {
    const core = sampleCore(
      { watchNote: () => atOnce(note, () => note) },
      { options: { validateResponses: false } },
    );
    const response = await jsonRpcHandler(core)(httpRequest("POST", "/", request("WatchNote")));
    expect(await eventsOf(response)).toMatchObject([{ result: note }, { error: { code: -32006 } }]);
  });

  it("a stream names the active extensions in its headers", async () => {
    const { response } = await open({
      async *watchNote(_, context) {
        context.activateExtension("urn:x");
        yield note;
      },
    });
    expect(response.headers).toMatchObject({ "Notes-Extensions": "urn:x" });
    await textOf(response);
  });
});

/** A service that is silent until it may speak. */
function late(what: string): { readonly service: NoteService; readonly speak: () => void } {
  let speak = (): void => undefined;
  const mayTalk = new Promise<void>((resolve) => (speak = resolve));
  const service: NoteService = {
    async *watchNote() {
      await mayTalk;
      if (what === "an error") throw new NoteNotFoundError();
      yield note;
    },
  };
  return { service, speak };
}

/** Events that are available before they are requested. */
function atOnce(...events: unknown[]): AsyncIterable<unknown> {
  const next = (): Promise<IteratorResult<unknown, unknown>> =>
    Promise.resolve({ done: events.length === 0, value: events.shift() });
  const iterator: PreparedEvents = { next, nextPrepared: next, takePrepared: () => events.shift() };
  return { [Symbol.asyncIterator]: () => iterator };
}
