import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { reachableFrom } from "./reachable.mjs";

/** The modules that the package exports for programs, besides the library. */
const entries = ["generator/api/index.d.ts", "tools/inspector/agent/inspector.d.ts"];

/**
 * Checks the types of the generator, and writes the declarations of the API and of all modules that
 * it imports.
 */
export async function declare(root, dist) {
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", "generator"], { cwd: root });
  // The compiler writes a declaration for every module, and in later runs only for changed modules.
  const all = join(root, "build", ".out", "declarations");
  mkdirSync(dist, { recursive: true });
  const found = reachableFrom(entries, all);
  for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" }))
    if (path.endsWith(".d.ts") && !found.has(path)) rmSync(join(dist, path));
  for (const path of found) cpSync(join(all, path), join(dist, path));
}
