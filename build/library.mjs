import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { libraryModules } from "../library/output-paths.mjs";
import { reachableFrom } from "./reachable.mjs";
import { byLine } from "./source-maps.mjs";

/**
 * Compiles the library into `library/dist/`: JavaScript with declarations, and with source maps
 * that name the lines of its sources.
 */
export async function buildLibrary(root) {
  const library = join(root, "library");
  const target = join(library, "dist");
  rmSync(target, { recursive: true, force: true });
  const exported = exportedFiles(library);
  const sources = exported
    .filter((path) => path.endsWith(".js"))
    .map((path) => join(library, path.replace(/\.js$/, ".ts")));
  const out = join(root, "build", ".out");
  const config = join(out, "library.tsconfig.json");
  mkdirSync(out, { recursive: true });
  writeFileSync(config, JSON.stringify(configOf(root, library, target, sources)));
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc");
  const declared = promisify(execFile)(process.execPath, [tsc, "-p", config], { cwd: root });
  const modules = [...libraryModules(root).values()].map((module) => join(library, `${module}.ts`));
  await Promise.all([declared, compile(library, target, modules)]);
  removeUnreachable(exported, target);
  for (const path of filesIn(target)) {
    if (path.endsWith(".d.ts")) halveIndent(join(target, path));
    if (path.endsWith(".map")) writeMap(join(target, path));
  }
}

/**
 * Writes JavaScript with source maps. Comments are only in the declarations. Names are kept and
 * lines are short, so that stack traces are readable without source maps too.
 */
async function compile(library, target, modules) {
  const { outputFiles } = await build({
    absWorkingDir: library,
    entryPoints: modules,
    outdir: target,
    outbase: library,
    format: "esm",
    target: "node20.19",
    minifyWhitespace: true,
    lineLimit: 120,
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    logLevel: "warning",
    write: false,
    plugins: [{ name: "pure", setup: markPure }],
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith(".js") ? withPure(text) : text);
  }
}

/**
 * Calls `pureMark` with the function of each call that is marked as free of side effects, because
 * esbuild omits the mark if it minifies whitespace. Without it, bundlers keep unused types.
 */
function markPure({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, ({ path }) => ({
    loader: "ts",
    contents: readFileSync(path, "utf8").replaceAll(
      /\/\* @__PURE__ \*\/ (new )?([\w.]+)/g,
      (_, created = "", name) => `${created}${pureMark}(${name})`,
    ),
  }));
}

/** As long as the mark without its brackets, so that positions in source maps stay valid. */
const pureMark = "__PURE_____";

/**
 * Replaces each call of `pureMark` by the mark. Keeps line breaks, which esbuild inserts anywhere,
 * and the length of the last line, because source maps contain both.
 */
function withPure(text) {
  const call = new RegExp(`(new\\s)?${pureMark}\\((\\s*)([\\w.]+)(\\s*)\\)`, "g");
  const lastLine = (part) => part.slice(part.lastIndexOf("\n") + 1);
  return text.replaceAll(call, (whole, created = "", before, name, after) => {
    const marked = `/*@__PURE__*/${created}${before}${name}${after}`;
    return marked + " ".repeat(Math.max(0, lastLine(whole).length - lastLine(marked).length));
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

/** Returns the files that the library exports, by their paths below `dist/`. */
function exportedFiles(library) {
  const { exports } = JSON.parse(readFileSync(join(library, "package.json"), "utf8"));
  const folder = "./dist/";
  const exported = Object.values(exports).flatMap((entry) => [entry.default, entry.types]);
  return exported
    .filter((path) => path?.startsWith(folder))
    .map((path) => path.slice(folder.length));
}

function configOf(root, library, target, files) {
  const compilerOptions = {
    rootDir: library,
    outDir: target,
    declaration: true,
    emitDeclarationOnly: true,
    skipLibCheck: true,
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    typeRoots: [join(root, "node_modules", "@types")],
  };
  return { extends: join(root, "tsconfig.base.json"), compilerOptions, files };
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

/** Keeps the lines of a source map, which stack traces show. */
function writeMap(path) {
  const map = JSON.parse(readFileSync(path, "utf8"));
  const code = readFileSync(path.slice(0, -".map".length), "utf8");
  writeFileSync(path, JSON.stringify(byLine(map, code)));
}
