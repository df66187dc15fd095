import { describe, expect, it, vi } from "vitest";
import { createAgent, type AgentCard } from "../../../../../generated/1.0/index.js";
import {
  createAgent as createOldAgent,
  type AgentCard as OldCard,
} from "../../../../../generated/0.3.0/index.js";
import { fetchHandler } from "../../../../../generated/1.0/server/index.js";
import { fetchHandler as oldHandler } from "../../../../../generated/0.3.0/server/index.js";
import { card as newest } from "../../../../support/kit.js";

const plain = {
  ...newest,
  supportedInterfaces: [
    { url: "http://localhost", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ],
};

/** A requirement of schemes without scopes. */
const all = (...names: string[]) => ({
  schemes: Object.fromEntries(names.map((name) => [name, { list: [] }])),
});

const key = { httpAuthSecurityScheme: { scheme: "Bearer" } };

const cardWith = (
  ...securityRequirements: NonNullable<AgentCard["securityRequirements"]>
): AgentCard => ({
  ...plain,
  securitySchemes: { key, token: key, login: key },
  securityRequirements,
});

describe("an agent whose card requires credentials that nothing checks", () => {
  it("the agent warns at its start with the names of the schemes", () => {
    const onError = vi.fn();
    createAgent({ card: cardWith(all("key", "token"), all("login")), service: {}, onError });
    expect(onError).toHaveBeenCalledOnce();
    expect(String(onError.mock.calls[0]?.[0])).toBe(
      'Error: The agent card requires credentials for "key", "token", "login" in securityRequirements, but every caller is admitted: set the option authenticate of createAgent',
    );
  });

  it("the agent warns on the console if onError is not set", () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    createAgent({ card: cardWith(all("key")), service: {} });
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it("the agent warns of a card of 0.3, whose requirements are the schemes", () => {
    const onError = vi.fn();
    const card: OldCard = {
      name: "Test",
      description: "Is tested.",
      version: "1",
      url: "http://localhost",
      protocolVersion: "0.3.0",
      capabilities: {},
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [],
      securitySchemes: { key: { type: "http", scheme: "Bearer" } },
      security: [{ key: [] }],
    };
    createOldAgent({ card, service: {}, onError });
    expect(String(onError.mock.calls[0]?.[0])).toContain('credentials for "key" in security,');
  });

  it("the agent warns once of cards that a function creates, when the first card is served", async () => {
    const onError = vi.fn();
    const handler = fetchHandler(
      createAgent({ card: () => cardWith(all("key")), service: {}, onError }),
    );
    expect(onError).not.toHaveBeenCalled();
    for (let count = 0; count < 2; count++)
      await handler(new Request("http://localhost/.well-known/agent-card.json"));
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each<[what: string, card: AgentCard, options: { authenticate?: () => string }]>([
    ["with the option authenticate", cardWith(all("key")), { authenticate: () => "ada" }],
    ["if callers may also send no credentials", cardWith(all("key"), all()), {}],
    ["if callers may choose an empty requirement", cardWith(all("key"), {}), {}],
    ["if the card has no requirements", cardWith(), {}],
  ])("the agent does not warn %s", (_, card, options) => {
    const onError = vi.fn();
    createAgent({ card, service: {}, onError, ...options });
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("the challenge of an agent with its own check of callers", () => {
  /** Returns the challenge for a caller without credentials. */
  const challengeOf = async (
    create: typeof createAgent,
    card: AgentCard,
    more: object = {},
  ): Promise<unknown> => {
    const agent = create({
      card,
      authenticate: () => undefined,
      service: {},
      onError: () => undefined,
      ...more,
    });
    const headers = { "content-type": "application/json", "a2a-version": "1.0" };
    const response = await fetchHandler(agent)(
      new Request("http://localhost", { method: "POST", headers, body: "{}" }),
    );
    return [response.status, response.headers.get("www-authenticate")];
  };
  const schemes = {
    basic: { httpAuthSecurityScheme: { scheme: "Basic" } },
    bearer: { httpAuthSecurityScheme: { scheme: "bearer" } },
    login: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://login.test" } },
    strange: { httpAuthSecurityScheme: { scheme: "a b\r\nc" } },
    unused: { httpAuthSecurityScheme: { scheme: "Digest" } },
  };
  const card = (...names: string[]): AgentCard => ({
    ...plain,
    securitySchemes: schemes,
    securityRequirements: names.map((name) => all(name)),
  });

  it.each<[names: string[], challenge: string]>([
    [["basic"], "Basic"],
    [["basic", "login"], "Basic, Bearer"],
    [["bearer", "login"], "Bearer"],
    [["strange"], "Bearer"],
    [["__proto__"], "Bearer"],
    [[], "Bearer"],
  ])("the challenge follows the schemes that the card requires: %j", async (names, challenge) => {
    expect(await challengeOf(createAgent, card(...names))).toEqual([401, challenge]);
  });

  it("the challenge of the options replaces the challenge of the card", async () => {
    expect(await challengeOf(createAgent, card("basic"), { challenge: "Digest" })).toEqual([
      401,
      "Digest",
    ]);
  });

  it("the challenge follows the schemes of a card of 0.3", async () => {
    const old = {
      name: "a",
      description: "a",
      version: "1",
      url: "http://localhost",
      protocolVersion: "0.3.0",
      capabilities: {},
      defaultInputModes: ["text"],
      defaultOutputModes: ["text"],
      skills: plain.skills,
      securitySchemes: {
        basic: { type: "http", scheme: "Basic" },
        key: { type: "apiKey", in: "header", name: "k" },
      },
      security: [{ basic: [] }, { key: [] }],
    };
    const agent = createOldAgent({
      card: old as OldCard,
      authenticate: () => undefined,
      service: {},
    });
    const request = new Request("http://localhost", { method: "POST", body: "{}" });
    const response = await oldHandler(agent)(request);
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      "Basic, Bearer",
    ]);
  });
});
