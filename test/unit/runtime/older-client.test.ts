import { describe, expect, it } from "vitest";
import { ClientCore } from "../../../templates/runtime/client/core.js";
import { openMainFirst } from "../../../templates/runtime/client/main-interface.js";
import { createRestTransport } from "../../../templates/runtime/bindings/rest/client.js";
import {
  TransportError,
  type AgentInterface,
  type TransportFactory,
} from "../../../templates/runtime/protocol/transport.js";
import { readHttpError } from "../../../templates/runtime/protocol/error-plain.js";
import { message, required } from "../../../templates/runtime/schema/message.js";
import type { DiscoveryFacts } from "../../../templates/runtime/protocol/operation.js";
import { formatEvent } from "../../../templates/runtime/http/sse.js";
import { int32, string } from "../../../templates/runtime/schema/types.js";
import { all, failureOf, serve } from "./client-sample.js";
import { discovery, errors, operations, protocol } from "./older-sample.js";

const { follow, post } = operations;

function restCaller(url: string): ClientCore {
  const all = Object.values(operations);
  const transport = createRestTransport({ url, protocol, operations: all, errors, readError: readHttpError });
  return new ClientCore({ transport, protocol, errors });
}

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
