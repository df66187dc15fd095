import { beforeAll, describe, expect, it } from "vitest";
import { modulesOf } from "../../support/generated.js";
import { adaptedOutput, type AdaptedOutput } from "../../support/adapted.js";
import { jsonOf, send, type RawAnswer } from "../../support/raw.js";
import { scriptedFor } from "../../support/scripted.js";
import { cardAt } from "./agent.js";

type Check = (card: unknown) => { readonly issues?: readonly unknown[] | undefined };

const versions = ["0.2.6", "0.3.0", "1.0", "1.1-draft"];
const checks = new Map<string, Check>();
let output: AdaptedOutput;

beforeAll(async () => {
  output = await adaptedOutput();
  for (const version of versions) {
    const { validateAgentCard } = (await modulesOf(version, ["validators"])) as {
      validateAgentCard: Check;
    };
    checks.set(version.slice(0, 3), validateAgentCard);
  }
});

/** Starts an agent of 1.0, and returns a function that asks for its card. */
async function cardsOf(options: { card?: object; form?: "merged" | "selected" | "own" } = {}) {
  const { adapters, own } = output;
  const served = Object.values(adapters).map((one) => one.served);
  const nodeListener = (agent: never): unknown =>
    own.nodeListener(agent, { card: { form: options.form ?? "merged" } });
  const { url } = await scriptedFor("1.0", {
    ...options,
    output: { ...own, nodeListener },
    versions: served,
  });
  return (version = "", path = "agent-card", headers = {}) =>
    send("GET", new URL(`.well-known/${path}.json`, url), undefined, {
      ...headers,
      ...(version === "" ? {} : { "a2a-version": version }),
    });
}

interface Listed {
  readonly url?: string;
  readonly protocolVersion?: string;
  readonly supportedInterfaces?: readonly {
    readonly protocolVersion: string;
    readonly url: string;
  }[];
}
const listedIn = (answer: RawAnswer) =>
  ((jsonOf(answer) as Listed).supportedInterfaces ?? []).map((one) => one.protocolVersion);
const validIn = (answer: RawAnswer) =>
  [...checks].flatMap(([version, check]) =>
    check(jsonOf(answer)).issues === undefined ? [version] : [],
  );

