import { execFile } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { packageFolder } from "../../../../support/package-folder.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { codeBlocks, readDocument } from "../../docs/markdown.js";
import { agentWith, echoAgent } from "../inspector/command.js";

interface Step {
  readonly uses?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; default?: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const path = join(".github", "actions", "probe", "action.yml");
const { inputs, runs } = parse(readFileSync(join(packageFolder, path), "utf8")) as Action;
const script = runs.steps.find(({ run }) => run !== undefined) ?? {};

/** Text of `npx` in the tests, which writes its arguments to a file and runs the build. */
const npx = `#!/usr/bin/env node
const { spawnSync } = require("node:child_process");
const { writeFileSync } = require("node:fs");
writeFileSync("arguments.json", JSON.stringify(process.argv.slice(2)));
const given = process.argv.slice(process.argv.indexOf("--") + 2);
const main = ${JSON.stringify(join(packageFolder, "dist", "generator", "cli", "main.cjs"))};
process.exitCode = spawnSync(process.execPath, [main, ...given], { stdio: "inherit" }).status;
`;

/** Runs the script of the action as GitHub does, in an empty folder. */
async function act(given: Readonly<Record<string, string>>, stub = npx) {
  const [folder, tools] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(tools, "npx"), stub);
  chmodSync(join(tools, "npx"), 0o755);
  writeFileSync(join(tools, "script.sh"), script.run ?? "");
  const values = Object.entries(script.env ?? {}).map(([name, expression]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1] ?? "";
    return [name, given[input] ?? inputs[input]?.default ?? ""] as const;
  });
  const env = {
    ...Object.fromEntries(values),
    PATH: `${tools}:${process.env["PATH"] ?? ""}`,
    GITHUB_ACTION_PATH: join(packageFolder, dirname(path)),
  };
  const args = ["--noprofile", "--norc", "-eo", "pipefail", join(tools, "script.sh")];
  const { code, stdout } = await promisify(execFile)("bash", args, { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) => error as { readonly code: number; readonly stdout: string },
  );
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const found = existsSync(join(folder, "arguments.json"))
    ? (JSON.parse(read("arguments.json")) as string[])
    : [];
  return { code, stdout, read, files: readdirSync(folder), args: found };
}

describe("the action for GitHub", () => {
  it("it pins the actions that it uses, and no input becomes a part of its script", () => {
    expect(runs.using).toBe("composite");
    for (const { uses, run, shell, env } of runs.steps) {
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40}$/);
      if (run !== undefined) expect([shell, run.includes("${{")]).toEqual(["bash", false]);
      for (const value of Object.values(env ?? {}))
        expect(Object.keys(inputs)).toContain(/^\$\{\{ inputs\.(\S+) \}\}$/.exec(value)?.[1]);
    }
    for (const { description } of Object.values(inputs)) expect(description).toMatch(/^[A-Z]/);
  });

  it("it probes an agent with its own version of the package, and writes all reports", async () => {
    const { code, stdout, read, args } = await act({
      url: await echoAgent(),
      "allow-send": "true",
      message: "two words",
      "expected-failures": "sdk:javascript-1.0\n\nsdk:go-1.0\n",
      html: "out/report.html",
      junit: "report.xml",
      badge: "badge.svg",
    });
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^::stop-commands::[^]*^Passed: /m);
    expect(read("out/report.html")).toMatch(/^<!doctype html>/);
    expect(read("report.xml")).toMatch(/^<\?xml /);
    expect(read("badge.svg")).toMatch(/^<svg /);
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
      readonly version: string;
    };
    expect(args).toContain(`a2a-codegen@${version}`);
  });

  it("an agent that breaks a rule fails the step, with an annotation", async () => {
    const url = await agentWith((_request, response) => response.end("{}"));
    const { code, stdout } = await act({ url });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^::error title=\S+ on JSONRPC/m)]);
    expect(await act({ url: "http://127.0.0.1:1/" })).toMatchObject({ code: 2 });
  });

  it("no input can run a command or become another option", async () => {
    const attack = "$(touch pwned) `touch pwned` \"; touch pwned; ' --out=pwned";
    const stub = npx.replace("process.exitCode", "0; //");
    const { code, files, args } = await act(
      {
        ...Object.fromEntries(Object.keys(inputs).map((name) => [name, attack])),
        url: `http://127.0.0.1:1/${attack}`,
        "expected-failures": `${attack}\n--out=pwned`,
      },
      stub,
    );
    expect([code, files]).toEqual([0, ["arguments.json"]]);
    expect(args).toEqual([
      ...["--yes", "--package", `a2a-codegen@${attack}`, "--package", "@grpc/grpc-js@1", "--"],
      ...["a2a-codegen", "probe", `http://127.0.0.1:1/${attack}`, "--format=github"],
      ...[`--fail-on=${attack}`, `--message=${attack}`, "--bearer=env:PROBE_BEARER"],
      ...[`--out=${attack}`, `--out=${attack}`, `--out=${attack}`],
      ...[`--expected-failures=${attack}`, "--expected-failures=--out=pwned"],
    ]);
    for (const url of ["--client", "", "file:///etc/passwd"])
      expect(await act({ url }, stub)).toMatchObject({ code: 2, args: [] });
  });

  it("the workflow in the documentation uses the action with inputs that exist", async () => {
    const block = codeBlocks(readDocument("docs/probe.md")).find(({ text }) =>
      text.includes("/.github/actions/probe@"),
    );
    const { jobs } = parse(block?.text ?? "") as {
      readonly jobs: { readonly probe: { readonly steps: readonly Step[] } };
    };
    for (const { run } of jobs.probe.steps)
      if (run !== undefined) await promisify(execFile)("bash", ["-n", "-c", run]);
    const step = jobs.probe.steps.find(({ uses = "" }) => uses.includes("/a2a-codegen/"));
    expect(step?.uses).toContain(`/${dirname(path)}@`);
    const given = Object.keys(step?.with ?? {});
    expect(given.filter((name) => !(name in inputs))).toEqual([]);
    expect(given).toContain("url");
  });
});
