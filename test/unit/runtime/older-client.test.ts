import { Metadata, Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { ClientCore } from "../../../templates/runtime/client/core.js";
import { createGrpcTransport } from "../../../templates/runtime/bindings/grpc/client.js";
import { createJsonRpcTransport } from "../../../templates/runtime/bindings/jsonrpc/client.js";
import { openMainFirst } from "../../../templates/runtime/client/main-interface.js";
import { createRestTransport } from "../../../templates/runtime/bindings/rest/client.js";
import {
  TransportError,
  type AgentInterface,
  type TransportFactory,
} from "../../../templates/runtime/protocol/transport.js";
import { readGrpcError, readHttpError, readJsonRpcError } from "../../../templates/runtime/protocol/error-plain.js";
import type { Codec } from "../../../templates/runtime/bindings/grpc/status.js";
import { message, required } from "../../../templates/runtime/schema/message.js";
import type { DiscoveryFacts, Operation } from "../../../templates/runtime/protocol/operation.js";
import { ValidationError } from "../../../templates/runtime/schema/schema.js";
import { formatEvent } from "../../../templates/runtime/http/sse.js";
import { int32, string } from "../../../templates/runtime/schema/types.js";
import { all, failureOf, json, serve } from "./client-sample.js";
import { discovery, errors, LetterNotFound, LetterSealed, operations, protocol } from "./older-sample.js";

const { burn, follow, post } = operations;

function jsonRpcCaller(url: string): ClientCore {
  const transport = createJsonRpcTransport({ url, protocol, errors, readError: readJsonRpcError });
  return new ClientCore({ transport, protocol, errors });
}

function restCaller(url: string): ClientCore {
  const all = Object.values(operations);
  const transport = createRestTransport({ url, protocol, operations: all, errors, readError: readHttpError });
  return new ClientCore({ transport, protocol, errors });
}

const gone = { code: -32001, message: "gone", data: { id: "7" } };

describe("an error of a streaming call over JSON-RPC", () => {
  const response = { jsonrpc: "2.0", id: 1, error: gone };

  it("is read from the one event of a stream", async () => {
    const { url } = await serve((_, answer) => {
      answer.writeHead(200, { "content-type": "text/event-stream" }).end(formatEvent(JSON.stringify(response)));
    });
    const error = await failureOf(all(jsonRpcCaller(url).stream(follow, { id: "7" })));
    expect(error).toBeInstanceOf(LetterNotFound);
    expect(error).toMatchObject({ message: "gone", metadata: { id: "7" }, data: { id: "7" } });
  });

  it("is read from an ordinary response, whatever its status", async () => {
    for (const status of [200, 404]) {
      const { url } = await serve((_, answer) => json(answer, response, status));
      expect(await failureOf(all(jsonRpcCaller(url).stream(follow, { id: "7" })))).toBeInstanceOf(LetterNotFound);
    }
  });
});

describe("an answer that says nothing", () => {
  it("is null, or an empty object, over JSON-RPC", async () => {
    for (const result of [null, {}]) {
      const { url } = await serve((_, answer) => json(answer, { jsonrpc: "2.0", id: 1, result }));
      expect(await jsonRpcCaller(url).unary(burn, { id: "7" })).toBeNull();
    }
  });

  it("is an empty object, or an empty body, over HTTP+JSON", async () => {
    for (const body of ["{}", "null", ""]) {
      const { url } = await serve((_, answer) => answer.writeHead(200).end(body));
      expect(await restCaller(url).unary(burn, { id: "7" })).toBeNull();
    }
  });
});

describe("an error over HTTP+JSON", () => {
  it("is read from the body of a refusal", async () => {
    const { url } = await serve((_, answer) => json(answer, gone, 404));
    const error = await failureOf(restCaller(url).unary(burn, { id: "7" }));
    expect(error).toBeInstanceOf(LetterNotFound);
    expect(error).toMatchObject({ httpStatus: 404, metadata: { id: "7" } });
  });

  it("is missing access where the status says so and the code nothing more precise", async () => {
    const { url } = await serve((_, answer) => json(answer, { code: -32600, message: "who?" }, 401));
    const error = await failureOf(restCaller(url).unary(burn, { id: "7" }));
    expect(error).toBeInstanceOf(errors.unauthenticated);
    expect(error).toMatchObject({ message: "who?" });
  });

  it("ends a stream as an event that has code and text", async () => {
    const events = [{ id: "7" }, gone].map((event) => formatEvent(JSON.stringify(event))).join("");
    const { url } = await serve((_, answer) =>
      answer.writeHead(200, { "content-type": "text/event-stream" }).end(events),
    );
    const seen: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const letter of restCaller(url).stream(follow, { id: "7" })) seen.push(letter);
    };
    expect(await failureOf(reading())).toBeInstanceOf(LetterNotFound);
    expect(seen).toEqual([{ id: "7" }]);
  });
});

describe("an event that is a response with the members of an error", () => {
  it("is a response", async () => {
    const event = { code: 7, message: "hello" };
    const { url } = await serve((_, answer) =>
      answer.writeHead(200, { "content-type": "text/event-stream" }).end(formatEvent(JSON.stringify(event))),
    );
    const fields = () => ({ code: required(int32), message: required(string) });
    const operation = { ...follow, response: message<typeof event>("Greeting", fields) };
    expect(await all(restCaller(url).stream(operation, { id: "7" }))).toEqual([event]);
  });
});

