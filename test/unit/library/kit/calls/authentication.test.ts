import { jwt, type Claims } from "../../../../../library/auth/jwt.js";
import { describe, expect, it } from "vitest";
import { PermissionDeniedError } from "../../../../../generated/1.1-draft/errors.js";
import type { AgentCard, SecurityRequirement } from "../../../../../generated/1.1-draft/models.js";
import {
  authenticateBy,
  type CheckCredentials,
} from "../../../../../library/kit/calls/authentication.js";
import type { Caller } from "../../../../../library/runtime/server/context.js";
import { card as plain } from "../../../../support/kit.js";
import { nobodies } from "../../../../support/nobodies.js";

const securitySchemes: AgentCard["securitySchemes"] = {
  token: { httpAuthSecurityScheme: { scheme: "Bearer" } },
  login: { httpAuthSecurityScheme: { scheme: "Basic" } },
  key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
  cookie: { apiKeySecurityScheme: { location: "cookie", name: "sid" } },
  query: { apiKeySecurityScheme: { location: "query", name: "key" } },
  body: { apiKeySecurityScheme: { location: "body", name: "key" } },
  oauth: {
    oauth2SecurityScheme: {
      flows: { clientCredentials: { tokenUrl: "https://a.test/t", scopes: {} } },
    },
  },
  oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://a.test/o" } },
  tls: { mtlsSecurityScheme: {} },
};

/** A requirement of schemes without scopes. */
const all = (...names: string[]): SecurityRequirement => ({
  schemes: Object.fromEntries(names.map((name) => [name, { list: [] }])),
});

const cardWith = (...securityRequirements: SecurityRequirement[]): AgentCard => ({
  ...plain,
  securitySchemes,
  securityRequirements,
});

/** Knows the credentials that are called good, and says which scheme they were for. */
const good =
  (scheme: string): CheckCredentials<string> =>
  (credentials) =>
    credentials.startsWith("good") ? `${scheme}: ${credentials}` : undefined;

const callerWith = (headers: Record<string, string>): Caller => {
  const all = new Headers(headers);
  return { headers: { get: (name: string) => all.get(name) ?? undefined } } as unknown as Caller;
};

