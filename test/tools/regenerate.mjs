// Regenerates each output in generated/, even if the generator considers it up to date.
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildLibrary } from "../../build/library.mjs";
import { outputs } from "./outputs.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const known = new Set(outputs.map(({ folder }) => folder));
for (const folder of readdirSync(join(root, "generated")))
  if (!known.has(folder)) rmSync(join(root, "generated", folder), { recursive: true });

for (const { folder, spec, runtime, aliases, versions } of outputs) {
  const out = join("generated", folder);
  // Deletes the lock file as well, because it does not change if only the code of the generator has changed.
  rmSync(join(root, out), { recursive: true, force: true });
  const options = ["--spec", spec, "--out", out, "--runtime", runtime, "--aliases", aliases];
  if (versions !== undefined) options.push("--versions", versions.join(","));
  const args = ["generate", ...options, ...process.argv.slice(2)];
  execFileSync(process.execPath, [join(root, "dist/generator/cli/main.js"), ...args], { cwd: root, stdio: "inherit" });
}
// The library has the errors of 1.0, which are an output themselves.
await buildLibrary(root, join(root, "dist"));
