#!/usr/bin/env node
// Holds many streams open and calls all the while: npm run load -- [--streams 1000] [--seconds 10] [--transport NAME]
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "test", ".out", String(process.pid), "load");
await build({
  entryPoints: ["main", "agent"].map((name) => join(root, "test", "hostile", "load", `${name}.ts`)),
  outdir: folder,
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
