import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cardHandler } from "../../../templates/runtime/server/card.js";
import { chain, type HttpHandler } from "../../../templates/runtime/http/server.js";
import { jsonRpcHandler } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import { nodeListener, type NodeOptions } from "../../../templates/runtime/http/adapters/node.js";
import { restHandler } from "../../../templates/runtime/bindings/rest/server.js";
import { card, sampleCore, type NoteService } from "./server-sample.js";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function handlerOf(service: NoteService, limits: { maxBodyBytes?: number; keepAliveMs?: number } = {}): HttpHandler {
  const core = sampleCore(service);
  return chain(jsonRpcHandler(core, { path: "/rpc", ...limits }), cardHandler(core), restHandler(core, limits));
}

async function serve(service: NoteService, limits = {}, options?: NodeOptions): Promise<string> {
  return listen(nodeListener(handlerOf(service, limits), options));
}

const echo: NoteService = { getNote: ({ id }) => ({ id, text: "hällo" }), addNote: ({ note }) => note };

async function open(url: string): Promise<IncomingMessage> {
  const request = httpRequest(url);
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  return response;
}

/** A service that streams until its caller leaves, and tells what it sees. */
function endless(text: string): { service: NoteService; produced: () => number; ended: Promise<boolean> } {
  let produced = 0;
  let end: (aborted: boolean) => void;
  const ended = new Promise<boolean>((resolve) => (end = resolve));
  const service: NoteService = {
    async *watchNote(_, { signal }) {
      try {
        for (;;) {
          produced++;
          yield { id: "n1", text };
          await delay(0);
        }
      } finally {
        end(signal.aborted);
      }
    },
  };
  return { service, produced: () => produced, ended };
}

describe("a Node listener", () => {
  it("answers with the length of the body in bytes", async () => {
    const response = await fetch(`${await serve(echo)}/notes/n1`);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(JSON.parse(text)).toEqual({ id: "n1", text: "hällo" });
  });

  it("answers HEAD with the headers alone", async () => {
    const base = await serve(echo);
    const response = await fetch(`${base}/.well-known/notes.json`, { method: "HEAD" });
    expect(response.headers.get("content-length")).toBe(String(JSON.stringify(card).length));
    expect(await response.text()).toBe("");
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(`${base}/.well-known/notes.json`, { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
  });

  it("reads bodies of many chunks, cut inside of characters", async () => {
    const base = await serve(echo);
    const text = "ä€😀".repeat(50_000);
    const bytes = new TextEncoder().encode(JSON.stringify({ note: { id: "n1", text } }));
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 9_999) controller.enqueue(bytes.slice(at, at + 9_999));
        controller.close();
      },
    });
    const init = { method: "POST", body, duplex: "half", headers: { "content-type": "application/json" } } as const;
    expect(await (await fetch(`${base}/notes`, init)).json()).toEqual({ id: "n1", text });
  });

  it("refuses a body that is too large, announced or not", async () => {
    const base = await serve(echo, { maxBodyBytes: 1000 });
    const headers = { "content-type": "application/json" };
    const announced = await fetch(`${base}/rpc`, { method: "POST", body: "x".repeat(1001), headers });
    expect(announced.status).toBe(413);
    const request = httpRequest(`${base}/rpc`, { method: "POST", headers });
    request.on("error", () => undefined);
    request.flushHeaders();
    request.write("x".repeat(1001));
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    expect(response.headers.connection).toBe("close");
    request.destroy();
  });

  it("refuses bytes that are not UTF-8", async () => {
    const init = {
      method: "POST",
      body: new Uint8Array([0x22, 0xff, 0x22]),
      headers: { "content-type": "application/json" },
    };
    const reply: unknown = await (await fetch(`${await serve(echo)}/rpc`, init)).json();
    expect(reply).toMatchObject({ error: { code: -32700 } });
  });

  it("survives a caller that leaves in the middle of its body", async () => {
    const base = await serve(echo);
    const socket = connect(Number(new URL(base).port), "127.0.0.1");
    socket.write("POST /rpc HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{");
    await delay(20);
    socket.destroy();
    await delay(20);
    expect((await fetch(`${base}/notes/n1`)).status).toBe(200);
  });

  it("hands requests of others to the next middleware, and gives 404 without one", async () => {
    const core = sampleCore(echo);
    const listener = nodeListener(jsonRpcHandler(core, { path: "/rpc" }));
    expect((await fetch(await listen(listener))).status).toBe(404);
    const base = await listen((request, response) => listener(request, response, () => response.writeHead(299).end()));
    expect((await fetch(base)).status).toBe(299);
  });

  it("takes the body that a middleware has read", async () => {
    const listener = nodeListener(handlerOf(echo));
    const parse = async (request: IncomingMessage): Promise<void> => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      Object.assign(request, { body: JSON.parse(text) as unknown });
    };
    const base = await listen((request, response) => void parse(request).then(() => listener(request, response)));
    const body = JSON.stringify({ note: { id: "n1", text: "parsed" } });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${base}/notes`, { method: "POST", body, headers });
    expect(await response.json()).toEqual({ id: "n1", text: "parsed" });
  });

  it("reads the body itself where a middleware left it alone", async () => {
    const listener = nodeListener(handlerOf(echo));
    const base = await listen((request, response) => listener(Object.assign(request, { body: {} }), response));
    const body = JSON.stringify({ note: { id: "n1", text: "own" } });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${base}/notes`, { method: "POST", body, headers });
    expect(await response.json()).toEqual({ id: "n1", text: "own" });
  });

  it("closes the connection where a handler fails", async () => {
    const base = await listen(nodeListener(() => Promise.reject(new Error("inner text"))));
    await expect(fetch(base)).rejects.toThrow();
  });
});

