#!/usr/bin/env node
// Several processes of an agent on one engine, which are killed while they work: npm run cluster -- [--engine NAME] …
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { kitSources } from "./kit-sources.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "test", ".out", String(process.pid), "cluster");

await build({
  entryPoints: ["main", "agent"].map((name) => join(root, "test", "cluster", `${name}.ts`)),
  outdir: folder,
  plugins: [kitSources],
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  logLevel: "warning",
});
const child = spawn(process.execPath, [join(folder, "main.js"), ...process.argv.slice(2)], { stdio: "inherit" });
child.on("exit", (code) => {
  rmSync(join(folder, ".."), { recursive: true, force: true });
  process.exit(code ?? 1);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
