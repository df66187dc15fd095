import { describe, expect, it, vi } from "vitest";
import * as old from "../../../generated/0.3.0/index.js";
import { cardProblems, createAgent, discovery, protocol, type AgentCard } from "../../../generated/1.0/index.js";
import { AgentCardSchema } from "../../../generated/1.0/validators.js";
import { findCardProblems } from "../../../templates/runtime/protocol/card-problems.js";

const interfaces = [
  { url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  { url: "a.example:443", protocolBinding: "GRPC", protocolVersion: "1.0" },
  { url: "queue:a", protocolBinding: "https://example.com/bindings/queue", protocolVersion: "1.0" },
];
const card: AgentCard = {
  name: "A",
  description: "Is read.",
  version: "1",
  supportedInterfaces: interfaces,
  capabilities: { streaming: true, extensions: [{ uri: "urn:x", params: { streming: true } }] },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "Does.", tags: ["t"] }],
};
const texts = (problems: ReturnType<typeof cardProblems>): string[] =>
  problems.map(({ path, problem, hint }) => `${path}: ${problem}, ${hint}`);

describe("the problems of an agent card", () => {
  it("are none in a card that clients read as it is meant, also with members of others", () => {
    expect(cardProblems(card)).toEqual([]);
    const more = { ...card, url: "https://a.example", preferredTransport: "JSONRPC", "x-mood": "good" };
    expect(cardProblems(more as AgentCard)).toEqual([]);
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
      '/supportedInterfaces/0/url: "localhost:4000" is not a URL of HTTP, begin the URL with https:// or http://',
    ],
    [{ capabilities: { streming: true } }, '/capabilities/streming: unknown member "streming", write "streaming"'],
    [{ documentationUlr: "" }, '/documentationUlr: unknown member "documentationUlr", write "documentationUrl"'],
    [
      { skills: [{ id: "s", name: "S", description: "", tags: ["t"], exmaples: ["x"] }] },
      '/skills/0/exmaples: unknown member "exmaples", write "examples"',
    ],
  ])("are named with their path and a hint: %j", (members, text) => {
    expect(texts(cardProblems({ ...card, ...members }))).toEqual([text]);
  });

  it("are found in the interface of a card of 0.3, too", () => {
    const { name, description, version, capabilities, defaultInputModes, defaultOutputModes, skills } = card;
    const shared = { name, description, version, defaultInputModes, defaultOutputModes, skills };
    const { streaming = false } = capabilities;
    const found = { ...shared, capabilities: { streaming }, protocolVersion: "0.3.0", url: "localhost:1" };
    expect(old.cardProblems(found)).toMatchObject([{ path: "/url" }]);
  });

  it("are schemes that are required and not declared, where a version says how", () => {
    const security = { list: "securityRequirements", schemes: "schemes", declared: "securitySchemes" };
    const rules = { protocol, discovery: { ...discovery, security }, type: AgentCardSchema };
    const securityRequirements = [{ schemes: { token: { list: [] }, toString: { list: [] } } }];
    const securitySchemes = { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } };
    expect(texts(findCardProblems({ ...card, securityRequirements, securitySchemes }, rules))).toEqual([
      '/securityRequirements/0/schemes/toString: unknown security scheme "toString", declare it in securitySchemes',
    ]);
    expect(findCardProblems({ ...card, securityRequirements }, rules)).toHaveLength(2);
  });

  it("are reported once when an agent is created, and refuse nothing", () => {
    const onError = vi.fn();
    const wrong = { ...card, supportedInterfaces: [{ ...interfaces[0], protocolBinding: "JSON-RPC" }] } as AgentCard;
    createAgent({ card: wrong, service: {}, onError });
    createAgent({ card, service: {}, onError });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining('write "JSONRPC"') as string }),
      undefined,
    );
  });
});
