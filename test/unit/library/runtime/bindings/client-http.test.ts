import { expect, it, onTestFinished, vi } from "vitest";
import { createJsonRpcTransport } from "../../../../../library/runtime/bindings/jsonrpc/client.js";
import { createRestTransport } from "../../../../../library/runtime/bindings/rest/client.js";
import { ClientCore } from "../../../../../library/runtime/client/core.js";
import {
  readHttpError,
  readJsonRpcError,
} from "../../../../../library/runtime/protocol/error-form-status.js";
import {
  all,
  BookNotFound,
  errors,
  failureOf,
  getBook,
  json,
  operations,
  protocol,
  serve,
  watchBook,
} from "../client-sample.js";

const book = { id: "1" };
const { jsonRpc: code, http, grpc: status } = BookNotFound.row;
const rest = {
  binding: "HTTP+JSON",
  transportTo: (url: string) =>
    createRestTransport({ url, protocol, operations, errors, readError: readHttpError }),
  success: book,
  failure: { error: { code: http, status, message: "gone" } },
  bodyOf: (value: object) => value,
};
const rpc = {
  binding: "JSON-RPC",
  transportTo: (url: string) =>
    createJsonRpcTransport({ url, protocol, errors, readError: readJsonRpcError }),
  success: { result: book },
  failure: { error: { code, message: "gone" } },
  bodyOf: (value: object, request: string) => {
    const { id } = JSON.parse(request) as { id: number };
    return { jsonrpc: "2.0", id, ...value };
  },
};

/** Starts a server that always sends the same response, and returns a client. */
async function connected(
  { transportTo, bodyOf }: typeof rest | typeof rpc,
  value: object,
  headers: Readonly<Record<string, string>>,
  responseStatus = 200,
) {
  const { url, requests } = await serve(({ body }, response) => {
    response.setHeaders(new Map(Object.entries(headers)));
    json(response, bodyOf(value, body), responseStatus);
  });
  return { caller: new ClientCore({ transport: transportTo(url), protocol, errors }), requests };
}

/** Makes a module of the library unavailable during a test. */
function withoutModule(path: string): void {
  const file = `../../../../../library/runtime/${path}`;
  vi.doMock(file, () => {
    throw new Error("the file is gone");
  });
  onTestFinished(() => {
    vi.doUnmock(file);
  });
}

it.each([rest, rpc])(
  "$binding: a call with one response has trailers, which are headers with a prefix",
  async (peer) => {
    const seen: unknown[] = [];
    const options = {
      onTrailers: (trailers: Headers) => seen.push(Object.fromEntries(trailers)),
    };
    const sent = { "trailer-cost": "3", other: "4" };
    const { caller } = await connected(peer, peer.success, sent);
    expect(await caller.unary(getBook, { id: "1" }, options)).toEqual(book);
    expect(await all(caller.stream(watchBook, { id: "1" }, options))).toEqual([book]);
    const failing = await connected(peer, peer.failure, { "trailer-cost": "5" }, http);
    const error = await failureOf(failing.caller.unary(getBook, { id: "1" }, options));
    expect(error).toBeInstanceOf(BookNotFound);
    expect(seen).toEqual([{ cost: "3" }, { cost: "5" }]);
  },
);

it.each([
  { ...rest, status: http },
  { ...rpc, status: 200 },
])("$binding: an error has the seconds of the header Retry-After", async (peer) => {
  const sent = { "retry-after": "7" };
  const { caller } = await connected(peer, peer.failure, sent, peer.status);
  const error = await failureOf(caller.unary(getBook, { id: "1" }));
  expect(error).toBeInstanceOf(BookNotFound);
  expect(error).toMatchObject({ message: "gone", retryAfterSeconds: 7 });
});

it("an error over JSON-RPC is known even if the file that reads Retry-After cannot be loaded", async () => {
  withoutModule("protocol/retry-after.js");
  const { caller } = await connected(rpc, rpc.failure, { "retry-after": "7" });
  const error = await failureOf(caller.unary(getBook, { id: "1" }));
  expect(error).toBeInstanceOf(BookNotFound);
  expect(error).toMatchObject({ retryAfterSeconds: undefined });
});

it("a stream over HTTP+JSON is not sent if the file that reads streams cannot be loaded", async () => {
  withoutModule("bindings/rest/client-stream.js");
  const { caller, requests } = await connected(rest, book, {});
  expect(await failureOf(all(caller.stream(watchBook, { id: "1" })))).toMatchObject({
    name: "TransportError",
    message: "The code that reads streams could not be loaded",
    unsent: true,
  });
  expect(requests).toEqual([]);
});
