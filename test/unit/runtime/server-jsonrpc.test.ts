import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { jsonRpcHandler, type JsonRpcOptions } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import type { HttpResponse } from "../../../templates/runtime/http/server.js";
import {
  errors,
  eventsOf,
  httpRequest,
  jsonOf,
  NoteNotFoundError,
  sampleCore,
  textOf,
  type Note,
  type NoteService,
} from "./server-sample.js";

const note: Note = { id: "n1", text: "hello" };

const service: NoteService = {
  getNote: ({ id = "" }) => {
    if (id === "gone") throw new NoteNotFoundError(undefined, { metadata: { id } });
    if (id === "broken") throw new Error("inner text");
    if (id === "denied") throw new errors.permissionDenied();
    return { ...note, id };
  },
  async *watchNote({ id }) {
    if (id === "gone") throw new NoteNotFoundError();
    yield note;
    if (id === "broken") throw new Error("inner text");
    yield { ...note, text: "again" };
  },
};

async function post(
  body: unknown,
  headers: Record<string, string> = {},
  options?: JsonRpcOptions,
): Promise<HttpResponse> {
  const answer = await jsonRpcHandler(sampleCore(service), options)(httpRequest("POST", "/", body, headers));
  if (answer === undefined) throw new Error("not handled");
  return answer;
}

const request = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

async function errorOf(body: unknown): Promise<unknown> {
  const answer = await post(body);
  expect(answer.status).toBe(200);
  return jsonOf(answer);
}

describe("a request", () => {
  it("gets a response with its id", async () => {
    const answer = await post(request("GetNote", { id: "n1" }, "abc"));
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(await jsonOf(answer)).toEqual({ jsonrpc: "2.0", id: "abc", result: note });
    expect(await jsonOf(await post(request("GetNote", { id: "n1" }, 0)))).toMatchObject({ id: 0 });
  });

  it("may leave out its params", async () => {
    expect(await jsonOf(await post({ jsonrpc: "2.0", id: 1, method: "GetNote" }))).toMatchObject({
      result: { id: "" },
    });
  });

  it("is answered on the path with and without a slash at its end, and nowhere else", async () => {
    const handler = jsonRpcHandler(sampleCore(service), { path: "/rpc/" });
    const status = async (url: string) => (await handler(httpRequest("POST", url, request("GetNote"))))?.status;
    expect(await status("/rpc")).toBe(200);
    expect(await status("/rpc/?a=b")).toBe(200);
    expect(await status("/")).toBeUndefined();
    expect(await status("/rpc/x")).toBeUndefined();
    expect(await status("/rpcx")).toBeUndefined();
  });

  it("may name its version in the query, and the header counts more", async () => {
    const handler = jsonRpcHandler(sampleCore(service));
    const reply = async (headers: Record<string, string>) =>
      jsonOf(await handler(httpRequest("POST", "/?notes-version=9.9", request("GetNote", { id: "n1" }), headers)));
    expect(await reply({})).toMatchObject({ error: { code: -32009 } });
    expect(await reply({ "Notes-Version": "2.1" })).toMatchObject({ result: note });
  });
});

describe("a wrong request", () => {
  it("names each violation of its params", async () => {
    expect(await errorOf(request("GetNote", { limit: "many" }))).toMatchObject({
      error: { data: [{ reason: "INVALID_PARAMS" }, { fieldViolations: [{ field: "limit" }] }] },
    });
  });

  it("may be nested as deep as it likes", async () => {
    const deep = '{"filter":'.repeat(20_000) + "1" + "}".repeat(20_000);
    const body = `{"jsonrpc":"2.0","id":1,"method":"GetNote","params":{"id":"n1","x":${deep}}}`;
    expect(await jsonOf(await post(body))).toMatchObject({ result: note });
  });

  it("of another media type is refused before its body is read", async () => {
    const wrong = httpRequest("POST", "/", request("GetNote"), { "content-type": "text/plain" });
    const readBody = vi.spyOn(wrong, "readBody");
    const answer = await jsonRpcHandler(sampleCore(service))(wrong);
    expect(answer?.status).toBe(415);
    expect(await jsonOf(answer)).toMatchObject({ id: null, error: { code: -32005 } });
    expect(readBody).not.toHaveBeenCalled();
    expect((await post(request("GetNote"), { "content-type": "application/JSON; charset=utf-8" })).status).toBe(200);
    expect((await post(request("GetNote"), { "content-encoding": "gzip" })).status).toBe(415);
  });
});

