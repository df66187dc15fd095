import { describe, expect, it, vi } from "vitest";
import { cardHandler } from "../../../templates/runtime/server/card.js";
import { fetchHandler } from "../../../templates/runtime/http/adapters/fetch.js";
import { chain } from "../../../templates/runtime/http/server.js";
import { jsonRpcHandler } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import { restHandler } from "../../../templates/runtime/bindings/rest/server.js";
import { card, sampleCore, type NoteService } from "./server-sample.js";

function handlerOf(service: NoteService, maxBodyBytes = 1000) {
  const core = sampleCore(service);
  return fetchHandler(
    chain(jsonRpcHandler(core, { path: "/rpc", maxBodyBytes }), cardHandler(core), restHandler(core, { path: "/api" })),
  );
}

const headers = { "content-type": "application/json" };
const rpc = (body: string | Uint8Array<ArrayBuffer>): Request =>
  new Request("http://notes.example/rpc", { method: "POST", body, headers });

describe("a Web handler", () => {
  it("answers requests", async () => {
    const handler = handlerOf({ getNote: ({ id }) => ({ id, text: "hällo" }) });
    const response = await handler(new Request("http://notes.example/api/notes/n%201?limit=1"));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id: "n 1", text: "hällo" });
  });

  it("answers HEAD with the headers alone, and 404 to what is not for the agent", async () => {
    const handler = handlerOf({});
    const head = await handler(new Request("http://notes.example/.well-known/notes.json", { method: "HEAD" }));
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const whole = await handler(new Request("http://notes.example/.well-known/notes.json"));
    expect(await whole.json()).toEqual(card);
    expect((await handler(new Request("http://notes.example/"))).status).toBe(404);
  });

  it("refuses bodies that are too large or not UTF-8", async () => {
    const handler = handlerOf({});
    expect((await handler(rpc("x".repeat(1001)))).status).toBe(413);
    const wrong: unknown = await (await handler(rpc(new Uint8Array([0x22, 0xff, 0x22])))).json();
    expect(wrong).toMatchObject({ error: { code: -32700 } });
  });

  it("streams as fast as its reader reads, and ends when that one leaves", async () => {
    const produced = vi.fn();
    let signal: AbortSignal | undefined;
    const ended = vi.fn();
    const handler = handlerOf({
      async *watchNote(_, context) {
        signal = context.signal;
        try {
          for (;;) {
            produced();
            yield { id: "n1", text: "again" };
          }
        } finally {
          ended();
        }
      },
    });
    const response = await handler(new Request("http://notes.example/api/notes/n1:watch"));
    const reader = response.body?.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(produced.mock.calls.length).toBeLessThanOrEqual(2);
    await reader?.cancel();
    expect(ended).toHaveBeenCalledOnce();
    expect(signal?.aborted).toBe(true);
  });

  it("fires the signal of a call when the request is aborted", async () => {
    const controller = new AbortController();
    const handler = handlerOf({
      getNote: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve({ id: "n1", text: "aborted" }))),
    });
    const request = new Request("http://notes.example/api/notes/n1", { signal: controller.signal });
    const response = handler(request);
    setTimeout(() => controller.abort(), 10);
    expect(await (await response).json()).toMatchObject({ text: "aborted" });
  });
});
