import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { fetchHandler } from "../../../../../library/runtime/http/adapters/fetch.js";
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
