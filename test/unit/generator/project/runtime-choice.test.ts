import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { libraryForm, libraryName } from "../../../../generator/core/package-names.js";
import { libraryOf } from "../../../../generator/project/runtime-choice.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { checkLibrary } from "../../../../library/runtime/base/library.js";
import { Project } from "../../../product/cli/command.js";

const description = JSON.parse(
  readFileSync(join(packageFolder, "library", "package.json"), "utf8"),
) as {
  readonly exports: Readonly<Record<string, { readonly "a2a-codegen-source"?: string }>>;
  readonly outputForms: readonly number[];
};

/** A project in which a package is installed. */
function installedPackage(files: object, name = libraryName): Project {
  return new Project({
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "0.0.9", ...files }),
  });
}

describe("the option runtime", () => {
  it.each([
    [undefined, undefined],
    ["copy", undefined],
    ["package", libraryName],
    ["@scope/support", "@scope/support"],
    ["support", "support"],
  ])("the option accepts %j", (value, name) => {
    expect(libraryOf(value)).toBe(name);
  });

  it("a configuration with a folder is refused, and the message names the values to use instead", async () => {
    const project = new Project({ "a2a-codegen.config.json": '{ "runtime": "src/support" }' });
    expect(await project.refusal("generate")).toBe(
      'a2a-codegen.config.json:1:3: "runtime" is "src/support", which is not the name of a package. Set it to "package", so that all outputs import the same modules, or to "copy".\n',
    );
    expect(project.has("src")).toBe(false);
  });

  it.each([
    [
      "a package that is missing",
      new Project(),
      "package",
      '"a2a-codegen-runtime", which the output would import, is not installed',
    ],
    [
      "a word that every object has as a member",
      new Project(),
      "constructor",
      '"constructor", which the output would import, is not installed',
    ],
    [
      "a folder",
      new Project(),
      "./support",
      '"runtime" is "./support", which is not the name of a package',
    ],
    ["an absolute path", new Project(), "/elsewhere", "is not the name of a package"],
    ["a word that is nearly an answer", new Project(), "copyy", "Did you mean copy?"],
    [
      "a package without the modules",
      installedPackage({}),
      "package",
      '"a2a-codegen-runtime" 0.0.9 does not contain the modules',
    ],
    [
      "a package that is older",
      installedPackage({ outputForms: [0, 0] }),
      "package",
      "is older than the output",
    ],
    [
      "a package that is newer",
      installedPackage({ outputForms: [8, 9] }),
      "package",
      "is newer than the output",
    ],
    [
      "the package that had the modules earlier",
      installedPackage({}, "a2a-codegen"),
      "a2a-codegen",
      'Set "runtime" to "package": the modules are now in the package a2a-codegen-runtime.',
    ],
    [
      "another package without the modules",
      installedPackage({}, "@my/kit"),
      "@my/kit",
      '"@my/kit" 0.0.9 does not contain',
    ],
  ])(
    "the option is refused in one sentence for %s, and nothing is written",
    async (_, project, value, text) => {
      const { code, stderr } = await project.run("generate --runtime", value);
      expect([code, stderr.trim().split("\n").length <= 2]).toEqual([2, true]);
      expect(stderr).toContain(text);
      expect(project.has("src")).toBe(false);
    },
  );
});

describe("the package as the runtime of an output", () => {
  it("the package is refused with a reason if the output folder is outside of the project that installs it", async () => {
    const project = installedPackage({ outputForms: [libraryForm, libraryForm] });
    const stderr = await project.refusal("generate --runtime package --out ../elsewhere");
    expect(stderr).toContain("elsewhere is outside the project");
    expect(stderr).toContain(
      '"a2a-codegen-runtime" is not installed there. Choose an output folder in the project, or set "runtime"',
    );
  });
});

describe("the package", () => {
  it("the package has at most 25 exports besides bridges, and the source of each exists", () => {
    const entries = Object.entries(description.exports);
    const others = entries.filter(([name]) => !name.startsWith("./bridges/"));
    expect(others.length).toBeLessThanOrEqual(25);
    const sources = entries.flatMap(([, entry]) => entry["a2a-codegen-source"] ?? []);
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.filter((source) => !existsSync(join(packageFolder, "library", source)))).toEqual(
      [],
    );
  });

  it("the package supports the form of output that this generator writes", () => {
    const [first = 0, last = 0] = description.outputForms;
    expect(first <= libraryForm && libraryForm <= last).toBe(true);
    for (const form of [first, last]) expect(() => checkLibrary(form)).not.toThrow();
    expect(() => checkLibrary(last + 1)).toThrow(
      "a2a-codegen-runtime is older than the output that imports it",
    );
    expect(() => checkLibrary(first - 1)).toThrow("run `npx a2a-codegen generate`");
  });
});
