#!/usr/bin/env node
// Packs both packages as they are published: node build/pack.mjs FOLDER. Run `npm run build` first.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Packs both packages into a folder, which is created. Returns what npm reports of each package:
 * its file name, and the files in it.
 */
export function packAll(folder) {
  mkdirSync(folder, { recursive: true });
  const stage = mkdtempSync(join(tmpdir(), "a2a-codegen-"));
  try {
    stageLibrary(stage);
    return { generator: pack(root, folder), library: pack(stage, folder) };
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/**
 * Copies the package of the library. Its published description does not name the sources, which it
 * does not contain.
 */
function stageLibrary(stage) {
  const library = join(root, "library");
  cpSync(join(library, "dist"), join(stage, "dist"), { recursive: true });
  cpSync(join(library, "README.md"), join(stage, "README.md"));
  cpSync(join(root, "LICENSE"), join(stage, "LICENSE"));
  const text = readFileSync(join(library, "package.json"), "utf8");
  const published = JSON.parse(text, (key, value) =>
    key === "a2a-codegen-source" ? undefined : value,
  );
  const { repository, homepage, bugs } = JSON.parse(readFileSync(join(root, "package.json")));
  const description = { ...published, repository, homepage, bugs };
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
}

function pack(source, folder) {
  const options = ["--ignore-scripts", "--json", "--pack-destination", resolve(folder)];
  const report = execFileSync("npm", ["pack", ...options], { cwd: source, encoding: "utf8" });
  return JSON.parse(report)[0];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Name the folder to pack into");
  for (const { filename } of Object.values(packAll(folder))) console.log(join(folder, filename));
}