describe("the card of an agent of 1.0 that serves other versions", () => {
  it("callers of each version can read the card if they name no version", async () => {
    const ask = await cardsOf();
    for (const path of ["agent-card", "agent"]) {
      const merged = await ask("", path);
      expect(validIn(merged)).toEqual(["0.2", "0.3", "1.0", "1.1"]);
      expect([...new Set(listedIn(merged))]).toEqual(["1.0", "0.2", "0.3", "1.1"]);
      expect(jsonOf(merged)).toMatchObject({
        protocolVersion: "0.3",
        preferredTransport: "JSONRPC",
      });
      expect(merged.headers.get("vary")).toBe("A2A-Version");
    }
  });

  it.each([
    ["0.2", [], ["0.2", "0.3"]],
    ["0.3", [], ["0.2", "0.3"]],
    ["1.0", ["1.0", "0.2", "0.3", "1.1"], ["1.0", "1.1"]],
    ["1.1", ["1.1"], ["1.0", "1.1"]],
    // It says what the agent serves instead.
    ["9.9", ["1.0", "0.2", "0.3", "1.1"], ["1.0", "1.1"]],
  ])(
    "the card has the form of %s for callers that name this version, and of no other version",
    async (version, listed, valid) => {
      const ask = await cardsOf();
      const named = await ask(version);
      expect([...new Set(listedIn(named))]).toEqual(listed);
      expect(validIn(named)).toEqual(valid);
      const { url, protocolVersion } = jsonOf(named) as Listed;
      expect([url !== undefined, protocolVersion]).toEqual(
        listed.length === 0 ? [true, version] : [false, undefined],
      );
      const tag = named.headers.get("etag") ?? "";
      expect([named.headers.get("vary"), tag === (await ask()).headers.get("etag")]).toEqual([
        "A2A-Version",
        false,
      ]);
      expect((await ask(version, "agent-card", { "if-none-match": tag })).status).toBe(304);
    },
  );

  it("the card has the form of 0.3 for callers that name no version, if the option selects it", async () => {
    const ask = await cardsOf({ form: "selected" });
    expect([validIn(await ask()), listedIn(await ask())]).toEqual([["0.2", "0.3"], []]);
    expect(new Set(listedIn(await ask("1.0")))).toEqual(new Set(["1.0", "0.2", "0.3", "1.1"]));
  });

  it("the card has the form of the agent's own version for callers that name no version, if the option form is own", async () => {
    const ask = await cardsOf({ form: "own" });
    expect(await ask()).toMatchObject({ status: 200 });
    expect(jsonOf(await ask())).toEqual(jsonOf(await ask("1.0")));
    expect(validIn(await ask("0.3"))).toEqual(["0.2", "0.3"]);
  });

  it("the card also lists the main interface of 0.3, for clients that only read the list", async () => {
    const ask = await cardsOf();
    const { url, preferredTransport, additionalInterfaces } = jsonOf(await ask("0.3")) as Record<
      string,
      unknown
    >;
    expect(additionalInterfaces).toContainEqual({ url, transport: preferredTransport });
    expect(additionalInterfaces).toHaveLength(3);
    expect(jsonOf(await ask())).toMatchObject({ additionalInterfaces });
  });

  it("the card reaches callers that name no version even if one of its versions cannot represent it", async () => {
    const ask = await cardsOf({ card: { securitySchemes: { mine: { mtlsSecurityScheme: {} } } } });
    expect(validIn(await ask())).toEqual(["0.3", "1.0", "1.1"]);
    expect((await ask("0.2")).status).toBe(500);
  });

  it("the card describes the sign-in as clients of each version expect it", async () => {
    const ask = await cardsOf({
      card: { securitySchemes: { mine: { httpAuthSecurityScheme: { scheme: "Bearer" } } } },
    });
    const answer = await ask();
    expect(validIn(answer)).toEqual(["0.2", "0.3", "1.0", "1.1"]);
    const mine = { type: "http", scheme: "Bearer", httpAuthSecurityScheme: { scheme: "Bearer" } };
    expect(jsonOf(answer)).toMatchObject({ securitySchemes: { mine } });
  });

  it("the card has signatures only in the form that they cover", async () => {
    const signatures = [{ protected: "e30", signature: "AA" }];
    const ask = await cardsOf({ card: { signatures } });
    const signed = await ask("1.0");
    expect([jsonOf(signed), [...new Set(listedIn(signed))]]).toMatchObject([
      { signatures },
      ["1.0"],
    ]);
    for (const version of ["", "0.2", "0.3", "1.1"])
      expect(jsonOf(await ask(version))).not.toHaveProperty("signatures");
    expect([...new Set(listedIn(await ask()))]).toEqual(["1.0", "0.2", "0.3", "1.1"]);
  });

  it("the card keeps the interfaces of other versions that its author lists", async () => {
    const addresses = { url: "https://new.example/", grpcUrl: "new.example:443" };
    const { supportedInterfaces } = cardAt(addresses, "1.0");
    const old = {
      url: "https://old.example/",
      protocolBinding: "HTTP+JSON",
      protocolVersion: "0.3.0",
    };
    const ask = await cardsOf({ card: { supportedInterfaces: [...supportedInterfaces, old] } });
    const { supportedInterfaces: shown = [] } = jsonOf(await ask()) as Listed;
    expect(shown.filter(({ protocolVersion }) => protocolVersion.startsWith("0.3"))).toEqual([old]);
    expect(jsonOf(await ask("0.3"))).toMatchObject({
      url: old.url,
      preferredTransport: "HTTP+JSON",
    });
    expect(jsonOf(await ask("0.3"))).not.toHaveProperty("additionalInterfaces");
  });
});