describe("a stream over a Node listener", () => {
  it("ends when its caller leaves", async () => {
    const { service, ended } = endless("x");
    const response = await open(`${await serve(service)}/notes/n1:watch`);
    expect(response.headers["content-type"]).toBe("text/event-stream");
    expect(response.headers["x-accel-buffering"]).toBe("no");
    await once(response, "data");
    response.destroy();
    expect(await ended).toBe(true);
  });

  it("ends when its caller leaves while it is silent", async () => {
    let aborted: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (aborted = resolve));
    const service: NoteService = {
      async *watchNote(_, { signal }) {
        yield { id: "n1", text: "only" };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborted?.();
      },
    };
    const response = await open(`${await serve(service)}/notes/n1:watch`);
    await once(response, "data");
    response.destroy();
    await gone;
  });

  it("waits for a caller that does not read", async () => {
    const { service, produced, ended } = endless("x".repeat(100_000));
    const response = await open(`${await serve(service)}/notes/n1:watch`);
    response.pause();
    let before = -1;
    for (let round = 0; round < 50 && produced() !== before; round++) {
      before = produced();
      await delay(100);
    }
    expect(produced()).toBe(before);
    expect(before).toBeLessThan(500);
    response.destroy();
    await ended;
  });

  it("closes the connection of a caller that never reads", async () => {
    const { service, ended } = endless("x".repeat(100_000));
    const response = await open(`${await serve(service, {}, { unreadTimeoutMs: 100 })}/notes/n1:watch`);
    response.pause();
    expect(await ended).toBe(true);
  });

  it("is kept open by comments", async () => {
    const service: NoteService = {
      async *watchNote() {
        yield { id: "n1", text: "first" };
        await delay(70);
        yield { id: "n1", text: "last" };
      },
    };
    const response = await fetch(`${await serve(service, { keepAliveMs: 20 })}/notes/n1:watch`);
    expect(await response.text()).toMatch(/^data: .*first.*\n\n(: keep-alive\n\n){2,}data: .*last.*\n\n$/);
  });

  it("leaves nothing behind when it is over", async () => {
    const signals: AbortSignal[] = [];
    const service: NoteService = {
      async *watchNote(_, { signal }) {
        signals.push(signal);
        yield { id: "n1", text: "only" };
      },
    };
    const response = await fetch(`${await serve(service)}/notes/n1:watch`);
    await response.text();
    await delay(10);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("is not begun for a caller that left before the first event", async () => {
    const seen = vi.fn();
    let leave: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const service: NoteService = {
      async *watchNote(_, { signal }) {
        try {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          yield { id: "n1", text: "late" };
          seen();
        } finally {
          leave?.();
        }
      },
    };
    const request = httpRequest(`${await serve(service)}/notes/n1:watch`);
    request.on("error", () => undefined);
    request.end();
    await delay(30);
    request.destroy();
    await gone;
    expect(seen).not.toHaveBeenCalled();
  });
});
