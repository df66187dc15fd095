import { once } from "node:events";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import type { WireCall } from "../../../../../library/runtime/bindings/http2/server-call.js";
import { echo, framed, received, send, serve, start } from "./wire-calls.js";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** A method that joins the requests of a stream. */
const join = {
  requestStream: true,
  async handle(call: WireCall) {
    const texts: string[] = [];
    for await (const bytes of call.all()) texts.push(text(bytes));
    call.respond(framed(texts.join(",")));
  },
};

describe("messages of a call", () => {
  it("a message may arrive in chunks of any size", async () => {
    const { client } = await serve();
    const { stream, reply } = start(client, "/test/echo");
    for (const byte of framed("hello")) {
      stream.write(Buffer.from([byte]));
      await received(client);
    }
    stream.end();
    expect((await reply).messages).toEqual(["hello"]);
  });

  it("a chunk may contain several messages and a part of the next message", async () => {
    const { client } = await serve({ join });
    const bytes = Buffer.concat(["a", "bb", "", "ccc"].map((each) => framed(each)));
    const { stream, reply } = start(client, "/test/join");
    stream.write(bytes.subarray(0, 14));
    await received(client);
    stream.end(bytes.subarray(14));
    expect((await reply).messages).toEqual(["a,bb,,ccc"]);
  });

  it("the head of a response has the status and the content type, but no date", async () => {
    const { client } = await serve();
    const { headers } = await send(client, "/test/echo", framed("hello"));
    expect(headers).toMatchObject({ ":status": 200, "content-type": "application/grpc" });
    expect(Object.keys(headers)).not.toContain("date");
    const failed = await send(client, "/test/unknown", framed("hello"));
    expect(Object.keys(failed.headers)).not.toContain("date");
  });

  it("a large message arrives unchanged", async () => {
    const { client } = await serve();
    const large = "x".repeat(3_000_000);
    expect((await send(client, "/test/echo", framed(large))).messages).toEqual([large]);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ] as const)("a message may be compressed with %s", async (encoding, compress) => {
    const { client } = await serve();
    const headers = { "grpc-encoding": encoding };
    const reply = await send(client, "/test/echo", framed(compress("hello"), 1), headers);
    expect(reply.messages).toEqual(["hello"]);
  });

  it("an unknown encoding is refused with the encodings that the server accepts", async () => {
    const { client } = await serve();
    const reply = await send(client, "/test/echo", framed("x", 1), { "grpc-encoding": "br" });
    expect(reply).toMatchObject({
      code: 12,
      headers: { "grpc-accept-encoding": "identity,gzip,deflate" },
    });
  });

  it.each<[string, Uint8Array, Record<string, string>, string]>([
    ["no message", new Uint8Array(), {}, "No request"],
    ["two messages", Buffer.concat([framed("a"), framed("b")]), {}, "Too many requests"],
    ["half a message", framed("hello").subarray(0, 7), {}, "The request is incomplete"],
    ["half a prefix", Buffer.from([0, 0]), {}, "The request is incomplete"],
    ["an unknown flag", framed("x", 2), {}, "Received message with invalid flags 2"],
    [
      "a compressed message without an encoding",
      framed("x", 1),
      {},
      "Received compressed message without grpc-encoding",
    ],
    [
      "invalid compression",
      framed("x", 1),
      { "grpc-encoding": "gzip" },
      "Failed to decompress the message",
    ],
    [
      "a message above the limit",
      framed("x".repeat(11)),
      {},
      "Received message larger than max (11 vs 10)",
    ],
    [
      "a small message that decompresses above the limit",
      framed(gzipSync(Buffer.alloc(1e7)).subarray(0, 9_800), 1),
      { "grpc-encoding": "gzip" },
      "Received message larger than max",
    ],
  ])("a caller of a unary method may not send %s", async (_, bytes, headers, message) => {
    const { client } = await serve({ echo }, { maxMessageBytes: 10 });
    const reply = await send(client, "/test/echo", bytes, headers);
    expect(reply.code).toBe(3);
    expect(decodeURIComponent(String(reply.headers["grpc-message"]))).toContain(message);
  });

  it("the events of a turn of the event loop are joined in one write", async () => {
    const { client } = await serve({
      count: {
        responseStream: true,
        async handle(call: WireCall) {
          await call.one();
          for (let index = 0; index < 100; index += 1) {
            await Promise.resolve();
            call.write(framed(String(index)));
          }
          call.end();
        },
      },
    });
    const { chunks, messages } = await send(client, "/test/count", framed(""));
    expect(messages).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
    expect(chunks.length).toBeLessThan(4);
  });
});

