#!/usr/bin/env node
// Several processes of an agent on one engine, which are killed while they work: npm run cluster -- [--engine NAME] …
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "test", ".out", String(process.pid), "cluster");

/** The kit as it is, on the output of 1.1-draft, which has the classes that both have to share. */
const kitSources = {
  name: "kit-sources",
  setup(bundle) {
    const templates = join(root, "templates");
    bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const module = join(resolveDir, path.replace(/\.js$/, ".ts"));
      const other = module.replace(templates, join(root, "generated", "1.1-draft"));
      return { path: module.startsWith(join(templates, "kit")) && existsSync(module) ? module : other };
    });
  },
};

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
