import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

describe("several specifications in one run", () => {
  it("the value all of --spec generates all bundled specifications, each into its own folder", async () => {
    const project = new Project();
    const { code, output } = await project.json("generate --spec all --out out --targets models");
    expect(code).toBe(0);
    const results = output["results"] as { spec: string; out: string; losses: unknown[] }[];
    const listed = (await project.json("list")).output["versions"] as { id: string }[];
    expect(results.map(({ out }) => out)).toEqual(listed.map(({ id }) => `out/${id}`));
    expect(project.read("out/0.1.0/models.ts")).toContain("from A2A 0.1.0 (");
  });

  it("a configuration can list several specifications, by version and by path", async () => {
    const project = new Project({
      "protos/small.proto": smallProto,
      "a2a-codegen.config.json":
        '{ "spec": ["0.2.1", "protos/small.proto"], "out": "gen", "targets": ["models"] }',
    });
    const stdout = await project.succeed("generate");
    expect(stdout).toMatch(
      /^A2A 0\.2\.1 → gen\/0\.2\.1\n(.*\n)+protos\/small\.proto → gen\/small\n(.*\n)+2 specifications in [\d.]+ s\n$/,
    );
    expect((await project.run("generate")).stdout).toMatch(
      /^A2A 0\.2\.1 → gen\/0\.2\.1: up to date \(\d+ files\)\n/,
    );
  });

  it("several outputs are written together or not at all", async () => {
    const project = new Project({
      "bad.proto": 'syntax = "proto3";\nmessage A {\n  B b = 1;\n}',
      "a2a-codegen.config.json": '{ "spec": ["1.0", "bad.proto"], "out": "gen" }',
    });
    expect(await project.refusal("generate")).toMatch(/^bad\.proto:3:5: /);
    expect(project.has("gen")).toBe(false);
  });

  it.each([
    [
      "an agent skeleton",
      ["--spec", "all", "--agent", "agent.ts"],
      "--agent cannot be used with several specifications",
    ],
    [
      "one manifest",
      ["--spec", "all", "--manifest", "1.0"],
      "--manifest cannot be used with several specifications",
    ],
  ])("several specifications cannot be combined with %s", async (_, args, problem) => {
    expect(await new Project().refusal("generate", args)).toBe(
      `${problem}. Remove it, or choose one specification with --spec.\n`,
    );
  });

  it("each specification in the list may have its agent, schema and manifest", async () => {
    const spec = [
      { spec: "1.0", agent: "src/agent.ts" },
      { spec: "a.proto", manifest: "mine.yaml" },
      "0.3.0",
    ];
    const project = new Project({
      "a.proto": smallProto,
      "mine.yaml": "docs: docs.yaml",
      "docs.yaml": "Note.id: Its key.",
      "a2a-codegen.config.json": JSON.stringify({ spec, out: "gen", targets: ["server"] }),
    });
    expect((await project.run("generate")).stderr).toBe("");
    expect(project.read("gen/a/models.ts")).toContain("Its key.");
    expect(project.read("src/agent.ts")).toContain('from "../gen/1.0/');
    expect((await project.run("generate")).stdout).toMatch(/^A2A 1\.0\.1 → gen\/1\.0: up to date/);
  });

  it("several specifications cannot be combined with the agent of the configuration, and the error names the correct position", async () => {
    const project = new Project({
      "a2a-codegen.config.json": '{ "spec": ["1.0", "0.3.0"], "agent": "agent.ts" }',
    });
    expect((await project.run("generate")).stderr).toBe(
      '"agent" of the configuration cannot be used with several specifications. Move it to its specification: { "spec": "…", "agent": "…" }.\n',
    );
  });

  it("a command for one specification requires --spec", async () => {
    const project = new Project({
      "a2a-codegen.config.json": '{ "spec": ["1.0", "0.3.0"] }',
      "m.json": "{}",
    });
    expect((await project.run("validate Task m.json")).stderr).toBe(
      "the configuration has several specifications: 1.0, 0.3.0. Choose one of them with --spec.\n",
    );
    expect((await project.run("validate Task m.json --spec 0.3.0")).code).toBe(1);
  });
});

describe("the fidelity report", () => {
  it("the report is one line that names the bindings with losses, and the better binding", async () => {
    const { stdout } = await new Project().run("generate --spec 0.3.0 --out out");
    expect(stdout).toMatch(
      /\n {2}values of \d+ fields are lost over HTTP\+JSON and gRPC: prefer JSON-RPC, and see --verbose for a list\n/,
    );
    expect(stdout).not.toContain("FilePart");
  });

  it("the report names losses and counts fields whose absence is lost with --verbose, also if the output is up to date", async () => {
    const project = new Project();
    await project.succeed("generate --spec 0.3.0 --out out");
    const stdout = await project.succeed("generate --spec 0.3.0 --out out --verbose");
    expect(stdout).toContain("0 files written");
    expect(stdout).toMatch(
      /\n {2}lost over HTTP\+JSON and gRPC: .*FilePart\.file\.name.*, TextPart\.metadata\n/,
    );
    expect(stdout).toMatch(
      /\n {2}default values of \d+ fields arrive as absent over gRPC; the doc comments and --json list them\n/,
    );
  });

  it("the report is data with --json", async () => {
    const { output } = await new Project().json("generate --spec 0.3.0 --out out");
    expect(output["losses"]).toContainEqual({
      type: "AgentCard",
      field: "iconUrl",
      bindings: ["rest", "grpc"],
      kind: "field",
      text: "Lost over gRPC and HTTP+JSON, which have no field for it.",
    });
  });

  it("the report covers the generated transports", async () => {
    const args = ["generate", "--spec", "0.3.0", "--out", "out", "--targets", "client,jsonrpc"];
    expect((await new Project().run(args)).stdout).not.toMatch(/lost over/);
  });
});
