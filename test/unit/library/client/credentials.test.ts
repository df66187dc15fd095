import { describe, expect, it } from "vitest";
import { UnauthenticatedError } from "../../../../generated/1.1-draft/errors.js";
import type { AgentCard, SecurityScheme } from "../../../../generated/1.1-draft/models.js";
import type { FindCredentials } from "../../../../library/client/credentials.js";
import { withCredentials } from "../../../support/bound-kit.js";
import { aCall } from "../../../support/calls.js";
import type { Call } from "../../../../library/runtime/protocol/transport.js";
import { card as plain } from "../../../support/kit.js";
import { errorOf } from "../../../support/errors.js";

const schemes: Readonly<Record<string, SecurityScheme>> = {
  token: { httpAuthSecurityScheme: { scheme: "Bearer" } },
  login: { httpAuthSecurityScheme: { scheme: "Basic" } },
  oauth: {
    oauth2SecurityScheme: {
      flows: { clientCredentials: { tokenUrl: "https://a.test/t", scopes: {} } },
    },
  },
  key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
  sid: { apiKeySecurityScheme: { location: "cookie", name: "sid" } },
  lang: { apiKeySecurityScheme: { location: "cookie", name: "lang" } },
  version: { apiKeySecurityScheme: { location: "header", name: "a2a-version" } },
  extensions: { apiKeySecurityScheme: { location: "header", name: "A2A-Extensions" } },
  query: { apiKeySecurityScheme: { location: "query", name: "key" } },
  tls: { mtlsSecurityScheme: {} },
};

/** A card with a requirement for each list of schemes. */
function cardWith(...requirements: readonly (readonly string[])[]): AgentCard {
  const securityRequirements = requirements.map((names) => ({
    schemes: Object.fromEntries(names.map((name) => [name, { list: [`of ${name}`] }])),
  }));
  return { ...plain, securitySchemes: schemes, securityRequirements };
}

/**
 * Makes a call and a stream through the interceptor; returns the headers of what an agent that
 * refuses some has seen.
 */
async function sent(
  card: AgentCard,
  find: Readonly<Record<string, FindCredentials>>,
  {
    refuses = [],
    headers = {},
  }: { readonly refuses?: readonly string[]; readonly headers?: Record<string, string> } = {},
) {
  const interceptor = withCredentials(find, { card });
  const call = aCall("GetTask", headers);
  const seen: Record<string, string>[][] = [[], []];
  const refuse = (into: number, { headers }: Call) => {
    seen[into]?.push({ ...headers });
    if (refuses.includes(headers["authorization"] ?? "")) throw new UnauthenticatedError();
  };
  const unary = interceptor.unary?.(call, async (each) => {
    refuse(0, each);
  });
  const outcome = await Promise.resolve(unary).then(
    () => "done",
    (error: unknown) => errorOf(error).name,
  );
  const events = interceptor.stream?.(call, async function* (each) {
    refuse(1, each);
    yield "event";
  });
  let streamed = "";
  try {
    for await (const event of events ?? []) streamed += String(event);
  } catch (error) {
    streamed = errorOf(error).name;
  }
  expect(streamed).toBe(outcome === "done" ? "event" : outcome);
  expect(seen[1]).toEqual(seen[0]);
  return { outcome, seen: seen[0] };
}

const find = Object.fromEntries(Object.keys(schemes).map((name) => [name, () => `s-${name}`]));

describe("a client that selects credentials by the card", () => {
  it.each<[names: string[], headers: Record<string, string>]>([
    [["token"], { authorization: "Bearer s-token" }],
    [["login"], { authorization: "Basic s-login" }],
    [["oauth"], { authorization: "Bearer s-oauth" }],
    [["key", "token"], { "x-key": "s-key", authorization: "Bearer s-token" }],
    [["sid", "lang"], { cookie: "sid=s-sid; lang=s-lang" }],
    [["tls"], {}],
    [["query"], {}],
    [["version"], {}],
    [["extensions"], {}],
    [["undeclared"], {}],
    [["constructor"], {}],
  ])("the client sends the credentials that %j requires", async (names, headers) => {
    expect(await sent(cardWith(names), find)).toEqual({ outcome: "done", seen: [headers] });
  });

  it("the client uses the first requirement that it has credentials for", async () => {
    const card = cardWith(["query"], ["token", "key"], ["key"]);
    const some = { key: () => "k", token: async () => undefined };
    expect((await sent(card, some)).seen).toEqual([{ "x-key": "k" }]);
    expect((await sent(card, {})).seen).toEqual([{}]);
    expect((await sent(plain, find)).seen).toEqual([{}]);
  });

  it("the client names the requested scheme to the callback and does not change the headers of the call", async () => {
    const asked: unknown[] = [];
    const token: FindCredentials = (wanted) => {
      asked.push(wanted);
      return "t";
    };
    const { seen } = await sent(
      cardWith(["token"]),
      { token },
      { headers: { authorization: "Mine" } },
    );
    expect(seen).toEqual([{ authorization: "Mine" }]);
    const scopes = ["of token"];
    expect(asked[0]).toEqual({
      scheme: schemes["token"],
      scopes,
      declaredScopes: scopes,
      refused: undefined,
    });
  });

  it("the client tries other credentials once if the agent refuses the first credentials", async () => {
    const card = cardWith(["token"]);
    const token: FindCredentials = ({ refused }) =>
      refused === undefined ? "old" : `not-${refused}`;
    const [old, other] = ["Bearer old", "Bearer not-old"];
    expect(await sent(card, { token }, { refuses: [old] })).toEqual({
      outcome: "done",
      seen: [{ authorization: old }, { authorization: other }],
    });
    expect(await sent(card, { token }, { refuses: [old, other] })).toMatchObject({
      outcome: "UnauthenticatedError",
      seen: { length: 2 },
    });
    // Nothing else to try.
    expect(await sent(card, { token: () => "old" }, { refuses: [old] })).toMatchObject({
      outcome: "UnauthenticatedError",
      seen: { length: 1 },
    });
  });

  it.each(["", " \n"])(
    "the client refuses the empty credentials %j and names their scheme",
    async (empty) => {
      const interceptor = withCredentials({ token: () => empty }, { card: cardWith(["token"]) });
      await expect(
        interceptor.unary?.(aCall("GetTask"), () => expect.unreachable("sent")),
      ).rejects.toThrow(
        'The credentials for the scheme "token" are empty: return undefined instead',
      );
    },
  );

  it("null from an untyped callback means that the client has no credentials", async () => {
    const none = (() => null) as unknown as FindCredentials;
    expect(
      (await sent(cardWith(["token"], ["key"]), { token: none, key: () => "k" })).seen,
    ).toEqual([{ "x-key": "k" }]);
  });

  it("the client sends no credentials to an interface on another origin", async () => {
    const interceptor = withCredentials(find, {
      card: cardWith(["token"]),
      trustedOrigins: ["https://agent.test"],
    });
    await expect(
      interceptor.unary?.(aCall("GetTask"), () => expect.unreachable("sent")),
    ).rejects.toThrow("has an interface at http://localhost");
  });
});