describe("an agent that authenticates by its card", () => {
  it.each<[name: string, headers: Record<string, string>]>([
    ["token", { authorization: "Bearer good" }],
    ["token", { Authorization: "bearer  good" }],
    ["login", { authorization: "Basic good" }],
    ["key", { "x-key": "good" }],
    ["cookie", { cookie: "a=b; sid=good" }],
    ["oauth", { authorization: "Bearer good" }],
    ["oidc", { authorization: "Bearer good" }],
  ])("the agent finds the credentials for %s in %j", async (name, headers) => {
    const { authenticate } = authenticateBy(cardWith(all(name)), { [name]: good(name) });
    expect(await authenticate(callerWith(headers))).toBe(`${name}: good`);
  });

  it.each<[headers: Record<string, string>]>([
    [{}],
    [{ authorization: "Bearer" }],
    [{ authorization: "Bearer bad" }],
    [{ authorization: "Basic good" }],
    [{ authorization: "good" }],
    [{ "x-key": "good" }],
  ])("the agent refuses a caller with %j if the card requires a token", async (headers) => {
    const { authenticate, challenge } = authenticateBy(cardWith(all("token")), {
      token: good("token"),
    });
    await expect(authenticate(callerWith(headers))).rejects.toHaveProperty(
      "name",
      "UnauthenticatedError",
    );
    expect(challenge).toBe("Bearer");
  });

  it("the agent requires every scheme of one requirement, and any one of the requirements", async () => {
    const card = cardWith(all("token", "key"), all("login"));
    const checks = { token: good("token"), key: good("key"), login: good("login") };
    const { authenticate, challenge } = authenticateBy(card, checks);
    expect(challenge).toBe("Bearer, Basic");
    expect(await authenticate(callerWith({ authorization: "Bearer good", "x-key": "good" }))).toBe(
      "token: good",
    );
    expect(await authenticate(callerWith({ authorization: "Basic good" }))).toBe("login: good");
    for (const headers of [
      { authorization: "Bearer good" },
      { authorization: "Bearer good", "x-key": "bad" },
    ])
      await expect(authenticate(callerWith(headers))).rejects.toHaveProperty(
        "name",
        "UnauthenticatedError",
      );
  });

  it("a check receives the scopes that the card requires, and the caller is told which scopes are missing", async () => {
    const card = cardWith({ schemes: { oauth: { list: ["read"] } } }, all("key"));
    const oauth: CheckCredentials<string> = (token, { scopes, caller }) => {
      expect(caller.headers.get("authorization")).toContain(token);
      if (!scopes.includes(token)) throw new PermissionDeniedError(`Needs ${scopes.join()}`);
      return "ada";
    };
    const { authenticate } = authenticateBy(card, {
      oauth,
      key: async (key) => (key === "good" ? "bob" : undefined),
    });
    expect(await authenticate(callerWith({ authorization: "Bearer read" }))).toBe("ada");
    expect(await authenticate(callerWith({ authorization: "Bearer write", "x-key": "good" }))).toBe(
      "bob",
    );
    await expect(authenticate(callerWith({ authorization: "Bearer write" }))).rejects.toThrow(
      "Needs read",
    );
  });

  it("callers without credentials are admitted if the card allows it, and callers with invalid credentials are not", async () => {
    const { authenticate, anonymous } = authenticateBy(
      cardWith(all("token"), {}),
      { token: good("token") },
      { anonymous: "guest" },
    );
    expect([await authenticate(callerWith({})), anonymous]).toEqual([undefined, "guest"]);
    await expect(authenticate(callerWith({ authorization: "Bearer bad" }))).rejects.toThrow();
    expect(authenticateBy(plain, {}, { anonymous: null })).toHaveProperty("anonymous", null);
    expect(() => authenticateBy(plain, {}, { anonymous: undefined })).toThrow(
      "set the option `anonymous`",
    );
  });

  it("an option that the card does not use does not admit callers without credentials", async () => {
    const access = authenticateBy(
      cardWith(all("token")),
      { token: good("token") },
      { anonymous: "guest" },
    );
    expect(access).not.toHaveProperty("anonymous");
    await expect(access.authenticate(callerWith({}))).rejects.toHaveProperty(
      "name",
      "UnauthenticatedError",
    );
  });

  it.each<[user: unknown]>([...nobodies.map((user): [unknown] => [user])])(
    "the agent refuses credentials if a check returns %j",
    async (user) => {
      const check = (): string => user as string;
      for (const card of [cardWith(all("token")), cardWith(all("token"), {})]) {
        const { authenticate } = authenticateBy(card, { token: check }, { anonymous: "guest" });
        await expect(
          authenticate(callerWith({ authorization: "Bearer guessed" })),
        ).rejects.toHaveProperty("name", "UnauthenticatedError");
      }
      const both = authenticateBy(cardWith(all("token", "key")), {
        token: good("token"),
        key: check,
      });
      const headers = { authorization: "Bearer good", "x-key": "guessed" };
      await expect(both.authenticate(callerWith(headers))).rejects.toHaveProperty(
        "name",
        "UnauthenticatedError",
      );
    },
  );

  it("the challenge names the header of a key if the card only requires keys", () => {
    const { challenge } = authenticateBy(cardWith(all("key")), { key: good("key") });
    expect(challenge).toBe('ApiKey header="X-Key"');
  });

  it("the check of a mutual TLS scheme gets an empty string as credentials", async () => {
    const { authenticate, challenge } = authenticateBy(cardWith(all("tls")), {
      tls: (none) => `peer${none}`,
    });
    expect([await authenticate(callerWith({})), challenge]).toEqual(["peer", "MutualTLS"]);
  });

  it("authenticate rejects with the error of a check", async () => {
    const fail = (): never => {
      throw new Error("The database is gone");
    };
    const { authenticate } = authenticateBy(cardWith(all("token")), { token: fail });
    await expect(authenticate(callerWith({ authorization: "Bearer x" }))).rejects.toThrow(
      "The database is gone",
    );
  });

  it.each<[what: string, card: AgentCard, checks: string[], problem: string]>([
    [
      "no check exists for a scheme that the card requires",
      cardWith(all("token", "key")),
      ["token"],
      'requires the security scheme "key": pass a function that checks',
    ],
    [
      "the card requires a scheme that it does not declare",
      cardWith(all("other")),
      [],
      'The security scheme "other" is not declared',
    ],
    [
      "a skill requires a scheme that the card does not declare",
      { ...plain, skills: [{ ...skill(), securityRequirements: [all("x")] }] },
      [],
      'scheme "x"',
    ],
    [
      "a check is for a scheme that the card does not contain",
      cardWith(all("token")),
      ["token", "tokn"],
      'security scheme "tokn"',
    ],
    [
      "a key is in a part of the request that hooks cannot read",
      cardWith(all("body")),
      ["body"],
      "has the unsupported location body: use header or cookie",
    ],
    [
      "the card admits anonymous callers and no option says who they are",
      cardWith(all("token"), {}),
      ["token"],
      "set the option `anonymous`",
    ],
    [
      "a scheme has the name of a member of Object.prototype",
      cardWith(all("constructor")),
      [],
      '"constructor"',
    ],
  ])("the agent does not start if %s", (_, card, names, problem) => {
    const checks = Object.fromEntries(names.map((name) => [name, good(name)]));
    expect(() => authenticateBy(card, checks)).toThrow(problem);
  });

  function skill(): AgentCard["skills"][number] {
    return { id: "s", name: "S", description: "Does it.", tags: ["t"] };
  }
});

describe("authenticateBy with checks of two issuers", () => {
  const card = cardWith(all("oauth"), all("oidc"));
  const checks = (more: object = {}) => {
    const of = (issuer: string) => jwt({ issuer, audience: "https://agent.example", ...more });
    return { oauth: of("https://login.example"), oidc: of("https://partners.example") };
  };

  it("two issuers are refused with the default ids, because their users may have the same subject", () => {
    expect(() => authenticateBy(card, checks())).toThrow("set the option `user` of `jwt`");
  });

  it("two issuers are accepted if the program chooses the ids, and one issuer is accepted for two schemes", () => {
    const user = ({ iss, sub }: Claims) => ({ id: JSON.stringify([iss, sub]) });
    expect(authenticateBy(card, checks({ user }))).toHaveProperty("authenticate");
    const { oauth } = checks();
    expect(authenticateBy(card, { oauth, oidc: oauth })).toHaveProperty("authenticate");
  });
});
