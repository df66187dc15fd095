import { describe, expect, it } from "vitest";
import { cardHandler, type CardOptions } from "../../../templates/runtime/server/card.js";
import type { CoreParts } from "../../../templates/runtime/server/core.js";
import { card, httpRequest, jsonOf, sampleCore } from "./server-sample.js";

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
  it("comes from its well-known path, with headers for caches", async () => {
    const answer = await get();
    expect(answer).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json", "cache-control": "max-age=300" },
    });
    expect(answer?.headers["etag"]).toMatch(/^"[0-9a-f]{32}"$/);
    expect(await jsonOf(answer)).toEqual(card);
  });

  it("has a tag that changes with its content and with nothing else", async () => {
    const tag = (await get())?.headers["etag"];
    expect((await get())?.headers["etag"]).toBe(tag);
    expect((await get({}, {}, { card: () => ({ ...card, name: "Other" }) }))?.headers["etag"]).not.toBe(tag);
  });

  it("is not sent again to those who have it", async () => {
    const tag = (await get())?.headers["etag"] ?? "";
    for (const condition of [tag, `"x", W/${tag}`, "*"]) {
      const answer = await get({ "if-none-match": condition });
      expect(answer).toMatchObject({ status: 304, headers: { etag: tag } });
      expect(answer?.body).toBeUndefined();
    }
    expect((await get({ "if-none-match": '"x"' }))?.status).toBe(200);
  });

  it("may be made for the caller", async () => {
    const forCaller: CoreParts["card"] = ({ headers }) => Promise.resolve({ name: headers.get("accept-language") });
    expect(await jsonOf(await get({ "accept-language": "de" }, {}, { card: forCaller }))).toEqual({ name: "de" });
  });

  it("that cannot be made says nothing of the reason", async () => {
    const failing: CoreParts["card"] = () => Promise.reject(new Error("inner text"));
    expect(await get({}, {}, { card: failing })).toMatchObject({ status: 500, body: "InternalError." });
  });

  it("takes GET and HEAD", async () => {
    expect((await get({}, {}, {}, "HEAD"))?.status).toBe(200);
    expect(await get({}, {}, {}, "POST")).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
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
