import { describe, expect, it } from "vitest";
import { nullCodec, type Codec, type Codecs } from "../../../templates/runtime/bindings/grpc/status.js";
import type { CoreParts } from "../../../templates/runtime/server/core.js";
import { checkConstraints } from "../../../templates/runtime/server/constraints.js";
import { grpcService } from "../../../templates/runtime/bindings/grpc/server.js";
import type { HttpResponse } from "../../../templates/runtime/http/server.js";
import { jsonRpcHandler } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import { restHandler } from "../../../templates/runtime/bindings/rest/server.js";
import {
  errors,
  LetterNotFound,
  LetterSealed,
  olderCore,
  operations,
  ordinary,
  type LetterService,
} from "./older-sample.js";
import { eventsOf, httpRequest, jsonOf, textOf } from "./server-sample.js";

const service: LetterService = {
  post: ({ letter }) => letter,
  async *follow({ id }) {
    await Promise.resolve();
    if (id === "gone") throw new LetterNotFound(undefined, { metadata: { id } });
    if (id === "denied") throw new errors.permissionDenied();
    yield { id };
  },
  burn: () => undefined,
};

async function call(
  method: string,
  params: unknown,
  parts: Partial<CoreParts> = {},
  headers?: Record<string, string>,
): Promise<HttpResponse> {
  const body = { jsonrpc: "2.0", id: 1, method, params };
  const answer = await jsonRpcHandler(olderCore(service, parts))(httpRequest("POST", "/", body, headers));
  if (answer === undefined) throw new Error("not handled");
  return answer;
}

async function send(verb: string, path: string, body?: unknown): Promise<HttpResponse> {
  const answer = await restHandler(olderCore(service))(httpRequest(verb, path, body));
  if (answer === undefined) throw new Error("not handled");
  return answer;
}

const gone = { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "Letter not found", data: { id: "gone" } } };

describe("an error before the first event of a stream over JSON-RPC", () => {
  it("is the one event of a stream where the version wants it so", async () => {
    const answer = await call("letters/follow", { id: "gone" });
    expect(answer).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
    });
    expect(await textOf(answer)).toMatch(/^data: .*\n\n$/);
    expect(await eventsOf(answer)).toEqual([gone]);
  });

  it("is an ordinary response where the version does not say so", async () => {
    const answer = await call("letters/follow", { id: "gone" }, { protocol: ordinary });
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(await jsonOf(answer)).toEqual(gone);
  });

  it("comes so for wrong params too, but not where HTTP itself answers", async () => {
    const [event] = await eventsOf(await call("letters/follow", {}));
    expect(event).toMatchObject({ error: { code: -32602 } });
    expect(await eventsOf(await call("letters/follow", "x"))).toMatchObject([{ error: { code: -32602 } }]);
    const denied = await call("letters/follow", { id: "denied" });
    expect(denied).toMatchObject({ status: 403, headers: { "content-type": "application/json" } });
    const typed = await call("letters/follow", { id: "gone" }, {}, { "content-type": "text/plain" });
    expect(typed).toMatchObject({ status: 415, headers: { "content-type": "application/json" } });
  });

  it("is an ordinary response to a call without a stream, and to a method that there is not", async () => {
    const headers = { "content-type": "application/json" };
    expect(await call("letters/burn", {})).toMatchObject({ status: 200, headers });
    const unknown = await call("letters/eat", {});
    expect(unknown).toMatchObject({ status: 200, headers });
    expect(await jsonOf(unknown)).toMatchObject({ error: { code: -32601 } });
  });
});

describe("an answer that says nothing", () => {
  it("is null over JSON-RPC, whether or not answers are checked", async () => {
    for (const validateResponses of [true, false]) {
      const answer = await call("letters/burn", { id: "1" }, { options: { validateResponses } });
      expect(await jsonOf(answer)).toEqual({ jsonrpc: "2.0", id: 1, result: null });
    }
  });

  it("is an empty object over HTTP+JSON", async () => {
    expect(await jsonOf(await send("DELETE", "/v1/letters/1"))).toEqual({});
  });
});

describe("a list that an operation demands an element of", () => {
  const violations = async (params: unknown, method = "letters/post"): Promise<unknown> => {
    const { error } = (await jsonOf(await call(method, params))) as { error?: { code: number; data: never } };
    return (
      error && [error.code, (error.data as { details: [{ fieldViolations: unknown }] }).details[0].fieldViolations]
    );
  };
  const violation = (found: string): unknown => [
    -32602,
    [{ field: "letter.pages", description: `/letter/pages expected a list with at least one element, got ${found}` }],
  ];

  it("is refused where it is empty or absent, with its path", async () => {
    expect(await violations({ letter: { id: "1", pages: [] } })).toEqual(violation("an empty list"));
    expect(await violations({ letter: { id: "1" } })).toEqual(violation("nothing"));
  });

  it("is named beside others", () => {
    const demanding = { ...operations.post, demands: [["letter", "pages"], ["stamps"]] };
    expect(() => checkConstraints(demanding, { letter: {}, stamps: [] })).toThrow(
      "PostRequest: /letter/pages expected a list with at least one element, got nothing; " +
        "/stamps expected a list with at least one element, got an empty list",
    );
  });

  it("is accepted where it has one", async () => {
    expect(await violations({ letter: { id: "1", pages: ["Dear"] } })).toBeUndefined();
  });

  it("is not missed where the object that would have it is absent", async () => {
    const follow = (params: unknown): Promise<unknown[]> => call("letters/follow", params).then(eventsOf);
    expect(await follow({ id: "1" })).toEqual([{ jsonrpc: "2.0", id: 1, result: { id: "1" } }]);
    expect(await follow({ id: "1", reply: { id: "2" } })).toMatchObject([{ error: { code: -32602 } }]);
  });
});

describe("a version without errors for versions and extensions", () => {
  it("does not look for extensions in the card, whatever the errors are", async () => {
    const card = { extensions: [{ uri: "urn:x", required: true }] };
    const parts = { card, errors: { ...errors, extensionRequired: LetterSealed } };
    expect(await jsonOf(await call("letters/burn", { id: "1" }, parts))).toMatchObject({ result: null });
  });
});

describe("an error over HTTP+JSON", () => {
  it("has the code of JSON-RPC in its body and its own status", async () => {
    const answer = await send("GET", "/v1/letters/gone:follow");
    expect(answer.status).toBe(404);
    expect(await jsonOf(answer)).toEqual(gone.error);
  });

  it("has the status that the version gives to an unknown operation", async () => {
    const answer = await send("GET", "/v1/parcels");
    expect(answer.status).toBe(501);
    expect(await jsonOf(answer)).toEqual({ code: -32601, message: "Method not found" });
  });
});

const codec: Codec<unknown> = { encode: () => new Uint8Array(), decode: () => ({}) };
const codecs: Codecs = { Post: { request: codec, response: codec }, Burn: { request: codec, response: nullCodec } };

describe("an operation without a path on gRPC", () => {
  it("is left out of the service, even with a codec", () => {
    expect(Object.keys(grpcService(olderCore(service), codecs).definition)).toEqual(["Post"]);
  });
});

describe("nothing as null on gRPC", () => {
  it("has no bytes, and is null again", () => {
    expect(nullCodec.encode(null)).toHaveLength(0);
    expect(nullCodec.decode(new Uint8Array([8, 1]))).toBeNull();
  });
});