describe("an error of the service", () => {
  it("comes with its code and reason", async () => {
    expect(await errorOf(request("GetNote", { id: "gone" }))).toMatchObject({
      id: 1,
      error: { code: -32001, data: [{ reason: "NOTE_NOT_FOUND", metadata: { id: "gone" } }] },
    });
  });

  it("that nobody expected comes without its text", async () => {
    const text = JSON.stringify(await errorOf(request("GetNote", { id: "broken" })));
    expect(text).toContain("-32603");
    expect(text).not.toContain("inner text");
  });

  it("about access comes with the status of HTTP", async () => {
    expect((await post(request("GetNote", { id: "denied" }))).status).toBe(403);
    const authenticate = (): never => {
      throw new errors.unauthenticated();
    };
    const core = sampleCore(service, { options: { authenticate, challenge: 'Bearer realm="notes"' } });
    expect(await jsonRpcHandler(core)(httpRequest("POST", "/", request("GetNote")))).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="notes"' },
    });
  });
});

describe("a stream", () => {
  it("gives one response per event", async () => {
    const answer = await post(request("WatchNote", { id: "n1" }, 7));
    expect(answer).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" },
    });
    expect(await eventsOf(answer)).toEqual([
      { jsonrpc: "2.0", id: 7, result: note },
      { jsonrpc: "2.0", id: 7, result: { ...note, text: "again" } },
    ]);
  });

  it("that fails before its first event is an ordinary response", async () => {
    const answer = await post(request("WatchNote", { id: "gone" }));
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(await jsonOf(answer)).toMatchObject({ id: 1, error: { code: -32001 } });
  });

  it("that fails later ends with an error response", async () => {
    const events = await eventsOf(await post(request("WatchNote", { id: "broken" })));
    expect(events).toMatchObject([{ result: note }, { id: 1, error: { code: -32603, message: "InternalError." } }]);
  });

  it("stays open with comments while it is silent, and asks for nothing in advance", async () => {
    const next = vi.fn(async () => {
      if (next.mock.calls.length > 1) await delay(60);
      return { done: false, value: note };
    });
    const core = sampleCore({ watchNote: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) });
    const handler = jsonRpcHandler(core, { keepAliveMs: 20 });
    const answer = await handler(httpRequest("POST", "/", request("WatchNote")));
    if (typeof answer?.body !== "object") throw new Error("no stream");
    const body = answer.body[Symbol.asyncIterator]();
    expect(await body.next()).toMatchObject({ value: expect.stringMatching(/^data: /) as string });
    expect(next).toHaveBeenCalledTimes(1);
    expect(await body.next()).toMatchObject({ value: expect.stringMatching(/^:/) as string });
    expect(next).toHaveBeenCalledTimes(2);
    const waiting = body.next();
    await body.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it.each(["an event", "an error"])("begins before %s that is long in coming", async (what) => {
    const core = sampleCore({
      async *watchNote() {
        await delay(60);
        if (what === "an error") throw new NoteNotFoundError();
        yield note;
      },
    });
    const answer = await jsonRpcHandler(core, { keepAliveMs: 20 })(httpRequest("POST", "/", request("WatchNote")));
    if (typeof answer?.body !== "object") throw new Error("no stream");
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/event-stream" } });
    const body = answer.body[Symbol.asyncIterator]();
    const chunks: string[] = [];
    for await (const chunk of { [Symbol.asyncIterator]: () => body }) chunks.push(chunk);
    expect(chunks[0]).toMatch(/^:/);
    expect(chunks.at(-1)).toMatch(what === "an event" ? /^data: .*"result"/ : /^data: .*"error":.*-32001/);
  });

  it("waits for its first event however long that takes, where no comment keeps it open", async () => {
    const core = sampleCore({
      async *watchNote() {
        await delay(60);
        yield* [];
        throw new NoteNotFoundError();
      },
    });
    const answer = await jsonRpcHandler(core, { keepAliveMs: 0 })(httpRequest("POST", "/", request("WatchNote")));
    expect(await jsonOf(answer)).toMatchObject({ id: 1, error: { code: -32001 } });
  });

  it("ends the iterator of the service when it is left", async () => {
    const ended = vi.fn();
    const core = sampleCore({
      async *watchNote() {
        try {
          for (;;) yield note;
        } finally {
          ended();
        }
      },
    });
    const answer = await jsonRpcHandler(core)(httpRequest("POST", "/", request("WatchNote")));
    if (typeof answer?.body !== "object") throw new Error("no stream");
    const body = answer.body[Symbol.asyncIterator]();
    await body.next();
    await body.return?.();
    expect(ended).toHaveBeenCalledOnce();
  });

  it("names the extensions in use in its headers", async () => {
    const core = sampleCore({
      async *watchNote(_, context) {
        context.activateExtension("urn:x");
        yield note;
      },
    });
    const answer = await jsonRpcHandler(core)(httpRequest("POST", "/", request("WatchNote")));
    expect(answer?.headers).toMatchObject({ "Notes-Extensions": "urn:x" });
    await textOf(answer);
  });
});
