import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { libraryModules, withOutputPaths } from "../library/output-paths.mjs";
import { reachableFrom } from "./reachable.mjs";
import { byLine } from "./source-maps.mjs";

/**
 * Compiles the modules that outputs import instead of copies into `dist/library/`: the runtime and
 * the task kit as JavaScript with declarations, and with source maps that lead to `library/`.
 */
export async function buildLibrary(root, dist) {
  const stage = join(root, "build", ".out", "library");
  const target = join(dist, "library");
  for (const folder of [stage, target]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  // Source maps refer to the line numbers of the sources. Copies in an output have an additional
  // header.
  const sources = libraryModules(root);
  for (const [place, module] of sources) {
    const text = readFileSync(join(root, "library", `${module}.ts`), "utf8");
    mkdirSync(dirname(join(stage, place)), { recursive: true });
    writeFileSync(join(stage, `${place}.ts`), withOutputPaths(module, text));
  }
  const exported = exportedFiles(root);
  const entries = exported
    .filter((path) => path.endsWith(".js"))
    .map((path) => path.replace(/\.js$/, ".ts"));
  writeFileSync(join(stage, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(stage, "tsconfig.json"),
    JSON.stringify(configOf(root, stage, target, entries)),
  );
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc");
  const declared = promisify(execFile)(process.execPath, [tsc, "-p", stage], { cwd: root });
  await Promise.all([declared, compile(root, stage, target, modulesIn(stage))]);
  removeUnreachable(exported, target);
  for (const path of filesIn(target)) if (path.endsWith(".d.ts")) halveIndent(join(target, path));
  for (const path of filesIn(target))
    if (path.endsWith(".map")) writeMap(root, stage, join(target, path), sources);
  rmSync(stage, { recursive: true });
}

/**
 * Writes JavaScript with source maps. Comments are only in the declarations. Names are kept and
 * lines are short, so that stack traces are readable without source maps too.
 */
async function compile(root, stage, target, modules) {
  await build({
    absWorkingDir: root,
    entryPoints: modules.map((path) => join(stage, path)),
    outdir: target,
    outbase: stage,
    format: "esm",
    target: "node20.19",
    minifyWhitespace: true,
    lineLimit: 120,
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    logLevel: "warning",
  });
}

/**
 * Removes the modules and declarations that no program can reach from the exports of the package.
 */
function removeUnreachable(exported, target) {
  const used = reachableFrom(exported, target);
  for (const path of filesIn(target))
    if (!used.has(path.replace(/\.map$/, ""))) rmSync(join(target, path));
}

/**
 * Returns the files of the library that the package exports, by their paths in the compiled
 * library.
 */
function exportedFiles(root) {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folder = "./dist/library/";
  const exported = Object.values(exports).flatMap((each) => [each.default, each.types]);
  return exported
    .filter((path) => path?.startsWith(folder))
    .map((path) => path.slice(folder.length));
}

function configOf(root, stage, target, entries) {
  const compilerOptions = {
    rootDir: stage,
    outDir: target,
    declaration: true,
    emitDeclarationOnly: true,
    skipLibCheck: true,
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    typeRoots: [join(root, "node_modules", "@types")],
  };
  return { extends: join(root, "tsconfig.base.json"), compilerOptions, files: entries };
}

function modulesIn(folder) {
  return filesIn(folder).filter((path) => path.endsWith(".ts"));
}

/** Returns the files below a folder, as paths with slashes. */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return entries.map(({ parentPath, name }) =>
    relative(folder, join(parentPath, name)).split(sep).join("/"),
  );
}

/** Indents a declaration by two spaces. The compiler indents by four spaces. */
function halveIndent(path) {
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replaceAll(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2)),
  );
}

/** Points the source map of a module to its source in the package. */
function writeMap(root, stage, path, modules) {
  const map = JSON.parse(readFileSync(path, "utf8"));
  const [staged] = map.sources;
  const place = relative(stage, join(dirname(path), staged))
    .split(sep)
    .join("/");
  const source = join(root, "library", `${modules.get(place.replace(/\.ts$/, ""))}.ts`);
  const sources = [relative(dirname(path), source).split(sep).join("/")];
  const code = readFileSync(path.slice(0, -".map".length), "utf8");
  writeFileSync(path, JSON.stringify(byLine({ ...map, sources }, code)));
}
