import {
  Metadata,
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ClientCore } from "../../../../../library/runtime/client/core.js";
import {
  createGrpcTransport,
  type GrpcTransportOptions,
} from "../../../../../library/runtime/bindings/grpc/client.js";
import { TransportError } from "../../../../../library/runtime/protocol/transport.js";
import { wasNotSent } from "../../../../../library/runtime/client/unsent.js";
import { grpcStatus, type A2AError } from "../../../../../library/runtime/protocol/error.js";
import {
  errorDetails,
  readGrpcError,
} from "../../../../../library/runtime/protocol/error-form-status.js";
import { encodeStatus } from "../../../../../library/runtime/bindings/grpc/status.js";
import type { Codec } from "../../../../../library/runtime/protocol/codec.js";
import { codec, codecsOf, listen } from "../protocol/sample-grpc.js";
import {
  all,
  BookNotFound,
  errors,
  failureOf,
  getBook,
  joinBooks,
  mirrorBooks,
  nowhere,
  protocol,
  streamOf,
  watchBook,
  type Book,
  type BookRequest,
} from "../client-sample.js";

const operations = [getBook, watchBook, joinBooks, mirrorBooks];
const codecs = codecsOf(operations);

/** Content of `grpc-status-details-bin` for an error. */
const packed = (error: A2AError): Buffer =>
  Buffer.from(
    encodeStatus({
      code: grpcStatus[error.grpcStatus],
      message: error.message,
      details: errorDetails(error, errors),
    }),
  );

interface Library {
  get?: (call: ServerUnaryCall<BookRequest, Book>, answer: sendUnaryData<Book>) => void;
  watch?: (call: ServerWritableStream<BookRequest, Book>) => void;
  join?: (call: ServerReadableStream<Book, Book>, answer: sendUnaryData<Book>) => void;
  mirror?: (call: ServerDuplexStream<Book, Book>) => void;
}

/** Starts a gRPC server that stops with the test, and returns its address. */
function library({ get, watch, join, mirror }: Library) {
  const serialize = (value: unknown): Buffer => Buffer.from(codec.encode(value));
  const deserialize = (bytes: Buffer): never => codec.decode(bytes) as never;
  const definitions = operations.map(({ name, grpc, streaming }) => ({
    path: grpc ?? "",
    originalName: name,
    requestStream: streaming === "client" || streaming === "both",
    responseStream: streaming === "server" || streaming === "both",
    requestSerialize: serialize,
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    responseDeserialize: deserialize,
  }));
  const service = Object.fromEntries(
    definitions.map((definition) => [definition.originalName, definition]),
  );
  const handlers = { GetBook: get, WatchBook: watch, JoinBooks: join, MirrorBooks: mirror };
  const implementation = Object.fromEntries(
    Object.entries(handlers).filter(([, handler]) => handler),
  ) as never;
  return listen((server) => server.addService(service, implementation));
}

function transportOf(url: string, options: Partial<GrpcTransportOptions> = {}) {
  const facts = { codecs, protocol, operations, errors, readError: readGrpcError };
  const transport = createGrpcTransport({ url, ...facts, ...options });
  onTestFinished(() => transport.close?.());
  return transport;
}

const callerOf = (url: string, options: Partial<GrpcTransportOptions> = {}) =>
  new ClientCore({ transport: transportOf(url, options), protocol, errors });

/** The status that a request asks for by its limit. */
const statusOf = ({ limit }: BookRequest) =>
  Object.values(status).find((value): value is status => value === limit) ?? status.NOT_FOUND;

