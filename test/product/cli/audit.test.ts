import { describe, expect, it } from "vitest";
import { readAdvisories } from "../../../generator/project/advisories.js";
import { packageVersion } from "../../../support/package-folder.js";
import { Project } from "./command.js";
import { linkPackages } from "../../support/linked.js";

const advisory = {
  id: "TEST-1",
  severity: "high",
  title: "A caller can end the process",
  modules: ["runtime/base/json"],
  fixed: "99.0.0",
};

/** A project with copies, and a list of advisories. */
async function projectWith(...advisories: readonly object[]) {
  const project = new Project({ "list.json": JSON.stringify({ advisories }) });
  expect(await project.run("generate --targets validators")).toMatchObject({ code: 0 });
  return project;
}

const audit = ["audit", "--advisories", "list.json"];

describe("audit", () => {
  it("audit names the copied module, the issue and the fix, and exits with 1", async () => {
    const { code, stdout } = await (await projectWith(advisory)).run(audit);
    expect(code).toBe(1);
    expect(stdout).toBe(
      "src/a2a/runtime/base/json.ts: high: A caller can end the process (TEST-1)\n" +
        "  Generate again with a2a-codegen 99.0.0 or later\n1 known problem in copied modules\n",
    );
  });

  it.each([
    ["that is fixed in the version", { fixed: packageVersion() }],
    ["that a later version introduced", { since: "98.0.0" }],
    ["of modules that the output does not contain", { modules: ["kit/engine/engine"] }],
  ])("audit exits with 0 for an issue %s", async (_, change) => {
    expect(await (await projectWith({ ...advisory, ...change })).succeed(audit)).toMatch(
      /^No known problem in \d+ copied modules \(1 known problem compared\)\n$/,
    );
  });

  it("audit says if a file was edited, because the edit may contain the fix", async () => {
    const project = await projectWith({ ...advisory, fix: "Cherry-pick the fix" });
    project.write({ "src/a2a/runtime/base/json.ts": "export {};" });
    expect((await project.run(audit)).stdout).toContain(
      "  Cherry-pick the fix; the file was edited, so check",
    );
    const { stdout } = await project.run(audit, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      findings: [{ isEdited: true, advisory: { id: "TEST-1" } }],
    });
  });

  it.each([
    ["a file that is missing", undefined],
    ["a file that is not JSON", "{"],
    ["a file that is not a list", '{ "advisories": [{ "id": "x" }] }'],
  ])("audit refuses %s in one sentence", async (_, text) => {
    const project = await projectWith();
    if (text !== undefined) project.write({ "other.json": text });
    const { code, stderr } = await project.run("audit --advisories other.json");
    expect([code, stderr.startsWith("other.json: ")]).toEqual([2, true]);
  });

  it("audit counts no copies in an output that imports its modules from the package", async () => {
    const project = await projectWith({ ...advisory, modules: ["kit/node"] });
    linkPackages(project.folder);
    const args = ["generate", "--runtime", "package", "--targets", "tasks", "--out", "src/other"];
    expect(await project.run(args)).toMatchObject({ code: 0 });
    const { code, stdout } = await project.run(audit, "--out src/other");
    expect([code, stdout]).toEqual([
      0,
      "No known problem in 0 copied modules (1 known problem compared)\n",
    ]);
  });

  it("audit refuses a folder without generated files", async () => {
    expect(await new Project().refusal("audit")).toBe(
      "src/a2a: the folder contains no generated output. Run `a2a-codegen generate`, or specify the output folder with --out.\n",
    );
  });

  it("audit reads the list of the package by default", async () => {
    expect(Array.isArray(readAdvisories())).toBe(true);
    await (await projectWith()).succeed("audit");
  });
});
