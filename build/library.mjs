import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { byLine } from "./source-maps.mjs";

/** The version with whose output the task kit of the library is compiled. */
export const libraryVersion = "1.0";

/** The modules that programs may import, by the name of the subpath. All other modules of the library stay inside. */
export const libraryModules = {
  errors: "errors",
  kit: "kit/unbound",
  "kit/auth/jwt": "kit/auth/jwt",
  "kit/auth/oauth": "kit/auth/oauth",
  "kit/auth/token-file": "kit/auth/token-file",
  "kit/auth/loopback": "kit/auth/loopback",
  "kit/client": "kit/client/unbound",
  "kit/node": "kit/node",
  "kit/otel": "kit/otel",
  "kit/testing": "kit/testing/turn-for",
  "kit/testing/store-contract": "kit/testing/store-contract",
  "kit/stores/postgres": "kit/stores/postgres",
  "kit/stores/redis": "kit/stores/redis",
  "kit/stores/sqlite": "kit/stores/sqlite",
};

/**
 * Compiles the modules that outputs import instead of copies into `dist/library/`: the runtime and the task kit as
 * JavaScript with declarations, and with source maps that lead to `templates/`.
 */
export async function buildLibrary(root, dist) {
  const stage = join(root, "build", ".out", "library");
  const target = join(dist, "library");
  for (const folder of [stage, target]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  cpSync(join(root, "generated", libraryVersion), stage, { recursive: true });
  // Source maps refer to the line numbers of the templates. Copies in an output have an additional header.
  for (const folder of ["runtime", "kit"])
    for (const path of modulesIn(join(root, "templates", folder)))
      cpSync(join(root, "templates", folder, path), join(stage, folder, path));
  const runtime = modulesIn(join(stage, "runtime")).map((path) => join("runtime", path));
  const entries = [...runtime, ...Object.values(libraryModules).map((module) => `${module}.ts`)];
  writeFileSync(join(stage, "package.json"), '{ "type": "module" }');
  writeFileSync(join(stage, "tsconfig.json"), JSON.stringify(configOf(root, stage, target, entries)));
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc");
  const declared = promisify(execFile)(process.execPath, [tsc, "-p", stage], { cwd: root });
  await Promise.all([declared, compile(root, stage, target, modulesIn(stage))]);
  removeUnused(target);
  for (const path of readdirSync(target, { recursive: true, encoding: "utf8" }))
    if (path.endsWith(".map")) writeMap(root, stage, join(target, path));
  rmSync(stage, { recursive: true });
}

/** Writes JavaScript with source maps. Comments are only in the declarations. */
async function compile(root, stage, target, modules) {
  await build({
    absWorkingDir: root,
    entryPoints: modules.map((path) => join(stage, path)),
    outdir: target,
    outbase: stage,
    format: "esm",
    target: "node20.19",
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    logLevel: "warning",
  });
}

/** Removes modules without a declaration, because the library does not import them. */
function removeUnused(target) {
  const files = readdirSync(target, { recursive: true, encoding: "utf8" });
  const declared = new Set(
    files.filter((path) => path.endsWith(".d.ts")).map((path) => path.slice(0, -".d.ts".length)),
  );
  for (const path of files.filter((file) => /\.js(?:\.map)?$/.test(file)))
    if (!declared.has(path.replace(/\.js(?:\.map)?$/, ""))) rmSync(join(target, path));
}

function configOf(root, stage, target, entries) {
  const compilerOptions = {
    ...{ rootDir: stage, outDir: target, declaration: true, emitDeclarationOnly: true, skipLibCheck: true },
    ...{ lib: ["ES2023", "DOM", "DOM.Iterable"], typeRoots: [join(root, "node_modules", "@types")] },
  };
  return { extends: join(root, "tsconfig.base.json"), compilerOptions, files: entries };
}

function modulesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
}

/** Points the source map of a template to the template in the package. The package does not contain other sources. */
function writeMap(root, stage, path) {
  const map = JSON.parse(readFileSync(path, "utf8"));
  const [source] = map.sources.map((each) => join(root, "templates", relative(stage, join(dirname(path), each))));
  if (source !== undefined && existsSync(source)) {
    const sources = [relative(dirname(path), source).split(sep).join("/")];
    return writeFileSync(path, JSON.stringify(byLine({ ...map, sources })));
  }
  rmSync(path);
  const module = path.slice(0, -".map".length);
  writeFileSync(module, readFileSync(module, "utf8").replace(/^\/\/# sourceMappingURL=.*\n?$/m, ""));
}
