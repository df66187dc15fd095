import { describe, expect, it, vi } from "vitest";
import { cardHandler } from "../../../templates/runtime/server/card.js";
import { chain, type HttpPart, type HttpRequest } from "../../../templates/runtime/http/server.js";
import { jsonRpcHandler } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import { restHandler } from "../../../templates/runtime/bindings/rest/server.js";
import { sampleCore } from "./server-sample.js";

const request: HttpRequest = {
  method: "GET",
  url: "/elsewhere",
  headers: { get: () => undefined },
  readBody: () => Promise.resolve(""),
  onClose: () => undefined,
};

describe("a handler of several parts", () => {
  const takes: HttpPart = () => Promise.resolve({ status: 204, headers: {} });
  const declines: HttpPart = () => undefined;

  it("lets the first part answer that takes a request, and asks no other", async () => {
    const other = vi.fn(takes);
    expect(await chain(declines, takes, other)(request)).toEqual({ status: 204, headers: {} });
    expect(other).not.toHaveBeenCalled();
  });

  it("gives nothing where no part takes a request", async () => {
    expect(await chain(declines, declines)(request)).toBeUndefined();
  });

  it("has parts that decline at once, so that others do not wait", () => {
    const core = sampleCore({});
    for (const part of [
      cardHandler(core),
      jsonRpcHandler(core, { path: "/rpc" }),
      restHandler(core, { path: "/api" }),
    ]) {
      expect(part(request)).toBeUndefined();
    }
  });
});
