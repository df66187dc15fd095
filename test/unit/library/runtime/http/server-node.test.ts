import { type IncomingMessage, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { nodeListener } from "../../../../../library/runtime/http/adapters/node.js";
import { restHandler } from "../../../../../library/runtime/bindings/rest/server.js";
import { listen } from "../client-sample.js";
import { sampleCore } from "../server/server-sample.js";

const handler = restHandler(sampleCore({ addNote: ({ note }) => note }), { path: "/api" });
const listener = nodeListener(handler);

/** Posts a note to a listener, and returns the response. */
async function post(through: RequestListener, text: string, size = Infinity) {
  const bytes = new TextEncoder().encode(JSON.stringify({ note: { id: "n1", text } }));
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size)
        controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  const init = {
    method: "POST",
    body,
    duplex: "half",
    headers: { "content-type": "application/json" },
  } as const;
  return (await fetch(`${await listen(through)}/api/notes`, init)).json();
}

describe("a Node listener", () => {
  it("the listener reads bodies of many chunks that are split within characters", async () => {
    const text = "ä€😀".repeat(50_000);
    expect(await post(listener, text, 9_999)).toEqual({ id: "n1", text });
  });

  it("the listener passes a large response to Node as bytes, which are encoded once", async () => {
    const text = "ä€😀".repeat(50_000);
    const ends: unknown[] = [];
    const watched: RequestListener = (request, response) => {
      const end = response.end.bind(response);
      response.end = ((chunk: unknown) => {
        ends.push(chunk);
        return end(chunk);
      }) as typeof response.end;
      listener(request, response);
    };
    expect(await post(watched, text)).toEqual({ id: "n1", text });
    expect(await post(watched, "short")).toEqual({ id: "n1", text: "short" });
    expect(
      ends.map((chunk) => (typeof chunk === "string" ? "text" : Buffer.isBuffer(chunk))),
    ).toEqual([true, "text"]);
  });

  it("the listener does not handle requests of callers who have left, whose addresses are not known", async () => {
    let handled = 0;
    const counting = nodeListener(() => {
      handled += 1;
      return Promise.resolve(undefined);
    });
    /** Serves a request whose socket reports other addresses. */
    const through = (addresses: object) =>
      listen((request, response) => {
        const properties = Object.getOwnPropertyDescriptors(addresses);
        const socket = Object.create(request.socket, properties) as Socket;
        counting(Object.create(request, { socket: { value: socket } }) as typeof request, response);
      });
    const left = await through({ remoteAddress: undefined, localAddress: "127.0.0.1" });
    await expect(fetch(left)).rejects.toThrow("fetch failed");
    expect(handled).toBe(0);
    // A socket of the file system has no addresses.
    const local = await through({ remoteAddress: undefined, localAddress: undefined });
    expect((await fetch(local)).status).toBe(404);
    expect(handled).toBe(1);
  });

  it("the listener passes other requests to the next middleware, and responds with 404 without a middleware", async () => {
    expect((await fetch(await listen(listener))).status).toBe(404);
    const base = await listen((request, response) =>
      listener(request, response, () => response.writeHead(299).end()),
    );
    expect((await fetch(base)).status).toBe(299);
  });

  it("the listener uses the body that a middleware has read", async () => {
    const parse = async (request: IncomingMessage) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      Object.assign(request, { body: JSON.parse(text) as unknown });
    };
    const parsed: RequestListener = (request, response) =>
      void parse(request).then(() => listener(request, response));
    expect(await post(parsed, "parsed")).toEqual({ id: "n1", text: "parsed" });
  });

  it("the listener reads the body itself if no middleware has read it", async () => {
    const untouched: RequestListener = (request, response) =>
      listener(Object.assign(request, { body: {} }), response);
    expect(await post(untouched, "own")).toEqual({ id: "n1", text: "own" });
  });

  it("the listener closes the connection if a handler fails", async () => {
    const base = await listen(nodeListener(() => Promise.reject(new Error("inner text"))));
    await expect(fetch(base)).rejects.toThrow();
  });
});
