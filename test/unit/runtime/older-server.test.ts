import { describe, expect, it } from "vitest";
import { nullCodec, type Codec, type Codecs } from "../../../templates/runtime/bindings/grpc/status.js";
import type { CoreParts } from "../../../templates/runtime/server/core.js";
import { checkConstraints } from "../../../templates/runtime/server/constraints.js";
import { grpcService } from "../../../templates/runtime/bindings/grpc/server.js";
import type { HttpResponse } from "../../../templates/runtime/http/server.js";
import { jsonRpcHandler } from "../../../templates/runtime/bindings/jsonrpc/server.js";
import { errors, LetterNotFound, LetterSealed, olderCore, operations, type LetterService } from "./older-sample.js";
import { eventsOf, httpRequest, jsonOf } from "./server-sample.js";

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
