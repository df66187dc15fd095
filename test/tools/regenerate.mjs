// Writes generated/ anew: the output of every bundled version, whether or not the generator thinks that it is up to date.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
for (const version of readdirSync(join(root, "spec")).filter((name) =>
  existsSync(join(root, "spec", name, "manifest.yaml")),
)) {
  const out = join("generated", version);
  // With its lock gone, too: that says that nothing has changed where only the code of the generator has.
  rmSync(join(root, out), { recursive: true, force: true });
  const args = ["generate", "--spec", version, "--out", out, ...process.argv.slice(2)];
  execFileSync(process.execPath, [join(root, "dist/generator/cli/main.js"), ...args], { cwd: root, stdio: "inherit" });
}
