import { describe, expect, it } from "vitest";
import { lintCard, type Finding } from "../../../../tools/agents/index.js";
import { expectLinearTime } from "../../../support/linear-time.js";

const card = {
  name: "Clerk",
  description: "Keeps tasks.",
  version: "1.0.0",
  supportedInterfaces: [
    { url: "https://agent.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "keep", name: "Keep", description: "Keeps a task.", tags: ["tasks"] }],
};

const earlier = {
  name: "Clerk",
  description: "Keeps tasks.",
  version: "1.0.0",
  protocolVersion: "0.3.0",
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: card.skills,
  url: "https://agent.example",
};

const [main] = card.supportedInterfaces;
const oauth = (flows: object): object => ({ login: { oauth2SecurityScheme: { flows } } });
const requiring = (schemes: object): object => ({ securityRequirements: [{ schemes }] });
const flow = { tokenUrl: "https://login.example/token", scopes: { "tasks:read": "Read" } };
const long = "a".repeat(10_000);

/** A mistake in a card: the changed members, and the severity, path and text of its finding. */
type Row = readonly [
  mistake: string,
  change: object,
  severity: Finding["severity"],
  path: string,
  text: RegExp,
];

const rows: readonly Row[] = [
  [
    "a missing member",
    { description: undefined },
    "error",
    "/description",
    /expected .*got nothing/,
  ],
  ["no interface", { supportedInterfaces: [] }, "error", "/supportedInterfaces", /expected/],
  [
    "a misspelled binding",
    { supportedInterfaces: [{ ...main, protocolBinding: "JSON-RPC" }] },
    ...(["error", "/supportedInterfaces/0/protocolBinding", /write "JSONRPC"/] as const),
  ],
  [
    "an unknown binding",
    { supportedInterfaces: [{ ...main, protocolBinding: "SOAP" }] },
    ...(["warning", "/supportedInterfaces/0/protocolBinding", /unknown binding "SOAP"/] as const),
  ],
  [
    "a custom binding",
    { supportedInterfaces: [{ ...main, protocolBinding: "https://example.com/queue/v1" }] },
    ...(["note", "/supportedInterfaces/0/protocolBinding", /custom binding/] as const),
  ],
  [
    "a URL without a scheme",
    { supportedInterfaces: [{ ...main, url: "agent.example/a2a" }] },
    ...(["error", "/supportedInterfaces/0/url", /begin the URL with https/] as const),
  ],
  [
    "a relative URL",
    { supportedInterfaces: [{ ...main, url: "/a2a" }] },
    ...(["warning", "/supportedInterfaces/0/url", /relative URL/] as const),
  ],
  [
    "plain HTTP on a public host",
    { supportedInterfaces: [{ ...main, url: "http://agent.example/a2a" }] },
    ...(["warning", "/supportedInterfaces/0/url", /use https/] as const),
  ],
  [
    "credentials in a URL",
    { supportedInterfaces: [{ ...main, url: "https://ada:secret@agent.example" }] },
    ...(["error", "/supportedInterfaces/0/url", /credentials/] as const),
  ],
  [
    "a loopback URL in a public card",
    { supportedInterfaces: [{ ...main, url: "http://127.0.0.1:4000" }] },
    ...(["error", "/supportedInterfaces/0/url", /own network/] as const),
  ],
  [
    "an interface that is listed twice",
    { supportedInterfaces: [main, main] },
    ...(["warning", "/supportedInterfaces/1", /listed twice/] as const),
  ],
  [
    "a version with a patch number",
    { supportedInterfaces: [{ ...main, protocolVersion: "1.0.0" }] },
    ...(["warning", "/supportedInterfaces/0/protocolVersion", /write "1.0"/] as const),
  ],
  [
    "a version that is not a version",
    { supportedInterfaces: [{ ...main, protocolVersion: "v1" }] },
    ...(["error", "/supportedInterfaces/0/protocolVersion", /not a protocol version/] as const),
  ],
  [
    "an unknown version",
    { supportedInterfaces: [{ ...main, protocolVersion: "7.1" }] },
    ...(["note", "/supportedInterfaces/0/protocolVersion", /unknown protocol version/] as const),
  ],
  [
    "a misspelled optional member",
    { documentatonUrl: "https://agent.example/docs" },
    ...(["warning", "/documentatonUrl", /write "documentationUrl"/] as const),
  ],
  [
    "an undeclared security scheme",
    requiring({ key: { list: [] } }),
    ...(["error", "/securityRequirements/0/schemes/key", /declare it/] as const),
  ],
  [
    "an empty requirement",
    { securityRequirements: [{}] },
    "note",
    "/securityRequirements/0",
    /no credentials/,
  ],
  [
    "a scope that no flow offers",
    {
      securitySchemes: oauth({ clientCredentials: flow }),
      ...requiring({ login: { list: ["tasks:write"] } }),
    },
    ...(["warning", "/securityRequirements/0/schemes/login", /no flow .* "tasks:write"/] as const),
  ],
  [
    "an empty scope",
    {
      securitySchemes: oauth({ clientCredentials: flow }),
      ...requiring({ login: { list: [""] } }),
    },
    ...(["error", "/securityRequirements/0/schemes/login", /a scope is empty/] as const),
  ],
  [
    "an OAuth scheme without a flow",
    { securitySchemes: oauth({}) },
    ...(["error", "/securitySchemes/login/oauth2SecurityScheme/flows", /no flow/] as const),
  ],
  [
    "an unencrypted token URL",
    {
      securitySchemes: oauth({
        clientCredentials: { ...flow, tokenUrl: "http://login.example/token" },
      }),
    },
    ...([
      "warning",
      "/securitySchemes/login/oauth2SecurityScheme/flows/clientCredentials/tokenUrl",
      /unencrypted/,
    ] as const),
  ],
  [
    "an outdated flow",
    { securitySchemes: oauth({ password: flow }) },
    ...([
      "warning",
      "/securitySchemes/login/oauth2SecurityScheme/flows/password",
      /OAuth 2.1/,
    ] as const),
  ],
  [
    "a key in the query",
    { securitySchemes: { key: { apiKeySecurityScheme: { location: "query", name: "k" } } } },
    ...(["warning", "/securitySchemes/key/apiKeySecurityScheme/location", /logs/] as const),
  ],
  [
    "an unknown HTTP scheme",
    { securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Baerer" } } } },
    ...(["warning", "/securitySchemes/token/httpAuthSecurityScheme/scheme", /"Baerer"/] as const),
  ],
  [
    "an unused scheme",
    { securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } } },
    ...(["note", "/securitySchemes/token", /no requirement/] as const),
  ],
  ["no skill", { skills: [] }, "warning", "/skills", /no skill/],
  [
    "two skills with one id",
    { skills: [card.skills[0], card.skills[0]] },
    "error",
    "/skills/1/id",
    /two skills/,
  ],
  [
    "a mode that is not a media type",
    { defaultInputModes: ["text"] },
    "warning",
    "/defaultInputModes/0",
    /text\/plain/,
  ],
  ["an empty name", { name: " " }, "warning", "/name", /empty/],
  [
    "a link that is not a URL",
    { documentationUrl: "docs" },
    "warning",
    "/documentationUrl",
    /not a URL/,
  ],
  [
    "a damaged signature header",
    { signatures: [{ protected: "%%%", signature: "AAAA" }] },
    ...(["error", "/signatures/0/protected", /base64url/] as const),
  ],
];

describe("the lint of agent cards", () => {
  it("the lint finds nothing in a good card of 1.0 or 0.3", () => {
    expect(lintCard(card, "https://agent.example/.well-known/agent-card.json")).toEqual([]);
    expect(lintCard(earlier, "https://agent.example/.well-known/agent-card.json")).toEqual([]);
  });

  it.each(rows)("the lint finds %s", (_mistake, change, severity, path, text) => {
    const findings = lintCard(
      { ...card, ...change },
      "https://agent.example/.well-known/agent-card.json",
    );
    const found = findings.filter(
      (each) => each.path === path && text.test(`${each.problem}, ${each.hint}`),
    );
    expect(
      found.map((each) => each.severity),
      JSON.stringify(findings),
    ).toEqual([severity]);
  });

  it("the lint finds mistakes in a card of 0.3", () => {
    const mistakes = {
      preferredTransport: "jsonrpc",
      protocolVersion: "zero",
      security: [{ key: [] }],
    };
    const findings = lintCard({ ...earlier, ...mistakes });
    expect(findings.map(({ path }) => path).sort()).toEqual([
      "/preferredTransport",
      "/protocolVersion",
      "/security/0/key",
    ]);
  });

  it("the lint puts errors before warnings and notes", () => {
    const findings = lintCard({
      ...card,
      name: "",
      supportedInterfaces: [],
      securityRequirements: [{}],
    });
    expect(findings.map(({ severity }) => severity)).toEqual(["error", "warning", "note"]);
  });

  it.each([
    ["null", null],
    ["a list", []],
    ["a text", "card"],
    [
      "lists for objects",
      { ...card, supportedInterfaces: {}, securitySchemes: [], skills: "all", capabilities: [] },
    ],
    [
      "objects for texts",
      { ...card, name: {}, supportedInterfaces: [{ url: [], protocolBinding: 1 }], skills: [null] },
    ],
    [
      "prototype names",
      JSON.parse(
        '{"__proto__": {"url": 1}, "constructor": 1, "securitySchemes": {"__proto__": {}}}',
      ),
    ],
    [
      "a long text",
      {
        ...card,
        defaultInputModes: [long],
        securitySchemes: { [long]: { httpAuthSecurityScheme: {} } },
      },
    ],
  ])("the lint does not fail on a hostile card: %s", (_what, hostile: unknown) => {
    for (const { problem, hint } of lintCard(hostile))
      expect(`${problem}${hint}`.length).toBeLessThan(1_000);
  });

  it("the lint returns at most 200 findings, in linear time", async () => {
    const cardOf = (skills: number) => ({
      ...card,
      skills: Array.from({ length: skills }, () => ({
        id: "",
        name: "",
        description: "",
        tags: [],
      })),
    });
    await expectLinearTime(20_000, cardOf, (large) => {
      expect(lintCard(large)).toHaveLength(200);
    });
  });
});
