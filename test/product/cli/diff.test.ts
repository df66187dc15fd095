import { describe, expect, it } from "vitest";
import { Project, smallProto } from "./command.js";

const files = {
  "a.proto": smallProto,
  "b.proto": smallProto.replace(/(message \w+ \{)/, "$1 string added_here = 99;"),
};

describe("diff", () => {
  it("diff prints the changes and exits with 0", async () => {
    expect(await new Project(files).succeed("diff a.proto b.proto")).toMatch(
      /^a\.proto → b\.proto: 2 changes: 0 breaking for TypeScript, 0 breaking for JSON, 0 breaking for protobuf\n\nTypes\n {4}added \w+\.addedHere: optional string\n/,
    );
  });

  it("diff prints control characters in names as escapes", async () => {
    const schema = (properties: object) =>
      JSON.stringify({ definitions: { T: { type: "object", properties } } });
    const project = new Project({
      "a.json": schema({}),
      "b.json": schema({ "b\u001b[31m": { type: "string" } }),
    });
    expect((await project.run("diff a.json b.json")).stdout).toContain(
      " added T.b\\u001b[31m: optional string\n",
    );
  });

  it("diff says that nothing changed", async () => {
    expect((await new Project(files).run("diff 1.0 1.0.1")).stdout).toBe(
      "A2A 1.0.1 → A2A 1.0.1: no differences\n",
    );
  });

  it("diff prints one format only", async () => {
    const { code, output } = await new Project(files).json("diff a.proto b.proto --format md");
    expect(code).toBe(2);
    expect(output.errors).toEqual([
      { message: "--format md cannot be used with --json", hint: "Remove one of them" },
    ]);
  });

  it("diff --json prints data", async () => {
    const { output } = await new Project(files).json("diff a.proto b.proto");
    expect(output).toMatchObject({ ok: true, failed: false, from: "a.proto", to: "b.proto" });
    expect(output["counts"]).toEqual({ changes: 2, breaking: 0, source: 0, json: 0, protobuf: 0 });
    expect(output["changes"]).toHaveLength(2);
  });

  it("diff --json contains the failure and its counts", async () => {
    const { code, output } = await new Project(files).json(
      "diff b.proto a.proto --fail-on breaking:json",
    );
    expect(code).toBe(1);
    expect(output).toMatchObject({ ok: false, failed: true });
    expect(output["counts"]).toEqual({ changes: 2, breaking: 2, source: 1, json: 1, protobuf: 1 });
  });

  it("diff --format md prints tables", async () => {
    const { stdout } = await new Project(files).run("diff b.proto a.proto --format md");
    expect(stdout).toContain("# b.proto → a.proto\n");
    expect(stdout).toMatch(
      /\| `removed \w+\.addedHere` \| TypeScript: [^|]*<br>JSON: its value is lost \|\n/,
    );
  });

  it.each([
    ["breaking", "b.proto", "a.proto", 1],
    ["breaking:source", "b.proto", "a.proto", 1],
    ["breaking:protobuf", "b.proto", "a.proto", 1],
    ["breaking", "a.proto", "b.proto", 0],
    ["breaking:source", "0.2.6", "0.3.0", 0],
    ["breaking:json", "0.2.6", "0.3.0", 1],
  ])("diff --fail-on %s from %s to %s exits with %i", async (failOn, from, to, code) => {
    expect((await new Project(files).run("diff", from, to, "--fail-on", failOn)).code).toBe(code);
  });

  it.each([
    [["diff", "1.0", "9.9"], /^the specification "9\.9" does not exist\. /],
    [["diff", "1.0"], /^the command requires <to>\. /],
    [["diff", "1.0", "0.3.0", "--fail-on", "all"], /^--fail-on cannot be "all"\. Use one of /],
    [
      ["diff", "1.0", "0.3.0", "--format", "html"],
      /^--format cannot be "html"\. Use one of "text", "json", "md"\.$/m,
    ],
  ])("diff refuses %j in one line", async (args, line) => {
    const stderr = await new Project(files).refusal(args);
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd()).not.toContain("\n");
  });
});
