import { describe, expect, it, vi } from "vitest";
import { cardHandler } from "../../../../../library/runtime/server/card.js";
import { chain, type HttpPart } from "../../../../../library/runtime/http/server.js";
import { jsonRpcHandler } from "../../../../../library/runtime/bindings/jsonrpc/server.js";
import { restHandler } from "../../../../../library/runtime/bindings/rest/server.js";
import { card, httpRequest, jsonOf, sampleCore } from "../server/server-sample.js";

const request = httpRequest("GET", "/elsewhere");

describe("a handler of several parts", () => {
  const takes: HttpPart = () => Promise.resolve({ status: 204, headers: {} });
  const declines: HttpPart = () => undefined;

  it("the handler returns the response of the first part that accepts a request, and calls no other part", async () => {
    const other = vi.fn(takes);
    expect(await chain(declines, takes, other)(request)).toEqual({ status: 204, headers: {} });
    expect(other).not.toHaveBeenCalled();
    expect(await chain(declines, declines)(request)).toBeUndefined();
  });

  it("the parts decline immediately, so that other parts do not wait", () => {
    const core = sampleCore({});
    const parts = [
      cardHandler(core),
      jsonRpcHandler(core, { path: "/rpc" }),
      restHandler(core, { path: "/api" }),
    ];
    expect(parts.map((part) => part(request))).toEqual([undefined, undefined, undefined]);
  });
});

describe("the handler of the agent card", () => {
  it("the handler creates the card for its caller and sets the time that it may be cached", async () => {
    const core = sampleCore(
      {},
      { card: ({ headers }) => Promise.resolve({ name: headers.get("accept-language") }) },
    );
    const asked = httpRequest("GET", "/.well-known/notes.json", undefined, {
      "accept-language": "de",
    });
    const response = await cardHandler(core, { cardMaxAge: 5 })(asked);
    expect(response?.headers).toMatchObject({ "cache-control": "private, max-age=5", vary: "*" });
    expect(await jsonOf(response)).toEqual({ name: "de" });
  });

  it("the handler lets caches share a card that is the same for all callers of a version", async () => {
    const response = await cardHandler(sampleCore({}, { card }))(
      httpRequest("GET", "/.well-known/notes.json"),
    );
    expect(response?.headers).toMatchObject({
      "cache-control": "max-age=300",
      vary: "Notes-Version",
    });
  });

  it("the handler sends additional headers, which override its own headers", async () => {
    const headers = {
      "Last-Modified": "Tue, 03 Mar 2026 08:00:00 GMT",
      "Cache-Control": "no-store",
    };
    const handler = cardHandler(sampleCore({}, { card }), { headers });
    const response = await handler(httpRequest("GET", "/.well-known/notes.json"));
    expect(response?.headers).toMatchObject({
      "last-modified": headers["Last-Modified"],
      "cache-control": "no-store",
    });
  });
});
