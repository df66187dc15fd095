import { Server as GrpcServer, ServerCredentials, type sendUnaryData, type ServerWritableStream } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { grpcTransport } from "../../generated/1.0/client/grpc.js";
import {
  A2AClient,
  A2AError,
  connect,
  jsonRpcTransport,
  restTransport,
  TransportError,
  type Transport,
} from "../../generated/1.0/index.js";
import { taskOf } from "./agent.js";
import { message } from "./everywhere.js";

const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts a server that answers as it likes, and gives its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("error", () => undefined);
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const transports: Record<string, (url: string, options?: object) => Transport> = {
  "JSON-RPC": (url, options) => jsonRpcTransport(url, options),
  "HTTP+JSON": (url, options) => restTransport(url, options),
};

const request = { message: { ...message, parts: [{ text: "hello" }] } };

/** Makes a call with one answer and one with a stream, and gives what each of them throws. */
async function failures(client: A2AClient, timeoutMs = 5000): Promise<unknown[]> {
  const unary = client.getTask({ id: "t1" }, { timeoutMs });
  const stream = (async () => {
    const events: unknown[] = [];
    for await (const event of client.sendStreamingMessage(request, { timeoutMs })) events.push(event);
    return events;
  })();
  return Promise.all(
    [unary, stream].map((call) =>
      call.then(
        (value) => ({ value }),
        (error: unknown) => error,
      ),
    ),
  );
}

const json =
  (body: unknown, status = 200, headers = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body));

const events =
  (...pieces: string[]) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(pieces.join(""));
  };

const deep = (levels: number): string => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
const result = (value: unknown): object => ({ jsonrpc: "2.0", id: 1, result: value });

