import { describe, expect, it } from "vitest";
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
});