describe("an error over gRPC", () => {
  const codec: Codec<unknown> = {
    encode: (value) => Buffer.from(JSON.stringify(value)),
    decode(bytes) {
      if (bytes.length > 0) return JSON.parse(Buffer.from(bytes).toString()) as unknown;
      const issue = { message: "/name expected letters/{id}", pointer: "/name", expected: "a name", found: "nothing" };
      throw new ValidationError("Letter", [{ ...issue, path: ["name"] }]);
    },
  };

  async function failureWith(
    handler: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => void,
    operation: Operation = post,
  ): Promise<unknown> {
    const bytes = (value: Buffer): Buffer => value;
    const stream = { requestStream: false, responseStream: false };
    const serializers = {
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    };
    const server = new Server();
    server.addService({ Post: { path: post.grpc, ...stream, ...serializers } }, { Post: handler });
    const port = await new Promise<number>((resolve, reject) => {
      const done = (error: Error | null, bound: number): void => (error === null ? resolve(bound) : reject(error));
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), done);
    });
    const codecs = { Post: { request: codec, response: codec }, Burn: { request: codec, response: codec } };
    const transport = createGrpcTransport({
      url: `http://127.0.0.1:${port}`,
      codecs,
      protocol,
      operations: Object.values(operations),
      errors,
      readError: readGrpcError,
    });
    onTestFinished(() => {
      transport.close?.();
      server.forceShutdown();
    });
    return failureOf(new ClientCore({ transport, protocol, errors }).unary(operation, { letter: { id: "1" } }));
  }

  it("is read by the name in its text", async () => {
    const error = await failureWith((_, answer) =>
      answer({ code: status.FAILED_PRECONDITION, details: "LetterSealedError: with wax", metadata: new Metadata() }),
    );
    expect(error).toBeInstanceOf(LetterSealed);
    expect(error).toMatchObject({ message: "with wax", grpcStatus: "FAILED_PRECONDITION" });
  });

  it("is the one for a wrong response where a codec finds something wrong with that, and says what", async () => {
    const error = await failureWith((_, answer) => answer(null, Buffer.alloc(0)));
    expect(error).toBeInstanceOf(errors.invalidResponse);
    expect(error).toMatchObject({ message: "The response to Post is not valid: Letter: /name expected letters/{id}" });
  });

  it("is one of the transport for an operation that gRPC does not have", async () => {
    const error = await failureWith((_, answer) => answer(null, Buffer.from("{}")), burn);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ unsent: true });
  });
});

describe("the interfaces of a card that names one itself", () => {
  /** The interfaces that are tried for a card, in their order; each of them is out of reach. */
  async function tried(card: unknown, found: DiscoveryFacts = discovery, url?: string): Promise<string[]> {
    const opened: AgentInterface[] = [];
    const factories = ["JSONRPC", "HTTP+JSON", "GRPC"].map((binding): TransportFactory => ({
      binding,
      open(target) {
        opened.push(target);
        throw new Error("out of reach");
      },
    }));
    const transport = openMainFirst(card, factories, { protocol, discovery: found, url });
    await failureOf(transport.unary({ operation: post, request: {}, headers: {}, signal: undefined }));
    return opened.map((target) => `${target.binding} ${target.version} ${target.url}`);
  }

  it("begin with that one, in the binding that the card prefers", async () => {
    const others = [
      { transport: "GRPC", url: "127.0.0.1:50051" },
      { transport: "JSONRPC", url: "https://a.example/rpc" },
    ];
    expect(await tried({ url: "https://a.example/v1", preferred: "HTTP+JSON", others })).toEqual([
      "HTTP+JSON 0.3 https://a.example/v1",
      "GRPC 0.3 127.0.0.1:50051",
      "JSONRPC 0.3 https://a.example/rpc",
    ]);
  });

  it("have the default binding where the card names none", async () => {
    expect(await tried({ url: "https://a.example/" })).toEqual(["JSONRPC 0.3 https://a.example/"]);
    expect(await tried({ url: "https://a.example/", preferred: "" })).toHaveLength(1);
  });

  it("count once where the list repeats one, however it writes the URL", async () => {
    const others = [
      { transport: "JSONRPC", url: "https://a.example/" },
      { transport: "HTTP+JSON", url: "https://a.example" },
      { transport: "HTTP+JSON", url: "https://a.example" },
    ];
    expect(await tried({ url: "https://a.example", others })).toEqual([
      "JSONRPC 0.3 https://a.example/",
      "HTTP+JSON 0.3 https://a.example/",
    ]);
  });

  it("are relative to the card", async () => {
    expect(await tried({ url: "../rpc" }, discovery, "https://a.example/x/card.json")).toEqual([
      "JSONRPC 0.3 https://a.example/rpc",
    ]);
  });

  it("are that one alone where cards have no list", async () => {
    const main = { url: "url", defaultBinding: "JSONRPC" };
    const found = { path: "/card.json", interfaces: { main } };
    expect(await tried({ url: "https://a.example/", preferred: "GRPC", others: [] }, found)).toEqual([
      "JSONRPC 0.3 https://a.example/",
    ]);
  });

  it("speak the version of the protocol, except those of the list that name another", async () => {
    const interfaces = { ...discovery.interfaces, version: "version" };
    const others = [
      { transport: "GRPC", url: "a.example:1", version: "0.3.0" },
      { transport: "GRPC", url: "a.example:2", version: "0.2" },
    ];
    expect(await tried({ url: "https://a.example/", others }, { ...discovery, interfaces })).toEqual([
      "JSONRPC 0.3 https://a.example/",
      "GRPC 0.3.0 a.example:1",
    ]);
  });

  it("are none where the card names no URL", async () => {
    await expect(tried({})).rejects.toBeInstanceOf(TransportError);
    await expect(tried("card")).rejects.toBeInstanceOf(TransportError);
  });
});