describe.each(Object.entries(transports))("a client over %s", (_, transport) => {
  it.each<[string, RequestListener]>([
    ["nothing", json("")],
    ["a page", json("<html>", 200, { "content-type": "text/html" })],
    ["a page with an error", json("<html>", 500, { "content-type": "text/html" })],
    ["JSON cut off", json('{"jsonrpc":"2.0","id":1,"resu')],
    ["null", json("null")],
    ["a number", json("7")],
    ["a list", json([])],
    ["an empty object", json({})],
    ["another id", json({ ...result(taskOf("t1")), id: 99 })],
    ["no result", json({ jsonrpc: "2.0", id: 1 })],
    ["jsonrpc 1.0", json({ ...result(taskOf("t1")), jsonrpc: "1.0" })],
    ["an error that is none", json({ jsonrpc: "2.0", id: 1, error: "no" })],
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
    ["an error nested deep", json(`{"error":${deep(10_000)},"jsonrpc":"2.0","id":1}`, 400)],
    ["a result nested deep", json(`{"jsonrpc":"2.0","id":1,"result":${deep(10_000)}}`)],
    ["a result of another type", json(result({ id: 7, status: "done" }))],
    ["bytes that are not UTF-8", json(Uint8Array.of(0x22, 0xff, 0x22))],
    ["compression that is none", json("{}", 200, { "content-encoding": "gzip" })],
    ["a redirect to itself", json("", 302, { location: "/" })],
    ["a redirect to nowhere", json("", 302, { location: "http://127.0.0.1:1/" })],
    ["304", (_request, response) => void response.writeHead(304).end()],
    [
      "less than announced",
      (_request, response) =>
        void response.writeHead(200, { "content-length": 99 }).write("{", () => response.destroy()),
    ],
    ["a broken connection", (_request, response) => response.destroy()],
    ["a stream of garbage", events("data: {\n\n")],
    ["a stream of nulls", events("data: null\n\n")],
    ["a stream of invalid events", events(`data: ${JSON.stringify(result({ task: { id: 1 } }))}\n\n`)],
    ["a stream that turns into garbage", events("\0\x01\x02\uffff\n\n\n", "data: [\n\n")],
  ])("throws an error that says so, whatever it gets: %s", async (_, listener) => {
    const client = new A2AClient({ transport: transport(await serve(listener)) });
    for (const error of await failures(client)) {
      if (error instanceof Error) expect(error instanceof TransportError || error instanceof A2AError).toBe(true);
      else expect(error).toEqual({ value: [] });
    }
    client.close();
  });

  it("gives up on an answer without end", async () => {
    let stopped = 0;
    const url = await serve((request, response) => {
      const type = request.headers.accept?.includes("event-stream") === true ? "text/event-stream" : "application/json";
      response.writeHead(200, { "content-type": type });
      response.on("close", () => stopped++);
      const write = (): void => {
        while (!response.destroyed && response.write(`data: ${"x".repeat(10_000)}`));
      };
      response.on("drain", write);
      write();
    });
    const limits = { maxResponseBytes: 500_000, maxEventBytes: 500_000 };
    const client = new A2AClient({ transport: transport(url, limits) });
    for (const error of await failures(client)) expect(error).toBeInstanceOf(TransportError);
    await delay(50);
    expect(stopped).toBe(2);
  });

  it("gives up on a silent agent in time, before and within the answer", async () => {
    for (const listener of [
      () => undefined,
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).flushHeaders(),
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).write(": still here\n\n"),
    ]) {
      const client = new A2AClient({ transport: transport(await serve(listener)) });
      const started = Date.now();
      for (const error of await failures(client, 100)) expect(error).toBeInstanceOf(Error);
      expect(Date.now() - started).toBeLessThan(2000);
    }
  });

  it("reads no more than a good error has to say", async () => {
    const details = [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "__proto__", domain: "a2a-protocol.org" },
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: 7, domain: "a2a-protocol.org", metadata: "x" },
      { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: "x" },
    ];
    const body = {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32001, status: "NOT_FOUND", message: "no", details, data: details },
    };
    const client = new A2AClient({ transport: transport(await serve(json(body, 404))) });
    const [error] = await failures(client);
    expect(error).toBeInstanceOf(A2AError);
    expect((error as A2AError).message).toBe("no");
  });

  it("does not take keys for more than they are", async () => {
    const task = `{"id":"t1","__proto__":{"polluted":1},"status":{"state":"TASK_STATE_WORKING"},"metadata":{"__proto__":{"polluted":1}}}`;
    const listener: RequestListener = ({ url = "" }, response) =>
      json(url === "/" ? `{"jsonrpc":"2.0","id":1,"result":${task}}` : task)(undefined as never, response);
    const client = new A2AClient({ transport: transport(await serve(listener)) });
    const received = (await client.getTask({ id: "t1" })) as unknown as Record<string, unknown>;
    expect(received["polluted"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("a client over gRPC", () => {
  const methods = { GetTask: false, SendStreamingMessage: true };

  async function serveBytes(bytes: Uint8Array): Promise<A2AClient> {
    const server = new GrpcServer();
    for (const [name, responseStream] of Object.entries(methods)) {
      const path = `/lf.a2a.v1.A2AService/${name}`;
      const asIs = (value: Buffer): Buffer => value;
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
    const client = new A2AClient({ transport: grpcTransport(`http://127.0.0.1:${port}`) });
    stops.push(() => {
      client.close();
      server.forceShutdown();
    });
    return client;
  }

  it.each<[string, Uint8Array]>([
    ["garbage", Uint8Array.of(0xff, 0xff)],
    ["a message cut off", Uint8Array.of(0x0a, 0x20, 0x01)],
    ["nothing", new Uint8Array()],
    ["groups nested deep", new Uint8Array(10_000).fill(0x0b)],
  ])("throws that the answer is not valid: %s", async (_, bytes) => {
    for (const error of await failures(await serveBytes(bytes))) {
      expect(error).toMatchObject({ reason: "INVALID_AGENT_RESPONSE" });
    }
  });
});

describe("the search for an agent", () => {
  it.each<[string, RequestListener]>([
    ["nothing", json("")],
    ["a page", json("<html>")],
    ["an error", json({}, 500)],
    ["null", json("null")],
    ["a list", json([])],
    ["a card without interfaces", json({ name: "x", supportedInterfaces: [] })],
    ["a redirect to itself", json("", 302, { location: "/.well-known/agent-card.json" })],
  ])("fails with an error that says so: %s", async (_, listener) => {
    const error: unknown = await connect(await serve(listener)).catch((thrown: unknown) => thrown);
    expect(error instanceof TransportError || error instanceof A2AError).toBe(true);
  });

  // The copy of a card that the cache keeps is made before the card is checked.
  it("fails with an error that says so: a card nested deep", async () => {
    const error: unknown = await connect(await serve(json(deep(10_000)))).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(A2AError);
  });
});