describe("a call over gRPC", () => {
  it("a call sends its time-out to the server as a deadline", async () => {
    const deadlines: unknown[] = [];
    const url = await library({
      get: (received, answer) => {
        deadlines.push(received.getDeadline());
        answer(null, { id: "1", title: "A" });
      },
      watch: (received) => {
        deadlines.push(received.getDeadline());
        received.write({ id: "1", title: "A" });
        received.end();
      },
    });
    const before = Date.now();
    const caller = callerOf(url);
    await caller.unary(getBook, {}, { timeoutMs: 60_000 });
    await all(caller.stream(watchBook, {}, { timeoutMs: 60_000 }));
    expect(deadlines).toHaveLength(2);
    for (const deadline of deadlines) {
      expect(Number(deadline)).toBeGreaterThan(before);
      // The transport adds 100 ms, so that the timer of the client expires first.
      expect(Number(deadline)).toBeLessThanOrEqual(Date.now() + 60_100);
    }
  });

  it("a call that takes too long throws the error of the client", async () => {
    const caller = callerOf(await library({ get: () => undefined, watch: () => undefined }));
    for (const call of [
      caller.unary(getBook, {}, { timeoutMs: 50 }),
      all(caller.stream(watchBook, {}, { timeoutMs: 50 })),
    ])
      expect(await failureOf(call)).toMatchObject({ name: "TimeoutError" });
  });

  it("the error for a message above a limit names the side that has the limit", async () => {
    const title = "x".repeat(1000);
    const url = await library({
      get: (_, answer) => {
        answer(null, { id: "1", title });
      },
    });
    const limited = callerOf(url, { channelOptions: { "grpc.max_receive_message_length": 100 } });
    expect(await failureOf(limited.unary(getBook, {}))).toHaveProperty(
      "message",
      `${url} responded with a message of 1021 bytes, above the limit of 100 bytes: ` +
        'set "grpc.max_receive_message_length" in channelOptions',
    );
    const error = (await failureOf(
      callerOf(url).unary(getBook, { id: "x".repeat(2 ** 23) }),
    )) as Error;
    expect(error.message).toMatch(
      / refused a message of \d+ bytes, above the limit of 4194304 bytes/,
    );
  });

  it("a stream without an event is an error", async () => {
    const url = await library({ watch: (received) => void received.end() });
    const error = await failureOf(all(callerOf(url).stream(watchBook, {})));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toHaveProperty("message", `${url} responded with a stream without an event`);
  });

  it("a call sends request and metadata, and returns the response", async () => {
    let metadata: Metadata | undefined;
    const url = await library({
      get: ({ request, metadata: received }, answer) => {
        metadata = received;
        answer(null, { id: request.id ?? "" });
      },
    });
    const caller = callerOf(url, { headers: { "X-One": "1", "x-raw-bin": "AQID" } });
    const options = { headers: { "X-Two": "2" }, extensions: ["urn:a"] };
    expect(await caller.unary(getBook, { id: "7" }, options)).toEqual({ id: "7" });
    expect(metadata?.getMap()).toMatchObject({
      "books-version": "2.1",
      "books-extensions": "urn:a",
      "x-one": "1",
      "x-two": "2",
      "x-raw-bin": Buffer.from([1, 2, 3]),
    });
  });

  it("a call throws the protocol error in the status", async () => {
    const url = await library({
      get: ({ request }, answer) => {
        const metadata = new Metadata();
        const sent = new BookNotFound("gone", { metadata: { id: "7" } });
        if (request.full) metadata.set("grpc-status-details-bin", packed(sent));
        answer({ code: statusOf(request), details: "gone", metadata });
      },
    });
    const caller = callerOf(url);
    const error = await failureOf(caller.unary(getBook, { full: true, limit: 9 }));
    expect(error).toBeInstanceOf(BookNotFound);
    expect(error).toMatchObject({ message: "gone", metadata: { id: "7" } });
    expect(await failureOf(caller.unary(getBook, {}))).toBeInstanceOf(BookNotFound);
    expect(await failureOf(caller.unary(getBook, { limit: 16 }))).toBeInstanceOf(
      errors.unauthenticated,
    );
    expect(await failureOf(caller.unary(getBook, { limit: 7 }))).toBeInstanceOf(
      errors.permissionDenied,
    );
    expect(await failureOf(caller.unary(getBook, { limit: 15 }))).toMatchObject({
      name: "A2AError",
    });
    expect(await failureOf(caller.unary(getBook, { limit: 14, full: true }))).toBeInstanceOf(
      BookNotFound,
    );
    // Unavailable and cancelled, without a word of the agent: its server is busy, or gone.
    for (const limit of [14, 1]) {
      const lost = await failureOf(caller.unary(getBook, { limit }));
      expect(lost).toBeInstanceOf(TransportError);
      expect(wasNotSent(lost)).toBe(false);
    }
  });

  it("a call after the transport was closed throws a TransportError that is known to be unsent", async () => {
    const url = await library({ get: (_, answer) => answer(null, { id: "1" }) });
    const transport = transportOf(url);
    const call = {
      name: getBook.name,
      operation: getBook,
      request: {},
      headers: {},
      signal: undefined,
    };
    await transport.unary(call);
    transport.close?.();
    const failures = [failureOf(transport.unary(call)), failureOf(all(transport.stream(call)))];
    for (const error of await Promise.all(failures)) {
      expect(error).toMatchObject({
        name: "TransportError",
        message: `The connection to ${url} is closed: create a new client`,
      });
      expect(wasNotSent(error)).toBe(true);
    }
  });

  it("a call to an unreachable agent or without a codec throws a TransportError that is known to be unsent", async () => {
    const url = await nowhere();
    const error = await failureOf(callerOf(url).unary(getBook, {}));
    expect(error).toBeInstanceOf(TransportError);
    expect(wasNotSent(error)).toBe(true);
    expect(wasNotSent(await failureOf(all(callerOf(url).stream(watchBook, {}))))).toBe(true);
    expect(await failureOf(callerOf(url, { codecs: {} }).unary(getBook, {}))).toBeInstanceOf(
      TransportError,
    );
  });

  it("a call throws the error for invalid params, with all paths as agents name them, if the codec refuses the request", async () => {
    const fault = new Error("/id expected string, got 5");
    const failing: Codec<unknown> = {
      encode: () => {
        throw fault;
      },
      decode: (bytes) => codec.decode(bytes),
    };
    const pair = { request: failing, response: codec };
    const caller = callerOf(await nowhere(), {
      codecs: { GetBook: pair, WatchBook: pair, JoinBooks: pair },
    });
    expect(await failureOf(caller.unary(getBook, {}))).toMatchObject({
      message: `GetBook: ${fault.message}`,
      cause: fault,
    });
    const request = { id: 5, filter: { year: 1.5 } } as never;
    const expected = {
      message:
        "BookRequest: /id expected string, got 5; /filter/year expected 32-bit integer, got 1.5",
      details: [{ fieldViolations: [{ field: "id" }, { field: "filter.year" }] }],
    };
    const error = await failureOf(caller.unary(getBook, request));
    expect(error).toBeInstanceOf(errors.invalidParams);
    expect(error).toMatchObject(expected);
    expect(await failureOf(all(caller.stream(watchBook, request)))).toMatchObject(expected);
    const streamed = await failureOf(caller.unary(joinBooks, streamOf({ id: 5 } as never)));
    expect(streamed).toMatchObject({ message: "Book: /id expected string, got 5" });
  });

  it("a call ends with the reason of the signal and is canceled on the server", async () => {
    const cancelled = vi.fn();
    const controller = new AbortController();
    const reason = new Error("enough");
    const url = await library({
      get(call) {
        call.on("cancelled", cancelled);
        controller.abort(reason);
      },
    });
    expect(await failureOf(callerOf(url).unary(getBook, {}, { signal: controller.signal }))).toBe(
      reason,
    );
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
    const transport = transportOf(url);
    const call = {
      name: getBook.name,
      operation: getBook,
      request: {},
      headers: {},
      signal: controller.signal,
    };
    expect(await failureOf(transport.unary(call))).toBe(reason);
    expect(await failureOf(all(transport.stream({ ...call, operation: watchBook })))).toBe(reason);
  });
});

