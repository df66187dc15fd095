import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { libraryFolder } from "../../support/linked.js";

const library = join(libraryFolder, "dist");

/** Returns the path of the source of a module, by the path of its map. */
const sourceOf = (map: string): string => join("library", map.replace(/\.js\.map$/, ".ts"));
const maps = readdirSync(library, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".js.map"),
);

/** Returns the stack of an error that the library throws in a new process. */
function stackOf(...flags: string[]) {
  const program = `import { apiKeys } from "a2a-codegen-runtime/kit";
    try { apiKeys({ "": {} }); } catch (error) { console.log(error.stack); }`;
  const args = [...flags, "--input-type=module", "--eval", program];
  return execFileSync(process.execPath, args, { cwd: packageFolder, encoding: "utf8" });
}

describe("the source maps of the library", () => {
  it("a source map exists for each module that names one", () => {
    const modules = readdirSync(library, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".js"),
    );
    const naming = modules.filter((path) =>
      readFileSync(join(library, path), "utf8").includes("sourceMappingURL="),
    );
    expect(naming.map((path) => `${path}.map`).sort()).toEqual([...maps].sort());
  });

  it("a source map names the source of its module", () => {
    const sources = maps.flatMap((path) => {
      const { sources: own } = JSON.parse(
        readFileSync(join(library, path), "utf8"),
      ) as SourceMapPayload;
      return own.map((source) => relative(packageFolder, join(library, dirname(path), source)));
    });
    // The module of a file that only contains types is empty.
    const empty = ["agent-card", "calls", "security"].map((name) => `library/models/${name}.ts`);
    expect([...sources, ...empty].sort()).toEqual(maps.map(sourceOf).sort());
  });

  it("a source map leads from the line of each function to the line in its source", () => {
    let functions = 0;
    for (const path of maps) {
      const text = readFileSync(join(library, path), "utf8");
      const map = new SourceMap(JSON.parse(text) as SourceMapPayload);
      const source = readFileSync(join(packageFolder, sourceOf(path)), "utf8").split("\n");
      const lines = readFileSync(join(library, path.replace(/\.map$/, "")), "utf8").split("\n");
      for (const [at, line] of lines.entries()) {
        for (const { index, 1: name = "" } of line.matchAll(/(?<!local )\bfunction\*? ?(\w+)\(/g)) {
          functions += 1;
          const entry = map.findEntry(at, index);
          const found = "originalLine" in entry ? source[entry.originalLine] : undefined;
          expect(found, `${path}: ${name}`).toContain(name);
        }
      }
    }
    expect(functions).toBeGreaterThan(500);
  });

  it("a stack trace contains the line of the source with source maps, and the name and a short line without them", () => {
    const plain = stackOf();
    expect(plain).toMatch(
      /at apiKeys \(file:.*\/library\/dist\/kit\/calls\/api-keys\.js:\d+:\d{1,3}\)/,
    );
    const mapped = stackOf("--enable-source-maps");
    const [, line] = /at .*\/library\/kit\/calls\/api-keys\.ts:(\d+):\d+/.exec(mapped) ?? [];
    const source = readFileSync(
      join(packageFolder, "library", "kit", "calls", "api-keys.ts"),
      "utf8",
    ).split("\n");
    expect(source[Number(line) - 1]).toContain("An API key is empty");
  });
});
