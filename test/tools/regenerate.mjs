// Writes generated/ anew: the output of every bundled version.
import { execFileSync } from "node:child_process";
import { readdirSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
for (const version of readdirSync(join(root, "spec")).filter((name) =>
  existsSync(join(root, "spec", name, "manifest.yaml")),
)) {
  const args = ["generate", "--spec", version, "--out", join("generated", version), ...process.argv.slice(2)];
  execFileSync(process.execPath, [join(root, "dist/generator/cli/main.js"), ...args], { cwd: root, stdio: "inherit" });
}