describe("the status and the metadata of a call", () => {
  it("a message of a status may contain any characters", async () => {
    const { client } = await serve({
      fail: { handle: (call: WireCall) => call.fail({ code: 9, details: "50 %\nä\ud800 ok" }) },
    });
    const { headers, code } = await send(client, "/test/fail");
    expect(code).toBe(9);
    expect(headers["grpc-message"]).toBe("50 %25%0A%C3%A4%EF%BF%BD ok");
  });

  it("binary metadata is base64, and several values of a name are joined", async () => {
    const seen: unknown[] = [];
    const { client } = await serve({
      look: {
        handle(call: WireCall) {
          seen.push(call.headers.get("a-bin"), call.headers.get("B"));
          seen.push(Object.fromEntries(call.headers.entries()));
          call.fail({
            code: 1,
            details: "",
            metadata: { "c-bin": [Buffer.from("hi!!"), Buffer.from("x")] },
          });
        },
      },
    });
    const headers = { "a-bin": ["aGk=,aGk", "eA"], b: "1" };
    const reply = await send(client, "/test/look", framed(""), headers);
    const bytes = "aGk=,aGk, eA";
    expect(seen).toEqual([bytes, "1", expect.objectContaining({ "a-bin": bytes, b: "1" })]);
    expect(reply.headers["c-bin"]).toBe("aGkhIQ, eA");
  });

  it.each([
    ["an unknown path", "/test/nothing", {}, { code: 12 }],
    ["an invalid time-out", "/test/echo", { "grpc-timeout": "soon" }, { code: 13 }],
    ["another method", "/test/echo", { ":method": "PUT" }, { headers: { ":status": 405 } }],
    [
      "another format",
      "/test/echo",
      { "content-type": "application/grpc+json" },
      { headers: { ":status": 415 } },
    ],
  ])("the server refuses %s", async (_, path, headers, expected) => {
    const { client } = await serve();
    expect(await send(client, path, framed(""), headers)).toMatchObject(expected);
  });

  it.each(["application/grpc", "application/grpc+proto", "Application/gRPC; charset=x"])(
    "the media type %s is gRPC",
    async (type) => {
      const { client } = await serve();
      const reply = await send(client, "/test/echo", framed("a"), { "content-type": type });
      expect(reply.messages).toEqual(["a"]);
    },
  );
});

describe("the end of a call", () => {
  /** A method that waits until its call is closed. */
  const waiting = () => {
    const seen = { calls: new Array<WireCall>(), closed: 0 };
    const handle = (call: WireCall) => {
      seen.calls.push(call);
      call.onClose(() => (seen.closed += 1));
    };
    return { seen, method: { handle, responseStream: true } };
  };

  it("the call ends at its deadline, and its service is notified", async () => {
    const { seen, method } = waiting();
    const { client } = await serve({ method });
    const reply = await send(client, "/test/method", framed(""), { "grpc-timeout": "20m" });
    expect(reply.code).toBe(4);
    expect(seen).toMatchObject({ closed: 1, calls: [{ isClosed: true }] });
  });

  it("the service is notified when its caller cancels the call or disconnects", async () => {
    const { seen, method } = waiting();
    const { client } = await serve({ method });
    const { stream } = start(client, "/test/method");
    start(client, "/test/method");
    await vi.waitFor(() => expect(seen.calls.length).toBe(2));
    stream.close(8);
    await vi.waitFor(() => expect(seen.closed).toBe(1));
    client.destroy();
    await vi.waitFor(() => expect(seen.closed).toBe(2));
    expect(seen.calls[0]?.write(framed("x"))).toBe(true);
    seen.calls[0]?.end();
  });

  it("a caller that sends a stream is stopped after the response", async () => {
    const { client } = await serve({
      method: {
        requestStream: true,
        async handle(call: WireCall) {
          for await (const bytes of call.all()) {
            call.respond(framed(bytes));
            return;
          }
        },
      },
    });
    const { stream, reply } = start(client, "/test/method");
    stream.write(framed("first"));
    stream.write(framed("second"));
    expect((await reply).messages).toEqual(["first"]);
  });

  it("a request that does not arrive in time is refused", async () => {
    const { client } = await serve({ echo }, { requestTimeoutMs: 40 });
    const { stream, reply } = start(client, "/test/echo");
    stream.write(framed("hello").subarray(0, 6));
    expect(await reply).toMatchObject({
      headers: { "grpc-message": "The request did not arrive in time" },
    });
  });

  it("a caller that does not read is disconnected, and its service must wait", async () => {
    const written: boolean[] = [];
    const { client } = await serve(
      {
        flood: {
          responseStream: true,
          async handle(call: WireCall) {
            while (!call.isClosed) {
              written.push(call.write(framed(Buffer.alloc(50_000))));
              if (written.at(-1) === false) await call.drained();
            }
          },
        },
      },
      { unreadTimeoutMs: 40 },
    );
    const stream = client.request({
      ":method": "POST",
      ":path": "/test/flood",
      "content-type": "application/grpc",
    });
    stream.on("error", () => undefined).end(framed(""));
    await once(stream, "close");
    expect(written.length).toBeLessThan(20);
  });

  it("a response that its caller does not read is discarded", async () => {
    const { client } = await serve({ echo }, { unreadTimeoutMs: 40 });
    const { ":path": path, ...rest } = { ":path": "/test/echo" };
    const stream = client.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      ...rest,
    });
    stream.on("error", () => undefined).end(framed(Buffer.alloc(1_000_000)));
    await once(stream, "close");
    expect(stream.rstCode).not.toBe(0);
  });
});
