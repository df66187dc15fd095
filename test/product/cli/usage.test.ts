import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { Project } from "./command.js";

const project = new Project();
const help = "`a2a-codegen --help` prints commands and options.";
const helpFor = (command: string) => `\`a2a-codegen ${command} --help\` prints its arguments.`;

describe("the command line", () => {
  it("the command line prints help", async () => {
    const { code, stdout, stderr } = await project.run("--help");
    expect([code, stderr]).toEqual([0, ""]);
    for (const command of ["generate", "init", "validate <type> <source>", "list"])
      expect(stdout).toContain(command);
  });

  it.each(["generate", "init", "validate", "list"])(
    "the command line prints help for %s",
    async (command) => {
      const stdout = await project.succeed(command, "--help");
      expect(stdout).toContain(`a2a-codegen ${command}`);
      expect(stdout).toContain("--json");
    },
  );

  it("the command line prints its version", async () => {
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
      version: string;
    };
    expect((await project.run("--version")).stdout).toBe(`${version}\n`);
  });

  it.each([[["-h"]], [["help"]], [[]]])(
    "the command line prints the same help for %j as for --help",
    async (args) => {
      expect(await project.run(args)).toEqual(await project.run("--help"));
    },
  );

  it.each([[["generate", "-h"]], [["help", "generate"]]])(
    "the command line prints the help of a command for %j",
    async (args) => {
      expect(await project.run(args)).toEqual(await project.run("generate --help"));
    },
  );

  it("the command line prints its version for -v", async () => {
    expect(await project.run("-v")).toEqual(await project.run("--version"));
  });

  it("the command line completes commands, options and their values in a shell", async () => {
    const { code, stdout } = await project.spawn("completion");
    expect(code).toBe(0);
    expect(stdout).toContain("--get-yargs-completions");
    const complete = async (...words: string[]) =>
      (await project.spawn(["--get-yargs-completions", ...words])).stdout;
    expect(await complete("a2a-codegen", "gen")).toMatch(/^generate\b/);
    expect(await complete("a2a-codegen", "generate", "--import")).toMatch(/^--import-extension\b/m);
    expect(await complete("a2a-codegen", "diff", "--format", "")).toMatch(/^md\b/m);
  });

  it.each([
    ["bash", "complete -o bashdefault"],
    ["zsh", "#compdef a2a-codegen"],
    ["fish", "complete -f -c a2a-codegen"],
  ])("the command line prints the completions of the specified shell: %s", async (shell, begin) => {
    const { code, stdout } = await project.spawn(["completion", shell]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(begin)]);
  });

  it("the command line prints no colors without a terminal", async () => {
    expect((await project.run("--help")).stdout).not.toContain("\u001B");
  });

  it.each([
    [["help", "fly"], `unknown command: fly. ${help}`],
    [["fly"], `unknown command: fly. ${help}`],
    [["generate", "1.0"], `generate does not accept "1.0". ${helpFor("generate")}`],
    [["generate", "--fly"], `unknown option: --fly. ${helpFor("generate")}`],
    [["generate", "--out"], `--out requires a value. ${helpFor("generate")}`],
    [["generate", "--out="], "--out is empty. Add a value, or remove the option."],
    [
      ["generate", "--spec.x=1"],
      `unknown option: --spec.x. Did you mean --spec? ${helpFor("generate")}`,
    ],
    [
      ["generate", "--dryrun"],
      `unknown option: --dryrun. Did you mean --dry-run? ${helpFor("generate")}`,
    ],
    [["generate", "--to", "1.0"], `unknown option: --to. ${helpFor("generate")}`],
    [["generate", "-z"], `unknown option: -z. ${helpFor("generate")}`],
    [["generate", "--check=1"], '--check does not take a value, got "1". Remove the value.'],
    [
      ["generate", "--spec", "1.0", "--spec", "0.3.0"],
      "--spec is specified twice. Remove one of them.",
    ],
    [
      ["generate", "--dry-run", "--dryRun=false"],
      "--dry-run is specified twice. Remove one of them.",
    ],
    [
      ["completion", "tcsh"],
      'completion does not accept "tcsh". Use one of the shells bash, zsh, fish; the default is the shell in SHELL.',
    ],
    [["init", "-y", "--no-yes"], "--yes is specified twice. Remove one of them."],
    [
      ["generate", "--targets=models", "--targets", "rest"],
      "--targets is specified twice. Use it once, and separate the values with commas.",
    ],
    [
      ["upgrade"],
      "`upgrade` requires --to or --from. Pass the new version or proto with --to, or the previous " +
        "state of your changed proto with --from.",
    ],
    [["genrate"], `unknown command: genrate. Did you mean generate? ${help}`],
    [["generate", "--aliases"], '--aliases requires a value. Use one of "all", "none".'],
    [["generate", "--no-out"], `unknown option: --no-out. ${helpFor("generate")}`],
    [["generate", "--check", "true"], `generate does not accept "true". ${helpFor("generate")}`],
    [["validate", "", "-"], "<type> is empty. Add a value."],
    [
      ["generate", "--targets", "clinet"],
      '"clinet" is not a target. Did you mean client? `a2a-codegen list` prints the targets.',
    ],
    [["generate", "--targets", ","], "--targets is empty. `a2a-codegen list` prints the targets."],
    [
      ["generate", "--targets", "models,fly"],
      '"fly" is not a target. `a2a-codegen list` prints the targets.',
    ],
    [
      ["generate", "--import-extension", "mjs"],
      '--import-extension cannot be "mjs". Use one of "js", "ts", "none".',
    ],
    [
      ["generate", "--check", "--watch"],
      "--check cannot be used with --watch. Remove one of them.",
    ],
    [
      ["generate", "--check", "--force"],
      "--check cannot be used with --force. Remove one of them.",
    ],
    [
      ["generate", "--check", "--dry-run"],
      "--check cannot be used with --dry-run. Remove one of them.",
    ],
    [["generate", "--watch", "--json"], "--watch cannot be used with --json. Remove one of them."],
    [
      ["generate", "--watch", "--dry-run"],
      "--watch cannot be used with --dry-run. Remove one of them.",
    ],
    [["validate"], `the command requires <type>. ${helpFor("validate")}`],
    [["validate", "Message"], `the command requires <source>. ${helpFor("validate")}`],
  ])("the command line refuses %j with one line", async (args, problem) => {
    const { code, stdout, stderr } = await project.run(args);
    if (args.includes("--json")) expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    else expect([stdout, stderr]).toEqual(["", `${problem}\n`]);
    expect(code).toBe(2);
  });

  it.each([
    [["fly"]],
    [["generate", "--fly"]],
    [["generate", "--spec", "9.9"]],
    [["validate", "Message"]],
    [["validate", "Message", "nope.json"]],
  ])("the command line refuses %j with one document", async (args) => {
    const { code, output } = await project.json(args);
    expect(code).toBe(2);
    expect(output).toEqual({
      ok: false,
      errors: [{ message: expect.any(String) as string, hint: expect.any(String) as string }],
    });
  });
});