describe("a stream over gRPC", () => {
  it("a stream cancels the call if the loop is left or the signal aborts", async () => {
    const cancelled = vi.fn();
    const url = await library({
      watch: (call) => {
        call.on("cancelled", cancelled);
        call.write({ id: "1" });
      },
    });
    const caller = callerOf(url);
    for await (const book of caller.stream(watchBook, {})) if (book.id === "1") break;
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(1));
    const controller = new AbortController();
    const { signal } = controller;
    const stream = caller.stream(watchBook, {}, { signal })[Symbol.asyncIterator]();
    await stream.next();
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failureOf(stream.next())).toBe(reason);
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(2));
  });

  it("a server waits for a slow client", async () => {
    const total = 400;
    const counts: { written: number }[] = [];
    const title = "x".repeat(10_000);
    const url = await library({
      watch: (call) => {
        const count = { written: 0 };
        counts.push(count);
        const write = (): void => {
          while (count.written < total)
            if (!call.write({ id: String(count.written++), title }))
              return void call.once("drain", write);
          call.end();
        };
        write();
      },
    });
    const stream = callerOf(url).stream(watchBook, {})[Symbol.asyncIterator]();
    await stream.next();
    expect(await all(callerOf(url).stream(watchBook, {}))).toHaveLength(total);
    expect(counts[0]?.written).toBeLessThan(total / 2);
    let read = 1;
    while (!(await stream.next()).done) read++;
    expect(read).toBe(total);
  });
});

