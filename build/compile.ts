import { join } from "node:path";
import Handlebars from "handlebars";
import { bundledAssetsHash, readBundledAssets } from "../generator/compiled/assets.js";
import { bundledDigests } from "../generator/input/bundled-digests.js";
import { libraryModules } from "../library/output-paths.mjs";
import { parseYaml } from "../support/yaml.js";
import { compileOptions } from "../generator/render/compile-options.js";
import { filesIn, readFiles } from "../support/files.js";
import { packageFolder } from "../support/package-folder.js";

/** Replacements for the modules of `generator/compiled/` in a build. */
export interface Compiled {
  /** The modules, by their names. */
  readonly modules: Readonly<Record<string, string>>;
  /**
   * Compressed files of `dist/` that the modules read on demand. As modules, they would be parsed
   * at the start.
   */
  readonly files: Readonly<Record<string, string>>;
}

/** Compiles the modules of `generator/compiled/`. */
export function compile(): Compiled {
  const [assets, yaml] = [assetsModule(), yamlModule()];
  return {
    modules: {
      assets: assets.module,
      templates: templatesModule(),
      yaml: yaml.module,
      "bundled-digests": digestsModule(),
      scanner: scannerModule,
    },
    files: { "assets.txt.br": assets.texts.join(""), "yaml.txt.br": yaml.texts.join("") },
  };
}

interface ModuleWithTexts {
  readonly module: string;
  readonly texts: readonly string[];
}

/**
 * Returns the code of a function that reads a file of `dist/`, which contains concatenated texts of
 * known lengths.
 */
const readTexts = `
    import { readFileSync } from "node:fs";
    import { join } from "node:path";
    import { packageFolder } from "./support/package-folder.ts";
    function readTexts(file, lengths) {
      // Most runs do not need this module of Node, which takes time to load.
      const { brotliDecompressSync } = process.getBuiltinModule("node:zlib");
      const all = brotliDecompressSync(readFileSync(join(packageFolder, "dist", file))).toString();
      let end = 0;
      return lengths.map((length) => all.slice(end, (end += length)));
    }`;

/**
 * Compiles assets: a file contains the paths, the imports and the templates. The modules to copy
 * are read from the package on demand, which contains them as the sources of the library.
 */
function assetsModule(): ModuleWithTexts {
  const { templates, runtime, kit } = readBundledAssets();
  const files = libraryModules(packageFolder);
  const importsOf = (modules: typeof kit, prefix: string): unknown =>
    [...modules].map(([path, { imports }]) => [path, files.get(prefix + path), imports]);
  const known = {
    templates: [...templates.keys()],
    runtime: importsOf(runtime, "runtime/"),
    kit: importsOf(kit, ""),
  };
  const texts = [JSON.stringify(known), ...templates.values()];
  return {
    texts,
    module: `${readTexts}
    import { withOutputPaths } from "./library/output-paths.mjs";
    let read;
    /** Returns the paths and imports as JSON, and the templates. */
    function bundled() {
      return (read ??= readTexts("assets.txt.br", [${texts.map(({ length }) => length).join()}]));
    }
    export function bundledTemplates() {
      return bundled().slice(1);
    }
    export function bundledAssetsHash() {
      return ${JSON.stringify(bundledAssetsHash())};
    }
    function modules(known) {
      const read = (file) => withOutputPaths(file, readFileSync(join(packageFolder, "library", file + ".ts"), "utf8"));
      return new Map(known.map(([path, file, imports]) => [path, { get text() { return read(file); }, imports }]));
    }
    export function readBundledAssets() {
      const [known, ...texts] = bundled();
      const { templates, runtime, kit } = JSON.parse(known);
      return {
        templates: new Map(templates.map((path, at) => [path, texts[at]])),
        runtime: modules(runtime),
        kit: modules(kit),
      };
    }`,
  };
}

/** Loads the scanner, which the build bundles separately. */
const scannerModule = `
    import { createRequire } from "node:module";
    import { join } from "node:path";
    import { packageFolder } from "./support/package-folder.ts";
    let loaded;
    export function loadScanner() {
      return (loaded ??= createRequire(import.meta.filename)(join(packageFolder, "dist", "scanner.cjs")));
    }`;

/** Compiles the digests of the bundled specifications to a table. */
function digestsModule(): string {
  return `
    const digests = new Map(${JSON.stringify([...bundledDigests()])});
    export function bundledDigest(spec) {
      return digests.get(spec);
    }`;
}

/** Compiles the templates to functions. Only other templates load the Handlebars compiler. */
function templatesModule(): string {
  const templates = [...readBundledAssets().templates.values()];
  return `
    import runtime from "handlebars/runtime.js";
    import { bundledTemplates } from "./generator/compiled/assets.ts";
    const programs = [${templates.map(programOf).join(",")}];
    export const templatePrograms = new Map(bundledTemplates().map((template, at) => [template, programs[at]]));
    export async function loadHandlebars(templates) {
      for (const template of templates) if (!templatePrograms.has(template)) return (await import("handlebars")).default;
      return runtime;
    }`;
}

function programOf(template: string): string {
  const program: unknown = Handlebars.precompile(template, compileOptions);
  if (typeof program !== "string") throw new Error("Handlebars made no program of a template");
  // Each function of a program has a copy of this function, for runtimes that do not have it. The
  // bundled runtime does.
  return program.replaceAll(
    /lookupProperty = container\.lookupProperty \|\| function\([^)]*\) \{.*?\n\s*\}(?=[,;])/gs,
    "lookupProperty = container.lookupProperty",
  );
}

/**
 * Compiles the YAML files of `spec/` to their contents and texts, read on demand. Only other files
 * load the parser.
 */
function yamlModule(): ModuleWithTexts {
  const folder = join(packageFolder, "spec");
  const files = [...readFiles(folder, filesIn(folder), ".yaml").values()].map((text) => ({
    text,
    tree: parseYaml(text),
  }));
  const texts = files.flatMap(({ text, tree: { value, offsets, scalars } }) => [
    text,
    JSON.stringify(scalars),
    JSON.stringify({ value, offsets }),
  ]);
  return {
    texts,
    module: `${readTexts}
    import { createRequire } from "node:module";
    const load = createRequire(import.meta.filename);
    function treeOf(scalars, json) {
      let parsed;
      const tree = () => (parsed ??= JSON.parse(json));
      return {
        errors: [],
        get scalars() { return JSON.parse(scalars); },
        get value() { return tree().value; },
        get offsets() { return tree().offsets; },
      };
    }
    function readTrees() {
      const texts = readTexts("yaml.txt.br", [${texts.map(({ length }) => length).join()}]);
      const trees = new Map();
      for (let at = 0; at < texts.length; at += 3) trees.set(texts[at], treeOf(texts[at + 1], texts[at + 2]));
      return trees;
    }
    let trees;
    export function parseYaml(text) {
      trees ??= readTrees();
      return trees.get(text) ?? load(join(packageFolder, "dist", "yaml.cjs")).parseYaml(text);
    }`,
  };
}
