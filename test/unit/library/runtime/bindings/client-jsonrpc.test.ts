import { describe, expect, it, vi } from "vitest";
import { ClientCore } from "../../../../../library/runtime/client/core.js";
import {
  createJsonRpcTransport,
  type JsonRpcTransportOptions,
} from "../../../../../library/runtime/bindings/jsonrpc/client.js";
import { TransportError } from "../../../../../library/runtime/protocol/transport.js";
import { wasNotSent } from "../../../../../library/runtime/client/unsent.js";
import { A2AError } from "../../../../../library/runtime/protocol/error.js";
import { readJsonRpcError } from "../../../../../library/runtime/protocol/error-form-status.js";
import { formatEvent } from "../../../../../library/runtime/http/sse.js";
import {
  all,
  BookNotFound,
  drain,
  errors,
  failureOf,
  getBook,
  joinBooks,
  json,
  nowhere,
  protocol,
  serve,
  watchBook,
} from "../client-sample.js";

function callerOf(url: string, options: Partial<JsonRpcTransportOptions> = {}) {
  const transport = createJsonRpcTransport({
    url,
    protocol,
    errors,
    readError: readJsonRpcError,
    ...options,
  });
  return new ClientCore({ transport, protocol, errors });
}

/** The request that a body holds. */
const parse = (body: string) => JSON.parse(body) as { id: number; method: string; params: unknown };
const book = { id: "1", title: "Emma" };

/** Calls a server that answers every request with `value`, as the response to it. */
async function answeredWith(value: object, status = 200) {
  const { url } = await serve(({ body }, response) =>
    json(response, { jsonrpc: "2.0", id: parse(body).id, ...value }, status),
  );
  return failureOf(callerOf(url).unary(getBook, {}));
}

/** Calls a server that answers every streaming request with these events. */
async function streamedWith(
  ...events: (object | string)[]
): Promise<{ elements: unknown[]; failure: unknown }> {
  const { url } = await serve(({ body }, response) => {
    response.writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" });
    const text = (event: object | string) =>
      typeof event === "string"
        ? event
        : JSON.stringify({ jsonrpc: "2.0", id: parse(body).id, ...event });
    for (const event of events) response.write(formatEvent(text(event)));
    response.end();
  });
  return drain(callerOf(url).stream(watchBook, {}));
}

