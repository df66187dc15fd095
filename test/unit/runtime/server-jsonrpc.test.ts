import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { jsonRpcHandler, type JsonRpcOptions } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import type { HttpResponse } from "../../../templates/runtime/http/server.js";
import {
  errors,
  httpRequest,
  jsonOf,
  NoteNotFoundError,
  sampleCore,
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

describe("a stream", () => {
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
});