describe("requests streamed over gRPC", () => {
  it("a request stream has one response or a response stream", async () => {
    const url = await library({
      join: (call, answer) => {
        const ids: string[] = [];
        call
          .on("data", (book: Book) => ids.push(book.id))
          .on("end", () => answer(null, { id: ids.join() }));
      },
      mirror: (call) => {
        call
          .on("data", (book: Book) => void call.write({ id: `${book.id}!` }))
          .on("end", () => call.end());
      },
    });
    const books = (): AsyncIterable<Book> => streamOf({ id: "1" }, { id: "2" });
    expect(await callerOf(url).unary(joinBooks, books())).toEqual({ id: "1,2" });
    expect(await all(callerOf(url).stream(mirrorBooks, books()))).toEqual([
      { id: "1!" },
      { id: "2!" },
    ]);
  });

  it("a request stream is not read after the call has ended", async () => {
    const url = await library({
      join: (_, answer) => answer({ code: status.NOT_FOUND, details: "gone" }),
      mirror: (call) => void call.on("data", (book: Book) => call.write(book)),
    });
    const ended = vi.fn();
    async function* endless(): AsyncGenerator<Book> {
      try {
        for (;;) {
          yield { id: "1" };
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      } finally {
        ended();
      }
    }
    const caller = callerOf(url);
    expect(await failureOf(caller.unary(joinBooks, endless()))).toBeInstanceOf(BookNotFound);
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1));
    for await (const book of caller.stream(mirrorBooks, endless())) if (book.id === "1") break;
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(2));
  });

  it("a request stream that fails cancels the call, which throws the same error", async () => {
    const fault = new Error("no more");
    async function* failing(): AsyncGenerator<Book> {
      yield { id: "1" };
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw fault;
    }
    const cancelled = vi.fn();
    const url = await library({
      join: (call) => void call.on("cancelled", cancelled).resume(),
      mirror: (call) => void call.on("cancelled", cancelled).resume(),
    });
    expect(await failureOf(callerOf(url).unary(joinBooks, failing()))).toBe(fault);
    expect(await failureOf(all(callerOf(url).stream(mirrorBooks, failing())))).toBe(fault);
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
  });
});
