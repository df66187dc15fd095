import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { fetchHandler } from "../../../../../library/runtime/http/adapters/fetch.js";
import type { HttpRequest } from "../../../../../library/runtime/http/server.js";
import { restHandler } from "../../../../../library/runtime/bindings/rest/server.js";
import { sampleCore, type NoteService } from "../server/server-sample.js";

const handlerOf = (service: NoteService) =>
  fetchHandler(restHandler(sampleCore(service), { path: "/api" }));

describe("a handler of Web requests", () => {
  it("the handler responds to its own requests, and with 404 to other requests", async () => {
    const handler = handlerOf({ getNote: ({ id }) => ({ id, text: "hällo" }) });
    const response = await handler(new Request("http://notes.example/api/notes/n%201?limit=1"));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id: "n 1", text: "hällo" });
    expect((await handler(new Request("http://notes.example/"))).status).toBe(404);
  });

  it("a body of thousands of chunks is read whole, also if characters are split", async () => {
    const given: unknown[] = [];
    const handler = fetchHandler(async (request: HttpRequest) => {
      given.push(await request.readBody(1e6));
      return { status: 200, headers: {} };
    });
    const text = "hällo 🎉 ".repeat(2_000);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of new TextEncoder().encode(text)) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    await handler(new Request("http://notes.example/", init));
    expect(given).toEqual([text]);
  });

  it("the handler aborts the signal of a call if the request is aborted", async () => {
    const controller = new AbortController();
    const handler = handlerOf({
      async getNote(_, { signal }) {
        queueMicrotask(() => controller.abort());
        await once(signal, "abort");
        return { id: "n1", text: "aborted" };
      },
    });
    const request = new Request("http://notes.example/api/notes/n1", { signal: controller.signal });
    expect(await (await handler(request)).json()).toMatchObject({ text: "aborted" });
  });
});
