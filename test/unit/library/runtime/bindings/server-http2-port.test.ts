import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, vi } from "vitest";
import type { WireCall } from "../../../../../library/runtime/bindings/http2/server-call.js";
import { certificates } from "../../../../support/certificates.js";
import { listenWire } from "../protocol/sample-grpc.js";
import { echo, framed, methodsOf, send, serve, session, start } from "./wire-calls.js";

/** Waits until a server has read the first bytes of a connection. */
function arrived([socket]: [Socket], first: string): Promise<void> {
  return vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThanOrEqual(first.length));
}

describe("a server on one port", () => {
  it("requests over HTTP/1.1 and HTTP/2 reach the listener", async () => {
    const { port, client } = await serve();
    const overHttp1 = await fetch(`http://127.0.0.1:${port}/a`);
    expect(await overHttp1.text()).toBe("1.1 /a");
    const stream = client.request({ ":path": "/b" });
    const [chunk] = (await once(stream, "data")) as [Buffer];
    expect(chunk.toString()).toBe("2.0 /b");
  });

  it.each(["P", "PR", "PRI", "PRI * HTTP/2.0\r\n\r\nSM"])(
    "the first bytes of a connection over HTTP/2 may be %j",
    async (first) => {
      const { port, server } = await serve();
      const socket = connectTcp(port, "127.0.0.1");
      const accepted = once(server, "connection") as Promise<[Socket]>;
      const response = once(socket, "data") as Promise<[Buffer]>;
      const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
      socket.write(first);
      await arrived(await accepted, first);
      socket.write(preface.slice(first.length));
      socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
      const [chunk] = await response;
      // The settings of the server.
      expect(chunk[3]).toBe(4);
      socket.destroy();
    },
  );

  it.each(["P", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n"])(
    "a request over HTTP/1.1 may begin with %j",
    async (first) => {
      const { port, server } = await serve();
      const socket = connectTcp(port, "127.0.0.1");
      const accepted = once(server, "connection") as Promise<[Socket]>;
      const response = once(socket, "data") as Promise<[Buffer]>;
      socket.write(first);
      if (first === "P") {
        await arrived(await accepted, first);
        socket.write("UT /x HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n");
      }
      const [chunk] = await response;
      expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 /);
      socket.destroy();
    },
  );

  it("load balancers may check whether the server can handle calls", async () => {
    let isReady = true;
    const ready = () => {
      if (!isReady) throw new Error("no database");
    };
    const { client } = await serve({ echo }, { ready });
    const check = async () =>
      (await send(client, "/grpc.health.v1.Health/Check", framed(""))).messages;
    expect(await check()).toEqual(["\b\u0001"]);
    isReady = false;
    expect(await check()).toEqual(["\b\u0002"]);
  });

  it("a slow request over HTTP/1.1 is refused", async () => {
    const http = { headersTimeout: 40, requestTimeout: 40, connectionsCheckingInterval: 10 };
    const { port } = await serve({ echo }, { http });
    const socket = connectTcp(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost:");
    const [chunk] = (await once(socket, "data")) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 408 /);
  });

  describe("with TLS", () => {
    const serveTls = async (methods: Parameters<typeof methodsOf>[0]) => {
      const { server: own, client: theirs } = certificates();
      const tls = { key: own.key, cert: own.cert, ca: own.ca, requestCert: true };
      const { port } = await listenWire(methodsOf(methods), { tls }, (request, response) =>
        response.end(request.httpVersion),
      );
      return { port, caller: { ca: own.ca, key: theirs.key, cert: theirs.cert } };
    };

    it("HTTP/1.1 and gRPC share the port, with and without ALPN", async () => {
      const { port, caller } = await serveTls({ echo });
      const client = session(`https://localhost:${port}`, caller);
      expect((await send(client, "/test/echo", framed("a"))).messages).toEqual(["a"]);
      const socket = connectTls({ port, host: "localhost", ...caller });
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      const [chunk] = (await once(socket, "data")) as [Buffer];
      expect(chunk.toString()).toMatch(/1\.1$/);
      socket.destroy();
    });

    it("a call has the verified certificate of its caller", async () => {
      const subjects: unknown[] = [];
      const handle = (call: WireCall) => {
        subjects.push(call.peer?.certificate?.subject["CN"], call.peer?.address);
        call.fail({ code: 1, details: "" });
      };
      const { port, caller } = await serveTls({ echo: { handle } });
      await send(session(`https://localhost:${port}`, caller), "/test/echo");
      expect(subjects[0]).toBe("ada");
      expect(subjects[1]).toMatch(/127\.0\.0\.1|::1/);
    });
  });
});

describe("a server that closes", () => {
  it("open calls may end, new calls are refused, and then the server is closed", async () => {
    let finish: (() => void) | undefined;
    const { client, server, port } = await serve({
      slow: {
        async handle(call: WireCall) {
          await call.one();
          await new Promise<void>((resolve) => (finish = resolve));
          call.respond(framed("done"));
        },
      },
    });
    const reply = send(client, "/test/slow", framed(""));
    await vi.waitFor(() => expect(finish).toBeDefined());
    const idle = connectTcp(port, "127.0.0.1");
    await once(idle, "connect");
    const closed = new Promise((resolve) => server.close(resolve));
    await once(client, "goaway");
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    finish?.();
    expect((await reply).messages).toEqual(["done"]);
    expect(await closed).toBeUndefined();
  });

  it("calls that do not end in time are ended", async () => {
    let [begun, ended] = [0, 0];
    const handle = (call: WireCall) => {
      begun += 1;
      call.onClose(() => (ended += 1));
    };
    const { client, server } = await serve({ endless: { handle } }, { closeTimeoutMs: 20 });
    const reply = send(client, "/test/endless", framed(""));
    await vi.waitFor(() => expect(begun).toBe(1));
    await new Promise((resolve) => server.close(resolve));
    await reply;
    expect(ended).toBe(1);
  });

  it("a connection over HTTP/1.1 stays open between requests until the server closes", async () => {
    const { port, server } = await serve();
    const agent = new Agent({ keepAlive: true });
    const get = () =>
      new Promise<boolean>((resolve) => {
        const request = httpRequest({ port, host: "127.0.0.1", agent }, (response) =>
          response.resume().on("end", () => resolve(request.reusedSocket)),
        );
        request.end();
      });
    expect([await get(), await get()]).toEqual([false, true]);
    expect(await new Promise((resolve) => server.close(resolve))).toBeUndefined();
    agent.destroy();
  });

  it("a TLS connection without a complete handshake is closed with the server", async () => {
    const { server: own } = certificates();
    const { server, port } = await listenWire(methodsOf({}), { tls: own });
    const accepted = once(server, "connection");
    const socket = connectTcp(port, "127.0.0.1");
    await accepted;
    await new Promise((resolve) => server.close(resolve));
    socket.destroy();
  });

  it("an old connection accepts no new calls", async () => {
    const { client } = await serve({ echo }, { maxConnectionAgeMs: 20 });
    await once(client, "goaway");
  });

  it("a connection without calls is closed in the end", async () => {
    const { client } = await serve({ echo }, { keepAliveMs: 10, idleTimeoutMs: 30 });
    await once(client, "goaway");
  });

  it("the server checks whether the callers of open calls are still connected", async () => {
    const handle = () => undefined;
    const { client } = await serve({ silent: { handle } }, { keepAliveMs: 10, idleTimeoutMs: 30 });
    start(client, "/test/silent");
    await once(client, "ping");
    await once(client, "ping");
  });
});
