import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { libraryName } from "../../../generator/core/package-names.js";
import { linkLibrary } from "../../support/linked.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/**
 * The folders in which a developer renames an export. `npm run generate` renames it in
 * `generated/`.
 */
const sources = [
  "library",
  "generator",
  "support",
  "tools",
  "templates",
  "test",
  "examples",
  "bench",
];

/**
 * Copies the files of this repository into an empty folder, without what a build writes, and
 * returns their paths.
 */
function copyRepository(folder: string) {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "-z"],
    {
      cwd: packageFolder,
      encoding: "utf8",
    },
  );
  const paths = listed
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(packageFolder, path)));
  for (const path of paths) cpSync(join(packageFolder, path), join(folder, path));
  // The link to the library leads to the copy.
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(packageFolder, "node_modules")))
    if (name !== libraryName)
      symlinkSync(join(packageFolder, "node_modules", name), join(modules, name));
  linkLibrary(folder, join(folder, "library"));
  return paths;
}

/** Replaces a name in files, and returns the number of changed files. */
function rename(files: readonly string[], name: string, newName: string) {
  const word = new RegExp(`\\b${name}\\b`, "g");
  const changed = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    const renamed = text.replaceAll(word, newName);
    if (renamed !== text) writeFileSync(file, renamed);
    return renamed !== text;
  });
  return changed.length;
}

function run(
  folder: string,
  ...args: string[]
): { readonly status: number | null; readonly printed: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, printed: stdout + stderr };
}

/** Former and new names of a function that outputs import, and of a function that they export. */
const renames = [
  ["openFirst", "openAny"],
  ["jsonRpcTransport", "transportOverJsonRpc"],
] as const;

it("after functions that outputs import and export are renamed, the outputs can be regenerated without a build, and everything compiles", () => {
  const folder = temporaryFolder();
  const paths = copyRepository(folder).filter((path) =>
    sources.some((source) => path.startsWith(`${source}/`)),
  );
  const files = paths.map((path) => join(folder, path));
  for (const [name, newName] of renames)
    expect(rename(files, name, newName), name).toBeGreaterThan(3);
  const generated = run(folder, join("test", "tools", "regenerate.mjs"));
  expect(generated, generated.printed).toMatchObject({ status: 0 });
  const compiled = run(
    folder,
    join("node_modules", "typescript-7", "bin", "tsc"),
    "-p",
    "tsconfig.json",
  );
  expect(compiled, compiled.printed).toMatchObject({ status: 0 });
});
