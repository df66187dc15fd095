import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cardHandler } from "../../../templates/runtime/server/card.js";
import { chain, type HttpHandler } from "../../../templates/runtime/http/server.js";
import { jsonRpcHandler } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import { nodeListener, type NodeOptions } from "../../../templates/runtime/http/adapters/node.js";
import { restHandler } from "../../../templates/runtime/bindings/rest/server.js";
import { sampleCore, type NoteService } from "./server-sample.js";

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

describe("a Node listener", () => {
  it("answers with the length of the body in bytes", async () => {
    const response = await fetch(`${await serve(echo)}/notes/n1`);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(JSON.parse(text)).toEqual({ id: "n1", text: "hällo" });
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
});
