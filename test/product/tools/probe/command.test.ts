import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../support/processor-time.js";
import { runInProcess } from "../../cli/in-process.js";
import { agentWith, earlierAgent, echoAgent } from "../inspector/command.js";
import { listen } from "../../../support/http.js";
import { suiteAgent } from "./agents.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

function folder(files: Readonly<Record<string, string>> = {}) {
  const path = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const probe = (args: readonly string[], cwd = folder()) => runInProcess(["probe", ...args], cwd);

/** A JSON-RPC agent that responds to every call with the same error. */
const broken = () =>
  agentWith((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32603, message: "<b>\u001b[31m no" },
      }),
    );
  });

const suite = (expected: string) =>
  JSON.stringify({
    acts_version: "1.0",
    spec_version: "1.0",
    metadata: { title: "Own suite" },
    suites: [
      {
        id: "own",
        name: "Own",
        tests: [
          {
            id: "OWN-GET-001",
            name: "An unknown task is missing",
            level: "must",
            steps: [
              {
                id: "get",
                operation: "get_task",
                params: { id: "{{unknown}}" },
                expect_error: { error_type: expected },
              },
            ],
          },
        ],
      },
    ],
  });

describe("a2a-codegen probe", () => {
  it("the example agents of every version pass without a finding on every transport, in seconds", async () => {
    for (const url of [await echoAgent(), await earlierAgent()]) {
      const started = processorTime();
      const { code, stdout, stderr } = await probe([
        url,
        "--allow-send",
        "--fail-on",
        "may",
        "--json",
      ]);
      expect(stderr).toBe("");
      const { ok, reports } = JSON.parse(stdout) as Document;
      expect(
        reports.flatMap(({ suites }) =>
          suites.flatMap(({ tests }) => tests.filter(({ failure }) => failure)),
        ),
      ).toEqual([]);
      expect([ok, code]).toEqual([true, 0]);
      expect(reports).toHaveLength(4);
      // The documentation promises 10 s on an ordinary machine.
      expect(processorTime() - started).toBeLessThan(60_000);
    }
  });

  it("an agent that requires credentials passes with them, and the report contains placeholders in their place", async () => {
    const { url, grpcUrl } = await suiteAgent({ users: { "token-1234567": "ada" } });
    const token = ["--bearer", "token-1234567", "--origin", grpcUrl];
    const { code, stdout } = await probe([url, "--allow-send", "--fail-on", "may", ...token]);
    expect(stdout).toMatch(/Passed: \d+ passed, 0 failed/);
    expect(code).toBe(0);
    const { stdout: failures } = await probe([
      await broken(),
      "--verbose",
      ...["--bearer", "token-1234567"],
    ]);
    expect(failures).toContain("-H 'authorization: Bearer <authorization>'");
    expect(failures).not.toContain("token-1234567");
  });

  it("a probe without --allow-send sends no message and stores nothing", async () => {
    const methods: string[] = [];
    const url = await agentWith((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        methods.push(/"method":"(\w+)"/.exec(body)?.[1] ?? "");
        response.end("{}");
      });
    });
    await probe([url]);
    expect(methods.length).toBeGreaterThan(0);
    expect(methods.filter((name) => /^(?:Send|Create|Delete)/.test(name))).toEqual([]);
  });

  it("the text report has at most 80 columns, names each failure with its request and response, and escapes control characters", async () => {
    const { code, stdout } = await probe([await broken()]);
    expect(code).toBe(1);
    const own = stdout.split("\n").filter((line) => !/^ {4}|^ {2}Re\w+:/.test(line));
    expect(own.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain("FAIL get-unknown on JSONRPC 1.0 (must, 3.1.3)");
    expect(stdout).toMatch(/ {2}Request: POST http.*\n {4}\{/);
    expect(stdout).toMatch(/ {2}Response: HTTP 200\n {4}\{/);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toContain("curl ");
  });

  it("the verbose text report contains each whole request and response, and a curl command", async () => {
    const { stdout } = await probe([await broken(), "--verbose"]);
    expect(stdout).toMatch(/ {2}Request:\n {4}POST http/);
    expect(stdout).toMatch(/ {2}Response:\n {4}HTTP 200/);
    expect(stdout).toMatch(/ {2}Repeat:\n {4}curl -sS -X POST/);
    expect(stdout).not.toContain("\u001b");
  });

  it("the JUnit and HTML reports are written to a file with all text of the agent escaped", async () => {
    const [cwd, url] = [folder(), await broken()];
    const { code, stdout } = await probe([url, "--junit", "--out", "report.xml"], cwd);
    expect([code, stdout.includes("Failed:")]).toEqual([1, true]);
    const xml = readFileSync(join(cwd, "report.xml"), "utf8");
    expect(xml).toMatch(/^<\?xml version="1.0"/);
    expect(xml).toMatch(/<testsuite name="JSONRPC 1.0" tests="\d+" failures="[1-9]\d*"/);
    const { stdout: html } = await probe([url, "--html"], cwd);
    expect(html).not.toContain("\\u000a");
    expect(html).toMatch(/^<!doctype html>/);
    for (const report of [xml, html]) {
      expect(report).not.toContain("<b>");
      expect(report).toContain("&lt;b&gt;");
    }
  });

  it("--format chooses the report, also for a file", async () => {
    const [cwd, url] = [folder(), await broken()];
    const { code, stdout } = await probe([url, "--format", "github"], cwd);
    expect([code, /^::stop-commands::[\da-f-]{36}$/m.test(stdout)]).toEqual([1, true]);
    expect(stdout).toMatch(/^::error title=get-unknown on JSONRPC 1\.0/m);
    const { stdout: text } = await probe([url, "--format", "badge", "--out", "badge.svg"], cwd);
    expect(text).toMatch(/^Failed: /m);
    expect(readFileSync(join(cwd, "badge.svg"), "utf8")).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  it("--out may be repeated, and each file has the format of its extension", async () => {
    const [cwd, url] = [folder(), await broken()];
    const files = ["new/report.html", "report.xml", "report.json", "badge.svg"];
    const args = [url, "--format", "github", ...files.flatMap((file) => ["--out", file])];
    const { stdout } = await probe(args, cwd);
    expect(stdout).toMatch(/^::error /m);
    const starts = files.map((file) => readFileSync(join(cwd, file), "utf8").slice(0, 5));
    expect(starts).toEqual(["<!doc", "<?xml", '{\n  "', "<svg "]);
    const refused = await probe([url, "--out", "report.xml/report.txt"], cwd);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/the report cannot be written: [^]*Check the path after --out/),
    ]);
  });

  it("a suite of the user runs with its variables, and its report is in the ACTS format", async () => {
    const cwd = folder({ "own.yaml": suite("TaskNotFoundError") });
    const { code, stdout } = await probe(
      [await echoAgent(), "--suite", "own.yaml", "--variable", "unknown=t-1", "--json"],
      cwd,
    );
    expect(code).toBe(0);
    const { reports } = JSON.parse(stdout) as Document;
    expect(reports.map(({ transport, summary }) => [transport, summary.passed])).toEqual([
      ["jsonrpc", 1],
      ["rest", 1],
      ["grpc", 1],
    ]);
    expect(reports[0]).toMatchObject({
      acts_version: "1.0",
      spec_version: "1.0",
      sdk: { name: "Echo agent" },
    });
    expect(reports[0]?.suites[0]?.tests[0]).toMatchObject({
      id: "OWN-GET-001",
      level: "must",
      result: "pass",
    });
  });

  it("a test with a variable that the user has not set is skipped, and the reason names the variable and the option", async () => {
    const cwd = folder({ "own.yaml": suite("TaskNotFoundError") });
    const { code, stdout } = await probe([await echoAgent(), "--suite", "own.yaml", "--json"], cwd);
    const { reports } = JSON.parse(stdout) as Document;
    expect([code, reports.map(({ summary }) => summary.skipped)]).toEqual([0, [1, 1, 1]]);
    expect(stdout).toContain("the variable unknown has no value: add --variable unknown=VALUE");
  });

  it("an expected failure does not fail the run, and an expected failure that passes does", async () => {
    const files = {
      "right.yaml": suite("TaskNotFoundError"),
      "wrong.yaml": suite("UnsupportedOperationError"),
      "known.txt": "# Known\nOWN-GET-001: 3.1.3: the suite names another error\n",
    };
    const [cwd, url] = [folder(files), await echoAgent()];
    const given = ["--variable", "unknown=t-1", "--expected-failures", "known.txt"];
    const expected = await probe([url, "--suite", "wrong.yaml", ...given], cwd);
    expect([expected.code, expected.stdout.includes("Expected failures: 3")]).toEqual([0, true]);
    const passing = await probe([url, "--suite", "right.yaml", ...given], cwd);
    expect(passing.code).toBe(1);
    expect(passing.stdout.replaceAll(/\s+/g, " ")).toContain(
      "The expected failure OWN-GET-001 (known.txt, line 2) passes on JSONRPC 1.0",
    );
  });

  it("an expected failure with a question mark may pass, and an entry may contain several bindings", async () => {
    const cwd = folder({
      "own.yaml": suite("TaskNotFoundError"),
      "may-pass.txt": "? OWN-GET-001: depends on timing\n",
      "known.txt": "OWN-GET-001 JSONRPC, GRPC: does not occur\n",
    });
    const given = ["--suite", "own.yaml", "--variable", "unknown=t-1"];
    const args = [await echoAgent(), ...given, "--expected-failures", "may-pass.txt"];
    expect(await probe(args, cwd)).toMatchObject({ code: 0 });
    const { code, stdout } = await probe([...args, "--expected-failures", "known.txt"], cwd);
    expect(code).toBe(1);
    for (const binding of ["JSONRPC", "GRPC"])
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(
        `The expected failure OWN-GET-001 ${binding} (known.txt, line 1) passes on ${binding} 1.0`,
      );
  });

  it("an agent that breaks fewer rules than its SDK passes with the list of the SDK", async () => {
    const args = [await echoAgent(), "--allow-send", "--expected-failures", "sdk:javascript-1.0"];
    expect(await probe(args)).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    [["http://127.0.0.1:1/"], /the agent card cannot be read/],
    [["http://127.0.0.1:1/", "--junit", "--html"], /--junit cannot be used with --html/],
    [["http://127.0.0.1:1/", "--html", "--format", "badge"], /--html cannot be used with --format/],
    [["http://127.0.0.1:1/", "--format", "pdf"], /--format cannot be "pdf"/],
    [["http://127.0.0.1:1/", "--suite", "missing.yaml"], /the suite cannot be read/],
    [["http://127.0.0.1:1/", "--header", "novalue"], /--header must contain a name and a value/],
    [["http://127.0.0.1:1/", "--timeout", "-1"], /--timeout must be between/],
    [
      ["http://127.0.0.1:1/", "--expected-failures", "missing.txt"],
      /the expected failures cannot be read/,
    ],
    [
      ["http://127.0.0.1:1/", "--expected-failures", "sdk:perl-1.0"],
      /no list sdk:perl-1\.0[^]*sdk:go-1\.0, sdk:go-1\.0-for-0\.3, [^]*sdk:rust-1\.0/,
    ],
  ])("the command line %j is refused with exit code 2", async (args, message) => {
    const { code, stderr } = await probe(args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it.each([
    ["{", /the suite is not YAML/],
    [
      "acts_version: '2.0'\nspec_version: '1.0'\nsuites: []",
      /acts_version must be 0.x or 1.x, got 2.0/,
    ],
    ["acts_version: '1.0'\nspec_version: '1.0'", /the file has no suites/],
    [
      "acts_version: '1.0'\nspec_version: '1.0'\nsuites: [{ id: a, name: A, tests: [{ id: T, level: must }] }]",
      /T has no steps/,
    ],
    [
      suite("TaskNotFoundError").replace(
        '"operation":"get_task"',
        '"raw":{"method":"GET","path":"/"},"expect":{"status":401,"headers":{}}',
      ),
      /expect\.headers in a step of OWN-GET-001 is unknown\. Use expect\.status or expect\.body/,
    ],
    [
      suite("TaskNotFoundError").replace('"operation"', '"expect":{"headers":{}},"operation"'),
      /expect\.headers in a step of OWN-GET-001 is unknown/,
    ],
  ])("the suite %j is refused with exit code 2", async (text, message) => {
    const { code, stderr } = await probe(
      ["http://127.0.0.1:1/", "--suite", "own.yaml"],
      folder({ "own.yaml": text }),
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it("a page that is not a card is refused with exit code 2", async () => {
    const url = await listen((_request, response) => response.end("<html></html>"));
    expect(await probe([url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the agent card cannot be read") as string,
    });
  });
});

interface Document {
  readonly ok: boolean;
  readonly reports: readonly {
    readonly transport: string;
    readonly summary: { readonly passed: number; readonly skipped: number };
    readonly suites: readonly { readonly tests: readonly { readonly failure?: object }[] }[];
  }[];
}
