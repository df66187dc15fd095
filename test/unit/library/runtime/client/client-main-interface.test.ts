import { describe, expect, it } from "vitest";
import { openMainFirst } from "../../../../../library/runtime/client/main-interface.js";
import type { DiscoveryFacts } from "../../../../../library/runtime/protocol/operation.js";
import {
  TransportError,
  type AgentInterface,
  type TransportFactory,
} from "../../../../../library/runtime/protocol/transport.js";
import { failureOf, getBook, protocol as newest } from "../client-sample.js";

const protocol = { ...newest, version: "0.3", assumedVersion: "0.3" };

/** Cards that name one interface themselves, and may list more of them. */
const discovery: DiscoveryFacts = {
  path: "/.well-known/library.json",
  interfaces: {
    main: { url: "url", binding: "preferred", defaultBinding: "JSONRPC" },
    list: "others",
    url: "url",
    binding: "transport",
  },
};

/** The interfaces that are tried for a card, in their order; each of them is out of reach. */
async function tried(card: unknown, found: DiscoveryFacts = discovery, url?: string) {
  const opened: AgentInterface[] = [];
  const factories = ["JSONRPC", "HTTP+JSON", "GRPC"].map((binding): TransportFactory => ({
    binding,
    open(target) {
      opened.push(target);
      throw new Error("out of reach");
    },
  }));
  const transport = await openMainFirst(card, factories, { protocol, discovery: found, url });
  await failureOf(
    transport.unary({
      name: getBook.name,
      operation: getBook,
      request: {},
      headers: {},
      signal: undefined,
    }),
  );
  return opened.map((target) => `${target.binding} ${target.version} ${target.url}`);
}

const url = "https://a.example/";
const grpc = { transport: "GRPC", url: "127.0.0.1:50051" };
const main = { url: "url", defaultBinding: "JSONRPC" };
const withVersions = { ...discovery, interfaces: { ...discovery.interfaces, version: "version" } };

describe("a client of a card with a main interface", () => {
  it.each<[string, object, string[], DiscoveryFacts?]>([
    [
      "starts with the main interface, in the transport that the card prefers",
      {
        url: "https://a.example/v1",
        preferred: "HTTP+JSON",
        others: [grpc, { transport: "JSONRPC", url: `${url}rpc` }],
      },
      [
        "HTTP+JSON 0.3 https://a.example/v1",
        "GRPC 0.3 127.0.0.1:50051",
        "JSONRPC 0.3 https://a.example/rpc",
      ],
    ],
    ["uses the default transport if the card names none", { url }, [`JSONRPC 0.3 ${url}`]],
    [
      "uses the default transport if the card names an empty transport",
      { url, preferred: "" },
      [`JSONRPC 0.3 ${url}`],
    ],
    [
      "tries an interface once even if the list repeats it with another spelling of the URL",
      {
        url: "https://a.example",
        others: ["JSONRPC", "HTTP+JSON", "HTTP+JSON"].map((transport) => ({ transport, url })),
      },
      [`JSONRPC 0.3 ${url}`, `HTTP+JSON 0.3 ${url}`],
    ],
    [
      "only tries the main interface if cards have no list",
      { url, preferred: "GRPC", others: [] },
      [`JSONRPC 0.3 ${url}`],
      { path: "/card.json", interfaces: { main } },
    ],
    [
      "uses the version of the protocol, except for interfaces of the list with another version",
      {
        url,
        others: [
          { ...grpc, version: "0.3.0" },
          { ...grpc, version: "0.2" },
        ],
      },
      [`JSONRPC 0.3 ${url}`, "GRPC 0.3.0 127.0.0.1:50051"],
      withVersions,
    ],
  ])("the client %s", async (_, card, interfaces, found) => {
    expect(await tried(card, found)).toEqual(interfaces);
  });

  it("the client resolves the main URL against the URL of the card", async () => {
    expect(await tried({ url: "../rpc" }, discovery, `${url}x/card.json`)).toEqual([
      `JSONRPC 0.3 ${url}rpc`,
    ]);
  });

  it("the client throws if the card has no URL", async () => {
    await expect(tried({})).rejects.toBeInstanceOf(TransportError);
    await expect(tried("card")).rejects.toBeInstanceOf(TransportError);
  });
});
