import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { libraryName } from "../../../generator/core/library.js";
import { packageVersion } from "../../../generator/project/assets.js";
import { packageFolder } from "../../../support/package-folder.js";
import { lockFile } from "../../../generator/output/lock.js";
import { findSource, generateFrom } from "../../support/output.js";
import { outputs } from "../../tools/outputs.mjs";

const hint = "generated/ is out of date: run `npm run generate`";

describe.each(outputs)("generated/$folder", ({ folder: name, spec, runtime, aliases, versions = [] }) => {
  const folder = join(packageFolder, "generated", name);
  let now = new Map<string, string>();

  beforeAll(async () => {
    const library = runtime === "package" ? { runtimeImport: libraryName } : {};
    const source = { ...findSource(spec), versions: versions.map((version) => findSource(version)) };
    const { files } = await generateFrom(source, { generator: packageVersion(), aliases, ...library });
    now = new Map(files.map(({ path, text }) => [path, text]));
  });

  it("the output exists", () => {
    expect(existsSync(join(folder, lockFile)), hint).toBe(true);
  });

  it("the output contains exactly the files that the generator writes", () => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    expect(paths.sort(), hint).toEqual([...now.keys(), lockFile].sort());
  });

  it("each file of the output equals what the generator writes now", () => {
    for (const [path, text] of now) expect(readFileSync(join(folder, path), "utf8"), `${hint} (${path})`).toBe(text);
  });
});

describe("generated/", () => {
  it("the folder contains the committed outputs and at most 85,000 lines", () => {
    const root = join(packageFolder, "generated");
    expect(readdirSync(root).sort()).toEqual(outputs.map(({ folder }) => folder).sort());
    const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = entries.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
    expect(texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0)).toBeLessThanOrEqual(86_000);
  });
});

describe("the output", () => {
  it("the output is byte-identical each time", async () => {
    const [first, second] = [await generateFrom(findSource("1.0")), await generateFrom(findSource("1.0"))];
    expect(second.files).toEqual(first.files);
  });
});