describe("--spec", () => {
  it.each([
    ["1", "A2A 1.0.1"],
    ["0", "A2A 0.3.0"],
    ["0.3", "A2A 0.3.0"],
    ["0.2", "A2A 0.2.6"],
  ])("the value %s of --spec selects the newest of these versions, %s", async (spec, title) => {
    const { stdout } = await project.run("generate --spec", spec, "--targets models --dry-run");
    expect(stdout.startsWith(`${title} → `)).toBe(true);
  });
});

describe("list", () => {
  it("list prints versions and targets", async () => {
    expect(await project.succeed("list")).toMatch(
      /^Versions:\n {2}1\.1-draft .*\n {2}1\.0 +A2A 1\.0\.1 +proto\n {2}1\.0\.0 +A2A 1\.0\.0 +proto\n(.*\n)*?Targets:\n {2}models +interfaces/,
    );
  });

  it("list --json prints a document", async () => {
    const { output } = await project.json("list");
    expect(output["versions"]).toContainEqual({ id: "1.0", version: "1.0.1", sources: ["proto"] });
    expect(output["versions"]).toContainEqual({
      id: "0.3.0",
      version: "0.3.0",
      sources: ["proto", "schema"],
    });
    expect(output["targets"]).toContainEqual(
      expect.objectContaining({ name: "protobuf", needs: ["models", "validators"] }),
    );
  });
});