describe("a call over JSON-RPC", () => {
  it("a call is a POST with a JSON-RPC 2.0 request, and returns the result of its response", async () => {
    const { url, requests } = await serve(({ body }, response) =>
      json(
        response,
        { jsonrpc: "2.0", id: parse(body).id, result: book },
        200,
        "application/JSON; charset=utf-8",
      ),
    );
    const caller = callerOf(`${url}/rpc`, {
      headers: { Authorization: "Bearer x", "books-version": "0" },
    });
    expect(await caller.unary(getBook, { id: "1" }, { headers: { "X-Trace": "t" } })).toEqual(book);
    await caller.unary(getBook, { id: "1" });
    expect(requests[0]).toMatchObject({ method: "POST", url: "/rpc" });
    expect(requests[0]?.headers).toMatchObject({
      "content-type": "application/json",
      accept: "application/json",
      authorization: "Bearer x",
      "books-version": "2.1",
      "x-trace": "t",
    });
    const bodies = requests.map(({ body }) => parse(body));
    expect(bodies[0]).toEqual({
      jsonrpc: "2.0",
      id: bodies[0]?.id,
      method: "GetBook",
      params: { id: "1" },
    });
    expect(bodies[1]?.id).not.toBe(bodies[0]?.id);
  });

  it("a call throws the protocol error in the response, regardless of the HTTP status", async () => {
    for (const status of [200, 400, 500]) {
      const error = await answeredWith({ error: { code: -32001, message: "gone" } }, status);
      expect(error).toBeInstanceOf(BookNotFound);
      expect(error).toMatchObject({ message: "gone" });
    }
    const unknown = await answeredWith({ error: { code: -1, message: "odd", data: { a: 1 } } });
    expect(unknown).toBeInstanceOf(A2AError);
    expect(unknown).toMatchObject({ name: "A2AError", message: "odd" });
  });

  it("a call accepts an error without an id, but no result with another id", async () => {
    const error = await answeredWith({ id: undefined, error: { code: -32001, message: "gone" } });
    expect(error).toBeInstanceOf(BookNotFound);
    expect(await answeredWith({ id: 99, result: book })).toBeInstanceOf(TransportError);
    expect(await answeredWith({ id: null })).toBeInstanceOf(TransportError);
    expect(await answeredWith({ id: 99, error: { code: -32001, message: "gone" } })).toBeInstanceOf(
      TransportError,
    );
    const streamed = await streamedWith(
      { result: book },
      { id: undefined, error: { code: -32001, message: "gone" } },
    );
    expect(streamed).toMatchObject({ elements: [book], failure: { name: "BookNotFoundError" } });
  });

  it("a call reads 401 and 403 as missing access unless the body is more precise", async () => {
    expect(await answeredWith({ error: { code: -32600, message: "who?" } }, 401)).toBeInstanceOf(
      errors.unauthenticated,
    );
    expect(await answeredWith({ error: { code: -32600, message: "who?" } }, 403)).toMatchObject({
      name: "PermissionDeniedError",
      message: "who?",
    });
    expect(await answeredWith({ error: { code: -32001, message: "x" } }, 403)).toBeInstanceOf(
      BookNotFound,
    );
    const { url } = await serve((_, response) =>
      response.writeHead(401, { "content-type": "text/html" }).end("<h1>"),
    );
    expect(await failureOf(callerOf(url).unary(getBook, {}))).toBeInstanceOf(
      errors.unauthenticated,
    );
    expect(await failureOf(all(callerOf(url).stream(watchBook, {})))).toBeInstanceOf(
      errors.unauthenticated,
    );
  });

  it.each([
    ["another id", { id: 99, result: book }],
    ["another version", { jsonrpc: "1.0", result: book }],
    ["no result and no error", {}],
    ["an error without a code", { error: { message: "x" } }],
  ])("a call throws a TransportError if the response has %s", async (_, value) => {
    const error = await answeredWith(value);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ status: 200 });
  });

  it.each([
    [200, "<html>"],
    [200, ""],
    [502, "<html>"],
    [503, '{"message":"busy"}'],
    [204, ""],
  ])(
    "a call throws a TransportError with the status if the response is %i %j",
    async (status, body) => {
      const { url } = await serve((_, response) => response.writeHead(status).end(body));
      const error = await failureOf(callerOf(url).unary(getBook, {}));
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ status, url, unsent: undefined });
      expect(wasNotSent(error)).toBe(false);
    },
  );

  it("a call to an unreachable agent throws a TransportError that is known to be unsent", async () => {
    const url = await nowhere();
    const error = await failureOf(callerOf(url).unary(getBook, {}));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toMatch(/ECONNREFUSED/);
    expect(wasNotSent(error)).toBe(true);
    // The property states nothing, and does not deny what `wasNotSent` finds out.
    expect((error as TransportError).unsent).toBeUndefined();
    const unresolved = await failureOf(callerOf("http://no-such-host.invalid").unary(getBook, {}));
    expect(wasNotSent(unresolved)).toBe(true);
  });

  it("a call whose connection breaks throws a TransportError that may have been sent", async () => {
    for (const head of [undefined, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"]) {
      const { url } = await serve((_, response) => {
        if (head !== undefined) response.socket?.write(head);
        response.socket?.destroySoon();
      });
      const error = await failureOf(callerOf(url).unary(getBook, {}));
      expect(error).toBeInstanceOf(TransportError);
      expect(wasNotSent(error)).toBe(false);
    }
  });

  it("a call uses the given fetch, and does not send values that JSON-RPC cannot represent", async () => {
    const fetch = vi.fn(() =>
      Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, result: book })),
    );
    const caller = callerOf("https://agent.example/", { fetch });
    expect(await caller.unary(getBook, {})).toEqual(book);
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(await failureOf(caller.unary(joinBooks, { id: "1" }))).toMatchObject({
      name: "TransportError",
      unsent: true,
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

describe("a stream over JSON-RPC", () => {
  it("a stream that ends within an event fails after the events before it", async () => {
    const { url } = await serve(({ body }, response) => {
      const { id } = parse(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: book })}\n\ndata: {"jsonrpc":`,
      );
    });
    const { elements, failure } = await drain(callerOf(url).stream(watchBook, {}));
    expect(failure).toBeInstanceOf(TransportError);
    expect(elements).toEqual([book]);
  });

  it("a stream yields the result of each event", async () => {
    const { elements, failure } = await streamedWith({ result: { id: "1" } }, "", {
      result: { id: "2" },
    });
    expect(elements).toEqual([{ id: "1" }, { id: "2" }]);
    expect(failure).toBeUndefined();
  });

  it("a stream throws the error in an event after the events before it", async () => {
    const { elements, failure } = await streamedWith(
      { result: book },
      { error: { code: -32001, message: "gone" } },
    );
    expect(elements).toEqual([book]);
    expect(failure).toBeInstanceOf(BookNotFound);
  });

  it("a stream throws a TransportError if an event is not a response to the request", async () => {
    for (const event of ["no JSON", "[]", { id: 77, result: book }]) {
      expect((await streamedWith({ result: book }, event)).failure).toBeInstanceOf(TransportError);
    }
  });

  it("a stream accepts a plain JSON-RPC response as an error or as its only element", async () => {
    const answers = [{ error: { code: -32001, message: "gone" } }, { result: book }];
    const { url } = await serve(({ body }, response) =>
      json(response, { jsonrpc: "2.0", id: parse(body).id, ...answers.shift() }),
    );
    const caller = callerOf(url);
    expect(await failureOf(all(caller.stream(watchBook, {})))).toBeInstanceOf(BookNotFound);
    expect(await all(caller.stream(watchBook, {}))).toEqual([book]);
  });

  it("a stream requests events, and closes the connection if the loop is left", async () => {
    const closed = vi.fn();
    const { url, requests } = await serve(({ body }, response) => {
      response.on("close", closed);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = JSON.stringify({ jsonrpc: "2.0", id: parse(body).id, result: book });
      response.write(formatEvent(event) + formatEvent(event));
    });
    for await (const event of callerOf(url).stream(watchBook, {})) if (event.id === "1") break;
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
    expect(requests[0]?.headers.accept).toBe("text/event-stream, application/json");
  });
});
