import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGrpcTransport } from "../../../../../library/runtime/bindings/grpc/client.js";
import { readGrpcError } from "../../../../../library/runtime/protocol/error-form-status.js";
import {
  TransportError,
  type Transport,
} from "../../../../../library/runtime/protocol/transport.js";
import { all, errors, failureOf, getBook, protocol, watchBook } from "../client-sample.js";
import { codec, codecsOf } from "../protocol/sample-grpc.js";
import { portOf } from "../../../../support/ports.js";

type Answer = (stream: ServerHttp2Stream) => void;

const head = { ":status": 200, "content-type": "application/grpc" };
const many = Object.fromEntries(
  Array.from({ length: 2000 }, (_, index) => [`x-${index}`, "y".repeat(100)]),
);

function frame(bytes: Uint8Array, flag = 0, length = bytes.length): Buffer {
  const start = Buffer.alloc(5);
  start.writeUInt8(flag, 0);
  start.writeUInt32BE(length, 1);
  return Buffer.concat([start, bytes]);
}
const book = frame(codec.encode({ id: "1" }));

/** Responds with headers, a body, and optional trailers. */
function answer(
  headers: OutgoingHttpHeaders,
  body: string | Buffer = "",
  trailers?: OutgoingHttpHeaders,
): Answer {
  return (stream) => {
    stream.on("wantTrailers", () => stream.sendTrailers(trailers ?? {}));
    stream.respond(headers, { waitForTrailers: trailers !== undefined });
    stream.end(body);
  };
}
const reset = (code: number): Answer => {
  return (stream) => stream.close(code);
};

/** A transport to an HTTP/2 server with any given response. The test stops both. */
async function transportTo(respond: Answer, scheme = "") {
  const server = createServer().listen(0, "127.0.0.1");
  server
    .on("sessionError", () => undefined)
    .on("stream", (stream: ServerHttp2Stream) => {
      stream.on("error", () => undefined).resume();
      respond(stream);
    });
  await once(server, "listening");
  const url = `${scheme}127.0.0.1:${portOf(server)}`;
  const operations = [getBook, watchBook];
  const facts = {
    codecs: codecsOf(operations),
    protocol,
    operations,
    errors,
    readError: readGrpcError,
  };
  const transport = createGrpcTransport({ url, ...facts });
  onTestFinished(() => {
    transport.close?.();
    server.close();
  });
  return transport;
}

const call = { name: "GetBook", request: {}, headers: {}, signal: undefined };
const ofUnary = (transport: Transport) =>
  failureOf(transport.unary({ ...call, operation: getBook }));
const ofStream = (transport: Transport) =>
  failureOf(all(transport.stream({ ...call, operation: watchBook })));

describe("an agent that does not speak gRPC causes a TransportError and no protocol error", () => {
  it.each<[string, Answer, number?]>([
    ["a message without a status", answer(head, book)],
    ["no response at all", answer(head)],
    ["a redirect", answer({ ":status": 302, location: "/" }), 302],
    [
      "an HTML page",
      answer({ ":status": 200, "content-type": "text/html" }, "<!doctype html><p>Hello"),
    ],
    [
      "an HTML page for a missing path",
      answer({ ":status": 404, "content-type": "text/html" }, "<!doctype html>"),
      404,
    ],
    ["an internal server error", answer({ ":status": 500 }, "<p>"), 500],
    ["a stream that is reset", reset(2)],
    ["a stream that is refused", reset(7)],
    ["a stream that exceeds its limit", reset(11)],
    ["a stream with inadequate security", reset(12)],
    ["a connection that ends", (stream) => stream.session?.destroy()],
    ["a flood of metadata", answer({ ...head, ...many })],
    ["a flood of trailers", answer(head, book, { ...many, "grpc-status": "0" })],
    ["a message that exceeds the size limit", answer(head, frame(Buffer.from("{}"), 0, 2 ** 31))],
    [
      "a message with invalid compression",
      answer({ ...head, "grpc-encoding": "gzip" }, frame(book, 1)),
    ],
    ["a status that is not a number", answer(head, "", { "grpc-status": "no" })],
  ])("a faulty gRPC response is a TransportError: %s", async (_, respond, status) => {
    const transport = await transportTo(respond);
    for (const error of [await ofUnary(transport), await ofStream(transport)]) {
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ status, unsent: undefined });
    }
  });

  it.each<[string, Buffer]>([
    ["No message", Buffer.alloc(0)],
    ["several messages", Buffer.concat([book, book])],
  ])("%s instead of one message are a TransportError", async (what, body) => {
    const error = await ofUnary(await transportTo(answer(head, body, { "grpc-status": "0" })));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toContain(what);
  });
});

it("a gRPC proxy that requires credentials causes the error for missing access, as over HTTP", async () => {
  const [asking, refusing] = [answer({ ":status": 401 }), answer({ ":status": 403 }, "no")];
  expect(await ofUnary(await transportTo(asking))).toBeInstanceOf(errors.unauthenticated);
  expect(await ofStream(await transportTo(refusing))).toBeInstanceOf(errors.permissionDenied);
});

it("a client with TLS explains that the server responds in plain text", async () => {
  const transport = await transportTo(answer(head, book), "grpcs://");
  const error = await ofUnary(transport);
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({
    message: expect.stringContaining("use grpc://host:port") as unknown,
    unsent: true,
  });
});
