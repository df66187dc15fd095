#!/usr/bin/env node
// Writes the exports of package.json: the modules that outputs import from the package. npm run exports
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { libraryModules } from "../../build/library.mjs";
import { libraryModules as sourcesOf } from "../../library/output-paths.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the exports of the package: the API, the kit, the errors, and the runtime modules that outputs name. */
export function packageExports() {
  const table = readFileSync(join(root, "generator", "emit", "runtime-modules.ts"), "utf8");
  const named = [...table.matchAll(/(?:value|type|namespace)\("([^"]+)"/g)].map(([, module]) => module);
  const formats = [
    ...readFileSync(join(root, "generator", "protocol", "model", "binding-types.ts"), "utf8").matchAll(
      /type ErrorFormat = ([^;]+);/g,
    ),
  ].flatMap(([, text]) => [...text.matchAll(/"([^"]+)"/g)].map(([, format]) => `protocol/error-${format}`));
  const kit = readdirSync(join(root, "library"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.startsWith("runtime"),
  );
  const used = kit.flatMap((path) =>
    [...readFileSync(join(root, "library", path), "utf8").matchAll(/"(?:\.\.\/)+runtime\/([^"]+)\.js"/g)].map(
      ([, module]) => module,
    ),
  );
  const runtime = [...new Set([...named, ...formats, ...used, "base/library"])].sort();
  const subpaths = {
    ...libraryModules,
    ...Object.fromEntries(runtime.map((module) => [`runtime/${module}`, `runtime/${module}`])),
  };
  const sources = sourcesOf(root);
  const library = Object.entries(subpaths).map(([subpath, module]) => [
    `./${subpath}`,
    {
      source: `./library/${sources.get(module)}.ts`,
      types: `./dist/library/${module}.d.ts`,
      default: `./dist/library/${module}.js`,
    },
  ]);
  return {
    ".": { types: "./dist/generator/api/index.d.ts", default: "./dist/generator/api/index.js" },
    ...Object.fromEntries(library),
    "./inspector": {
      types: "./dist/tools/inspector/agent/inspector.d.ts",
      default: "./dist/tools/inspector/agent/inspector.js",
    },
    "./package.json": "./package.json",
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(root, "package.json");
  const description = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, `${JSON.stringify({ ...description, exports: packageExports() }, null, 2)}\n`);
}
