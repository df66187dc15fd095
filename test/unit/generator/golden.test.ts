import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageVersion } from "../../../generator/project/assets.js";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { lockFile } from "../../../generator/output/lock.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { findSource, generateFrom } from "../../support/output.js";

const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);

const hint = "generated/ is out of date: run `npm run generate`";

describe.each(versions)("generated/%s", (version) => {
  const folder = join(packageFolder, "generated", version);
  let now = new Map<string, string>();

  beforeAll(async () => {
    const { files } = await generateFrom(findSource(version), { generator: packageVersion() });
    now = new Map(files.map(({ path, text }) => [path, text]));
  });

  it("is there", () => {
    expect(existsSync(join(folder, lockFile)), hint).toBe(true);
  });

  it("has the files that the generator writes, and no others", () => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    expect(paths.sort(), hint).toEqual([...now.keys(), lockFile].sort());
  });

  it("equals what the generator writes now, file by file", () => {
    for (const [path, text] of now) expect(readFileSync(join(folder, path), "utf8"), `${hint} (${path})`).toBe(text);
  });
});

describe("the output", () => {
  it("is the same to the byte each time", async () => {
    const [first, second] = [await generateFrom(findSource("1.0")), await generateFrom(findSource("1.0"))];
    expect(second.files).toEqual(first.files);
  });
});
