import { describe, expect, it, vi } from "vitest";
import * as old from "../../../../../generated/0.3.0/index.js";
import { cardProblems, createAgent } from "../../../../../generated/1.0/index.js";
import { aCard, aSkill } from "../../../../support/cards.js";

const interfaces = [
  { url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  { url: "a.example:443", protocolBinding: "GRPC", protocolVersion: "1.0" },
  { url: "queue:a", protocolBinding: "https://example.com/bindings/queue", protocolVersion: "1.0" },
];
const card = aCard(interfaces, {
  capabilities: { streaming: true, extensions: [{ uri: "urn:x", params: { streming: true } }] },
  skills: [aSkill()],
});
const oldCard: old.AgentCard = {
  name: "A",
  description: "Is read.",
  version: "1",
  protocolVersion: "0.3.0",
  url: "https://a.example",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [aSkill()],
};
const texts = (problems: ReturnType<typeof cardProblems>) =>
  problems.map(({ path, problem, hint }) => `${path}: ${problem}, ${hint}`);

describe("the issues of an agent card", () => {
  it("a card that clients read as intended has no issues, even if it has additional members", () => {
    expect(cardProblems(card)).toEqual([]);
    const more = {
      ...card,
      url: "https://a.example",
      preferredTransport: "JSONRPC",
      "x-mood": "good",
    };
    expect(cardProblems(more)).toEqual([]);
  });

  it.each<[object, string]>([
    [
      { supportedInterfaces: [{ ...interfaces[0], protocolBinding: "JSON-RPC" }] },
      '/supportedInterfaces/0/protocolBinding: unknown binding "JSON-RPC", write "JSONRPC"',
    ],
    [
      { supportedInterfaces: [...interfaces, { ...interfaces[0], protocolBinding: "http_json" }] },
      '/supportedInterfaces/3/protocolBinding: unknown binding "http_json", write "HTTP+JSON"',
    ],
    [
      { supportedInterfaces: [{ ...interfaces[0], url: "localhost:4000" }] },
      '/supportedInterfaces/0/url: "localhost:4000" is not an HTTP URL, begin the URL with https:// or http://',
    ],
    [
      { capabilities: { streming: true } },
      '/capabilities/streming: unknown member "streming", write "streaming"',
    ],
    [
      { documentationUlr: "" },
      '/documentationUlr: unknown member "documentationUlr", write "documentationUrl"',
    ],
    [
      { skills: [{ id: "s", name: "S", description: "", tags: ["t"], exmaples: ["x"] }] },
      '/skills/0/exmaples: unknown member "exmaples", write "examples"',
    ],
  ])("an issue names its path and has a hint: %j", (members, text) => {
    expect(texts(cardProblems({ ...card, ...members }))).toEqual([text]);
  });

  it("an issue is found in the interface of a card of 0.3", () => {
    expect(old.cardProblems({ ...oldCard, url: "localhost:1" })).toMatchObject([{ path: "/url" }]);
  });

  it("a scheme that a card of 1.0 requires but does not declare is an issue", () => {
    const securityRequirements = [{ schemes: { token: { list: [] }, toString: { list: [] } } }];
    const securitySchemes = { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } };
    expect(texts(cardProblems({ ...card, securityRequirements, securitySchemes }))).toEqual([
      '/securityRequirements/0/schemes/toString: unknown security scheme "toString", declare it in securitySchemes',
    ]);
    expect(cardProblems({ ...card, securityRequirements })).toHaveLength(2);
  });

  it("a scheme that a card of 0.3 requires but does not declare is an issue", () => {
    const securitySchemes = { token: { type: "http" as const, scheme: "Bearer" } };
    const found = { ...oldCard, security: [{ token: [], key: [] }], securitySchemes };
    expect(texts(old.cardProblems(found))).toEqual([
      '/security/0/key: unknown security scheme "key", declare it in securitySchemes',
    ]);
  });

  it("issues are reported once when an agent is created, and no call is refused", () => {
    const onError = vi.fn();
    const wrong = aCard([
      { url: "https://a.example", protocolBinding: "JSON-RPC", protocolVersion: "1.0" },
    ]);
    createAgent({ card: wrong, service: {}, onError });
    createAgent({ card, service: {}, onError });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining('write "JSONRPC"') as string }),
      undefined,
      {},
    );
  });
});
