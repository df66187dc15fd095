import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { packAll } from "../../../build/pack.mjs";
import { libraryName } from "../../../generator/core/package-names.js";
import { packageFolder } from "../../../support/package-folder.js";
import { links, readDocument } from "../docs/markdown.js";
import { Project } from "./command.js";

const run = promisify(execFile);

/** The files and folders that a document links to, from the root of the package. */
function linkedFrom(document: string) {
  const targets = links(readDocument(document)).filter((target) => !/^(https?:|#)/.test(target));
  return targets.map((target) => join(dirname(document), target.replace(/#.*|\/$/, "")));
}

/** Returns how many bytes the files of a folder have. */
function sizeOf(folder: string) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce(
    (sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size,
    0,
  );
}

describe("the package", () => {
  it("both packages install into an empty project, run through npx, and leave 2.5 MB at most for production", async () => {
    const project = new Project({
      "package.json": '{ "name": "empty", "private": true, "type": "module" }',
    });
    const { generator: packed, library } = packAll(project.folder);
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "package.json",
        "README.md",
        "LICENSE",
        "spec/1.0/a2a.proto",
        "config.schema.json",
        "tools/probe/sdks/rust-1.0.txt",
      ]),
    );
    // Other examples and the demo build on the generated code of the repository, and do not run
    // without it.
    const ofInit =
      /^examples\/(?:ai-sdk|browser|cloudflare|langgraph|model|orchestrator|research-agent)\/[\w-]+\.(?:ts|html|jsonc)$/;
    const others = paths.filter((path) => !ofInit.test(path));
    expect(
      others.filter((path) => /^(test|bench|generated|generator|examples)\//.test(path)),
    ).toEqual([]);
    // Pages for a decision, such as comparisons, are only in the repository, to keep the package
    // small.
    const pages = paths.filter((path) => path.endsWith(".md"));
    const linked = pages.flatMap((path) => linkedFrom(path));
    const isThere = (target: string) =>
      paths.some((path) => `${path}/`.startsWith(`${target}/`)) ||
      (/^[\w/-]+\.md$/.test(target) && existsSync(join(packageFolder, target)));
    expect(linked.filter((target) => !isThere(target))).toEqual([]);

    const isOfLibrary = (path: string): boolean =>
      /^(dist\/|package\.json$|README|LICENSE)/.test(path);
    expect(library.files.filter(({ path }) => !isOfLibrary(path))).toEqual([]);

    const npm = async (...args: string[]) =>
      await run("npm", [...args, "--prefer-offline", "--no-audit", "--no-fund"], {
        cwd: project.folder,
      });
    await npm("install", `./${library.filename}`);
    await npm("install", "--save-dev", "--omit=optional", `./${packed.filename}`);
    const modules = join(project.folder, "node_modules");
    expect(sizeOf(modules)).toBeLessThanOrEqual(7_600_000);
    // The package does not contain its sources.
    const description = readFileSync(join(modules, libraryName, "package.json"), "utf8");
    expect(description).not.toContain("a2a-codegen-source");
    const npx = async (...args: string[]) =>
      await run("npx", ["a2a-codegen", ...args], { cwd: project.folder });
    expect((await npx("list")).stdout).toContain("A2A 1.0.1");
    // The list is read before the agent is called.
    const unreachable = ["http://127.0.0.1:1/", "--expected-failures", "sdk:rust-1.0"];
    await expect(npx("probe", ...unreachable)).rejects.toThrow("the agent card cannot be read");
    const { stdout: named } = await run("npx", ["a2a", "--help"], { cwd: project.folder });
    expect(named).toContain("a2a send");
    expect((await npx("init")).stdout).toContain("A2A 1.0.1 → src/a2a");
    expect(existsSync(join(project.folder, "src", "a2a", "client", "connect.ts"))).toBe(true);
    expect((await npx("generate")).stdout).toContain("up to date");
    const { stdout: exported } = await run(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        'import * as api from "a2a-codegen"; console.log(Object.keys(api).sort().join())',
      ],
      { cwd: project.folder },
    );
    expect(exported).toContain("generate");
    const { dependencies, devDependencies } = JSON.parse(project.read("package.json")) as {
      readonly dependencies: object;
      readonly devDependencies: object;
    };
    expect([dependencies, devDependencies].map((section) => Object.keys(section))).toEqual([
      [libraryName],
      ["a2a-codegen"],
    ]);
    await npm("prune", "--omit=dev");
    expect(existsSync(join(modules, "a2a-codegen"))).toBe(false);
    expect(sizeOf(modules)).toBeLessThanOrEqual(2_500_000);
  });
});
