import {
  Server as GrpcServer,
  ServerCredentials,
  type sendUnaryData,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { afterAll, describe, expect, it, vi } from "vitest";
import {
  events,
  failuresOf,
  json,
  rpcResult,
  serve,
  stopServers,
  stopWith,
  textOfDeep,
} from "./servers.js";
import { subjects, v10 } from "./subjects.js";
import { errorOf } from "../support/errors.js";

afterAll(stopServers);

const clients = subjects.flatMap((subject) =>
  (["jsonRpc", "rest"] as const).map((name) => {
    const open = (url: string, options?: object) =>
      new subject.classes.A2AClient({ transport: subject.transports[name](url, options) });
    return { name, subject, open, version: subject.version };
  }),
);

describe.concurrent.each(clients)("a client of $version over $name", ({ subject, open, name }) => {
  const { A2AError, TransportError } = subject.classes;
  const good = rpcResult(subject.samples.task("t1"));

  it.each<[string, RequestListener]>([
    ["nothing", json("")],
    ["an HTML page", json("<html>", 200, { "content-type": "text/html" })],
    ["an HTML page with an error", json("<html>", 500, { "content-type": "text/html" })],
    ["truncated JSON", json('{"jsonrpc":"2.0","id":1,"resu')],
    ["null", json("null")],
    ["a number", json("7")],
    ["a list", json([])],
    ["an empty object", json({})],
    ["another id", json({ ...good, id: 99 })],
    [
      "an id that is not a string either",
      json({ jsonrpc: "2.0", id: { toString: 1 }, result: {} }),
    ],
    ["no result", json({ jsonrpc: "2.0", id: 1 })],
    ["jsonrpc 1.0", json({ ...good, jsonrpc: "1.0" })],
    ["an invalid error", json({ jsonrpc: "2.0", id: 1, error: "no" })],
    ["an error without a code", json({ jsonrpc: "2.0", id: 1, error: { message: "no" } })],
    [
      "an error with garbage",
      json({ jsonrpc: "2.0", id: 1, error: { code: -32001, message: 7, data: { "@type": 1 } } }),
    ],
    [
      "an error status with garbage",
      json({ error: { code: "x", status: [], message: {}, details: [null, 1, {}] } }, 404),
    ],
    ["an error status without a body", json("", 503)],
    [
      "an error that is nested deeply",
      json(`{"error":${textOfDeep(10_000)},"jsonrpc":"2.0","id":1}`, 400),
    ],
    [
      "a result that is nested deeply",
      json(`{"jsonrpc":"2.0","id":1,"result":${textOfDeep(10_000)}}`),
    ],
    ["a result of another type", json(rpcResult({ id: 7, status: "done" }))],
    ["bytes that are not UTF-8", json(Uint8Array.of(0x22, 0xff, 0x22))],
    ["invalid compression", json("{}", 200, { "content-encoding": "gzip" })],
    ["a redirect to itself", json("", 302, { location: "/" })],
    ["a redirect to nowhere", json("", 302, { location: "http://127.0.0.1:1/" })],
    ["304", (_request, response) => void response.writeHead(304).end()],
    [
      "fewer bytes than announced",
      (_request, response) =>
        void response.writeHead(200, { "content-length": 99 }).write("{", () => response.destroy()),
    ],
    ["a broken connection", (_request, response) => response.destroy()],
    ["a stream of garbage", events("data: {\n\n")],
    ["a stream of nulls", events("data: null\n\n")],
    [
      "a stream of invalid events",
      events(`data: ${JSON.stringify(rpcResult({ task: { id: 1 } }))}\n\n`),
    ],
    ["a stream that turns into garbage", events("\0\x01\x02\uffff\n\n\n", "data: [\n\n")],
  ])("the client throws a descriptive error for any response: %s", async (_, listener) => {
    const client = open(await serve(listener));
    for (const error of await failuresOf(subject, client)) {
      if (error instanceof Error)
        expect(error instanceof TransportError || error instanceof A2AError).toBe(true);
      else expect(error).toEqual({ value: [] });
    }
    client.close();
  });

  it("the client gives up on a response without end", async () => {
    let stopped = 0;
    const url = await serve((request, response) => {
      const type =
        request.headers.accept?.includes("event-stream") === true
          ? "text/event-stream"
          : "application/json";
      response.writeHead(200, { "content-type": type });
      response.on("close", () => stopped++);
      const write = () => {
        while (!response.destroyed && response.write(`data: ${"x".repeat(10_000)}`));
      };
      response.on("drain", write);
      write();
    });
    const limits = { maxResponseBytes: 500_000, maxEventBytes: 500_000 };
    const client = open(url, limits);
    for (const error of await failuresOf(subject, client))
      expect(error).toBeInstanceOf(TransportError);
    await vi.waitFor(() => expect(stopped).toBe(2));
  });

  it("the client gives up on a silent agent when the time-out expires, before and within the response", async () => {
    for (const listener of [
      () => undefined,
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).flushHeaders(),
      (_: IncomingMessage, response: ServerResponse) =>
        void response
          .writeHead(200, { "content-type": "text/event-stream" })
          .write(": still here\n\n"),
    ]) {
      const client = open(await serve(listener));
      for (const error of await failuresOf(subject, client, 100))
        expect(error).toBeInstanceOf(Error);
    }
  });

  it("the client treats keys that objects inherit as plain keys", async () => {
    const text = JSON.stringify(subject.samples.task("t1", { a: 1 })).replace(
      '"metadata":{',
      '"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1},',
    );
    const task = name === "rest" ? text : `{"jsonrpc":"2.0","id":1,"result":${text}}`;
    const received = (await open(await serve(json(task))).getTask({
      id: "t1",
    })) as unknown as Record<string, unknown>;
    expect(received["polluted"]).toBeUndefined();
    expect((received["metadata"] as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe.concurrent.each(["jsonRpc", "rest"] as const)("a valid error of 1.0 over %s", (name) => {
  it("the client ignores invalid details of the error", async () => {
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "__proto__",
        domain: "a2a-protocol.org",
      },
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: 7,
        domain: "a2a-protocol.org",
        metadata: "x",
      },
      { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: "x" },
    ];
    const error = { code: -32001, status: "NOT_FOUND", message: "no", details, data: details };
    const url = await serve(json({ jsonrpc: "2.0", id: null, error }, 404));
    const client = new v10.classes.A2AClient({ transport: v10.transports[name](url) });
    const [thrown] = await failuresOf(v10, client);
    expect(thrown).toBeInstanceOf(v10.classes.A2AError);
    expect(errorOf(thrown).message).toBe("no");
  });
});

describe.concurrent.each(subjects)("a client of $version over gRPC", (subject) => {
  const methods = { GetTask: false, SendStreamingMessage: true };

  async function serveBytes(bytes: Uint8Array) {
    const server = new GrpcServer();
    for (const [name, responseStream] of Object.entries(methods)) {
      const path = `/${subject.grpcService}/${name}`;
      const asIs = (value: Buffer) => value;
      const kind = { path, requestStream: false, responseStream };
      server.addService(
        {
          [name]: {
            ...kind,
            requestSerialize: asIs,
            requestDeserialize: asIs,
            responseSerialize: asIs,
            responseDeserialize: asIs,
          },
        },
        {
          [name](call: ServerWritableStream<Buffer, Buffer>, reply?: sendUnaryData<Buffer>) {
            if (reply !== undefined) return reply(null, Buffer.from(bytes));
            call.write(Buffer.from(bytes));
            call.end();
          },
        },
      );
    }
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    const transport = subject.transports.grpc(`http://127.0.0.1:${port}`);
    const client = new subject.classes.A2AClient({ transport });
    stopWith(() => {
      client.close();
      server.forceShutdown();
    });
    return client;
  }

  it.each<[string, Uint8Array]>([
    ["garbage", Uint8Array.of(0xff, 0xff)],
    ["a truncated message", Uint8Array.of(0x0a, 0x20, 0x01)],
    ["nothing", new Uint8Array()],
    ["groups that are nested deeply", new Uint8Array(10_000).fill(0x0b)],
  ])("the client reports an invalid response: %s", async (_, bytes) => {
    for (const error of await failuresOf(subject, await serveBytes(bytes))) {
      expect(error).toMatchObject({ reason: "INVALID_AGENT_RESPONSE" });
    }
  });
});

describe.concurrent.each(subjects)("discovery of an agent of $version", ({ connect, classes }) => {
  const { A2AError, TransportError } = classes;

  it.each<[string, RequestListener]>([
    ["nothing", json("")],
    ["an HTML page", json("<html>")],
    ["an error", json({}, 500)],
    ["null", json("null")],
    ["a list", json([])],
    ["a card without interfaces", json({ name: "x", supportedInterfaces: [] })],
    [
      "a card with an interface without a transport",
      json({ name: "x", url: "http://127.0.0.1:1/", additionalInterfaces: [{}] }),
    ],
    ["a redirect to itself", json("", 302, { location: "/.well-known/agent-card.json" })],
  ])("discovery fails with a descriptive error: %s", async (_, listener) => {
    const error: unknown = await connect(await serve(listener)).catch((thrown: unknown) => thrown);
    expect(error instanceof TransportError || error instanceof A2AError).toBe(true);
  });

  // The copy of a card that the cache keeps is made before the card is checked.
  it("discovery fails with a descriptive error for a card that is nested deeply", async () => {
    const error: unknown = await connect(await serve(json(textOfDeep(10_000)))).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TransportError);
  });
});
