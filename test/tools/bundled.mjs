import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { library } from "./library.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bundles programs of the tests, and runs the one called `main` with the arguments of this process.
 */
export async function runBundled(name, programs) {
  const folder = join(root, "test", ".out", String(process.pid), name);
  await build({
    entryPoints: programs.map((program) => join(root, "test", program)),
    outdir: folder,
    plugins: [library()],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  const child = spawn(process.execPath, [join(folder, "main.js"), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  child.on("exit", (code) => {
    rmSync(join(folder, ".."), { recursive: true, force: true });
    process.exit(code ?? 1);
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
}
