import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adaptedOutput, type AdaptedOutput } from "../../support/adapted.js";
import { refusal } from "../../support/everywhere.js";
import { startScripted, type Binding, type Scripted } from "../../support/scripted.js";
import { v03, v1 } from "../interop/dialect.js";
import { messageOf, replies } from "./samples.js";

let output: AdaptedOutput;
const agents = new Map<string, Scripted>();

/** The agents that one program calls: of which version each is, and what it serves besides. */
const kinds: Readonly<Record<string, readonly [version: string, others: readonly string[]]>> = {
  "0.2.6": ["0.2.6", []],
  "0.3.0": ["0.3.0", []],
  "1.0": ["1.0", []],
  "1.1-draft": ["1.1-draft", []],
  merged: ["1.0", ["0.3", "0.2", "1.1"]],
};

beforeAll(async () => {
  output = await adaptedOutput();
  const { own, adapters } = output;
  for (const [name, [version, others]] of Object.entries(kinds)) {
    const versions = others.flatMap((other) => adapters[other]?.served ?? []);
    const agent = await startScripted(version, version === "1.0" ? { output: own, versions } : {});
    const words = version.startsWith("1.") ? v1 : v03;
    agent.response = replies("getTask")[0]?.in(words);
    agents.set(name, agent);
  }
});
afterAll(async () => {
  for (const agent of agents.values()) await agent.close();
});

const urlOf = (name: string) => agents.get(name)?.url ?? "";
const spoken = (...only: readonly string[]) =>
  Object.entries(output.adapters).flatMap(([version, one]) =>
    only.length === 0 || only.includes(version) ? [one.spoken] : [],
  );

describe("one program of 1.0", () => {
  it("the program calls ten agents of all versions at the same time with the types of 1.0", async () => {
    const names = [...Object.keys(kinds), ...Object.keys(kinds)];
    const found = await Promise.all(
      names.map(async (name) => {
        const client = await output.own.connect(urlOf(name), { versions: spoken() });
        const task = await client.getTask({ id: "t-1" });
        client.close();
        return [name, client.version, task, client.card?.supportedInterfaces.length];
      }),
    );
    const task = replies("getTask")[0]?.in(v1);
    const expected = [
      ...[
        ["0.2.6", "0.2"],
        ["0.3.0", "0.3"],
        ["1.0", "1.0"],
        ["1.1-draft", "1.1"],
        ["merged", "1.0"],
      ],
    ].map(([name, version]) => [name, version, task]);
    expect(found.map((one) => one.slice(0, 3))).toEqual([...expected, ...expected]);
    for (const [, , , interfaces] of found) expect(interfaces).toBeGreaterThan(1);
  });

  it.each<[string, Binding, string]>([
    ["0.3.0", "HTTP+JSON", "0.3"],
    ["0.2.6", "GRPC", "0.2"],
    ["merged", "GRPC", "0.3"],
  ])(
    "the client uses the first interface of %s that both sides support, over %s",
    async (name, binding, version) => {
      const versions = spoken(version).map((one) => ({
        ...one,
        transports: (options: object) =>
          one.transports(options).filter((factory) => factory.binding === binding),
      }));
      const client = await output.own.connect(urlOf(name), { transports: [], versions });
      expect((await client.getTask({ id: "t-1" })).id).toBe("t-1");
      expect(client.version).toBe(version);
      client.close();
    },
  );

  it("the client switches to another version if the agent does not serve the version of its card, and remembers it", async () => {
    const url = urlOf("0.3.0");
    // The card of an agent that has been set back to 0.3, and says 1.0 as well.
    const asked: string[] = [];
    const old = agents.get("0.3.0")?.card;
    const card = {
      ...old,
      ...(agents.get("1.0")?.card ?? {}),
      protocolVersion: "0.3.0",
      supportedInterfaces: [
        { url: `${url}new`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      ],
    };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const to = String(input instanceof Request ? input.url : input);
      asked.push(to.slice(url.length));
      if (to.includes(".well-known"))
        return Response.json(card, { headers: { "cache-control": "max-age=60" } });
      if (!to.endsWith("new")) return await globalThis.fetch(input, init);
      const error = {
        code: -32009,
        message: "Not served",
        data: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "VERSION_NOT_SUPPORTED",
            domain: "a2a-protocol.org",
          },
        ],
      };
      return Response.json({ jsonrpc: "2.0", id: 1, error });
    };
    const cache = new output.own.CardCache();
    for (const expected of [
      [".well-known/agent-card.json", "new", "", ""],
      ["", ""],
    ]) {
      const client = await output.own.connect(url, {
        versions: spoken("0.3"),
        cache: cache,
        fetch,
      });
      for (let call = 0; call < 2; call += 1)
        expect((await client.getTask({ id: "t-1" })).id).toBe("t-1");
      expect(client.version).toBe("0.3");
      expect(asked.splice(0)).toEqual(expected);
      client.close();
    }
  });

  it.each([
    ["0.3.0", "0.3.0", "0.3"],
    ["1.1-draft", "1.1", "1.1"],
  ])(
    "the error for an agent of %s without an adapter names the version and contains a hint",
    async (name, is, wanted) => {
      const { message } = await refusal(
        output.own.connect(urlOf(name), { versions: spoken("0.2") }),
      );
      expect(message).toContain(
        `the card has version ${is}, but this client supports 1.0: generate with --versions ${wanted}`,
      );
    },
  );

  it("the client does not call an operation that the agent does not have", async () => {
    const client = await output.own.connect(urlOf("0.3.0"), { versions: spoken() });
    const refused = refusal(client.listTasks({}));
    expect(await refused).toMatchObject({
      name: "UnsupportedOperationError",
      message: expect.stringContaining("ListTasks is unknown in version 0.3") as unknown,
    });
    client.close();
  });

  it("the error for a request that the agent's version cannot represent names the fields, and nothing is sent", async () => {
    const client = await output.own.connect(urlOf("0.3.0"), { versions: spoken() });
    const agent = agents.get("0.3.0");
    if (agent !== undefined) agent.request = undefined;
    const message = { ...messageOf("x"), role: "ROLE_UNSPECIFIED" as const };
    expect(await refusal(client.sendMessage({ message }))).toMatchObject({
      name: "InvalidParamsError",
      message: expect.stringContaining("A2A 0.3 cannot carry the request") as unknown,
    });
    expect(agent?.request).toBeUndefined();
    client.close();
  });

  it.each([
    ["without a version", { name: "x", url: "http://127.0.0.1:9" }],
    ["of an unknown version", { name: "x", url: "http://127.0.0.1:9", protocolVersion: "7.7" }],
    [
      "of two contradicting versions",
      { name: "x", url: 7, protocolVersion: "0.3.0", supportedInterfaces: "1.0" },
    ],
    [
      "with invalid versions",
      {
        supportedInterfaces: [
          { url: "http://127.0.0.1:9", protocolBinding: "JSONRPC", protocolVersion: {} },
        ],
      },
    ],
    [
      "with keys that objects inherit",
      JSON.parse('{"__proto__":{"url":"http://127.0.0.1:9"},"protocolVersion":"0.3.0"}') as object,
    ],
    ["that is a list", [{ protocolVersion: "0.3.0" }]],
  ])("the client refuses a card %s as invalid", async (_what, card) => {
    const fetch = (): Promise<Response> => Promise.resolve(Response.json(card));
    const refused = await refusal(
      output.own.connect("http://agent.example", { versions: spoken(), fetch }),
    );
    expect(refused.name).toMatch(/^(InvalidAgentResponse|Transport)Error$/);
  });
});
