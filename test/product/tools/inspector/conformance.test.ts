import { describe, expect, it } from "vitest";
import { programOf } from "../../../../tools/a2a/program.js";
import { a2a, a2aJson, agentWith, echoAgent } from "./command.js";

/** An agent that responds to every call with the same error. */
const broken = () =>
  agentWith((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no" } }));
  });

describe("a2a conformance", () => {
  it("a2a conformance prints the report of the probe, and ends with 1 if the agent breaks a rule (A2ACLI_CONFORM_001)", async () => {
    const url = await broken();
    const { code, stdout, stderr } = await a2a(`conformance -a ${url}`);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/^FAIL get-unknown on JSONRPC 1\.0/m);
    const { code: same, json } = await a2aJson(`conformance ${url}`);
    expect([same, json["error"]]).toEqual([1, undefined]);
  });

  it("a2a conformance sends the headers, the token and the extensions of the settings", async () => {
    const seen = new Set<string>();
    const url = await agentWith(({ headers }, response) => {
      seen.add(
        JSON.stringify([headers["x-team"], headers["authorization"], headers["a2a-extensions"]]),
      );
      response.end("{}");
    });
    const more = ["--header", "x-team:a", "--extension", "urn:b", "--timeout", "2"];
    await a2a(["conformance", url, ...more], { env: { A2ACLI_BEARER: "env:TOKEN", TOKEN: "t" } });
    // The probe also sends calls with other headers.
    expect([...seen]).toContain(JSON.stringify(["a", "Bearer t", "urn:b"]));
  });

  it.each([
    [3, "A2ACLI_ERR_CARD_NOT_FOUND", ["http://127.0.0.1:9"]],
    [2, "A2ACLI_ERR_USAGE", []],
    [2, "A2ACLI_ERR_USAGE", ["http://127.0.0.1:9", "--junit", "--html"]],
    [2, "A2ACLI_ERR_USAGE", ["http://127.0.0.1:9", "--suite", "nowhere.yaml"]],
  ])("a2a conformance ends with %i and %s for %j", async (exit, code, args) => {
    expect(await a2aJson(["conformance", ...args])).toMatchObject({
      code: exit,
      json: { error: { code } },
    });
  });
});

describe("hints of a2a", () => {
  it("hints start with the command that started a2a, so that npx does not download another package", async () => {
    const npx = { npm_lifecycle_event: "npx" };
    expect(programOf({}, "/usr/lib/node_modules/.bin/a2a")).toBe("a2a");
    expect(programOf(npx, "/project/node_modules/.bin/a2a")).toBe("npx a2a");
    expect(programOf(npx, "/home/ada/.npm/_npx/1f/node_modules/.bin/a2a")).toBe(
      "npx -p a2a-codegen a2a",
    );
    const program = "npx -p a2a-codegen a2a";
    const url = await echoAgent();
    const { stdout } = await a2a(`send -a ${url} "ask Who?"`, { program });
    expect(stdout).toContain(`Resume: ${program} send -a ${url} `);
    const { stderr } = await a2a(`task get -a ${url} nowhere`, { program });
    expect(stderr).toContain(`Hint: \`${program} task list\``);
  });
});
