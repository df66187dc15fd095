import { describe, expect, it } from "vitest";
import { cardHandler, type CardOptions } from "../../../templates/runtime/server/card.js";
import type { CoreParts } from "../../../templates/runtime/server/core.js";
import { httpRequest, jsonOf, sampleCore } from "./server-sample.js";

const path = "/.well-known/notes.json";

async function get(
  headers: Record<string, string> = {},
  options?: CardOptions,
  parts: Partial<CoreParts> = {},
  verb = "GET",
) {
  return cardHandler(sampleCore({}, parts), options)(httpRequest(verb, path, undefined, headers));
}

describe("the agent card", () => {
  it("may be made for the caller", async () => {
    const forCaller: CoreParts["card"] = ({ headers }) => Promise.resolve({ name: headers.get("accept-language") });
    expect(await jsonOf(await get({ "accept-language": "de" }, {}, { card: forCaller }))).toEqual({ name: "de" });
  });

  it("may be open to pages of any origin, and is not by default", async () => {
    expect((await get())?.headers).not.toHaveProperty("access-control-allow-origin");
    expect((await get({}, { cors: true }))?.headers).toMatchObject({ "access-control-allow-origin": "*" });
    expect((await get({}, { cors: true }, {}, "OPTIONS"))?.status).toBe(204);
    expect((await get({}, { cardMaxAge: 5 }))?.headers).toMatchObject({ "cache-control": "max-age=5" });
  });

  it("leaves other paths to others", async () => {
    expect(await cardHandler(sampleCore({}))(httpRequest("GET", "/other"))).toBeUndefined();
  });
});
