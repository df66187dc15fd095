#!/usr/bin/env node
// Builds the package into dist/: npm run build. Types, lint rules and tests read the sources of the
// library instead.
import { execFile } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { compiled } from "./compiled.mjs";
import { declare } from "./declarations.mjs";
import { buildInspector } from "./inspector.mjs";
import { buildLibrary } from "./library.mjs";
import { lean } from "./lean.mjs";
import { writeLicenses } from "./licenses.mjs";
import { bundledPackages } from "./packages.mjs";
import { scannerOnly } from "./scanner.mjs";
import { writeSbom } from "./sbom.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/**
 * Bundles the command line and the API. Code that only some runs need becomes separate chunks,
 * which are loaded on demand.
 */
async function bundleMain() {
  const { metafile } = await build({
    ...options,
    entryPoints: [
      "generator/api/index.ts",
      "generator/cli/run.ts",
      "tools/a2a/main.ts",
      "tools/inspector/agent/inspector.ts",
    ],
    outdir: "dist",
    outbase: ".",
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: "esm",
    // The compiler inside ts-morph is larger than all other code, and most runs do not load it. The
    // package contains the library, and users install the packages for gRPC and OAuth if they need
    // them.
    external: ["ts-morph", "a2a-codegen-runtime/*", "@grpc/grpc-js", "oauth4webapi"],
    // The main module of the package loads other modules in a way that bundlers cannot follow.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    plugins: [compiled(root, dist), lean],
    // CommonJS packages load Node modules with `require`.
    banner: {
      js:
        'import { createRequire as $require } from "node:module"; const require = ' +
        "$require(import.meta.url);",
    },
  });
  return metafile;
}

/**
 * Bundles the YAML parser separately, as CommonJS, so that a synchronous function can load it on
 * demand.
 */
async function bundleYaml() {
  const entryPoints = ["support/yaml.ts"];
  const { metafile } = await build({
    ...options,
    entryPoints,
    outfile: "dist/yaml.cjs",
    format: "cjs",
  });
  return metafile;
}

/** Bundles the scanner of TypeScript separately, which some runs load. */
async function bundleScanner() {
  const names = "createScanner, LanguageVariant, ScriptTarget, SyntaxKind";
  const contents = `export { ${names} } from "typescript";`;
  const { metafile } = await build({
    ...options,
    stdin: { contents, resolveDir: root },
    outfile: "dist/scanner.cjs",
    format: "cjs",
    plugins: [scannerOnly],
  });
  return metafile;
}

/**
 * Bundles the first files of the command line as CommonJS, which loads faster than ES modules: the
 * main module, and the module for runs in which the output is up to date. They load other modules
 * of the package only if they hand over to the whole program.
 */
async function bundleStart() {
  const cjs = {
    ...options,
    format: "cjs",
    outdir: "dist",
    outbase: ".",
    outExtension: { ".js": ".cjs" },
    define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
  };
  const [main, upToDate] = await Promise.all([
    build({
      ...cjs,
      entryPoints: ["generator/cli/main.ts"],
      external: ["./run.js"],
    }),
    build({
      ...cjs,
      entryPoints: ["generator/cli/up-to-date.ts"],
      plugins: [compiled(root, dist), noDynamicImports],
    }),
  ]);
  return { outputs: { ...main.metafile.outputs, ...upToDate.metafile.outputs } };
}

/** Replaces dynamic imports by errors, because they belong to the whole program. */
const noDynamicImports = {
  name: "no-dynamic-imports",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^:]*$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, namespace: "whole-program" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "whole-program" }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} belongs to the whole program`)});`,
    }));
  },
};

/** Writes the help of the command line to a file, which the main module prints. */
async function writeHelp() {
  const script = 'import("./dist/generator/cli/run.js").then(({ run }) => run(["--help"], "."))';
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { cwd: root });
  writeFileSync(join(dist, "generator", "cli", "help.txt"), stdout);
}

async function bundle() {
  const metafiles = await Promise.all([bundleMain(), bundleYaml(), bundleScanner(), bundleStart()]);
  const outputs = Object.assign({}, ...metafiles.map((metafile) => metafile.outputs));
  removeStale(Object.keys(outputs).map((path) => relative("dist", path)));
  await writeHelp();
  const packages = bundledPackages(root, outputs);
  writeLicenses(packages, join(dist, "LICENSES.txt"));
  writeSbom(root, packages, join(dist, "sbom.cdx.json"));
}

/** Removes the modules of earlier builds. */
function removeStale(current) {
  const modules = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".js"),
  );
  for (const path of modules.filter((path) => !current.includes(path))) rmSync(join(dist, path));
}

try {
  await Promise.all([
    buildLibrary(root),
    bundle(),
    declare(root, dist),
    buildInspector(root, dist),
  ]);
} catch (error) {
  console.error(error.stdout || error.message);
  process.exitCode = 1;
}
