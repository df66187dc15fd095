import { join } from "node:path";
import standaloneCode from "ajv/dist/standalone/index.js";
import Handlebars from "handlebars";
import { readBundledAssets } from "../generator/compiled/assets.js";
import { manifestAjv, manifestSchema } from "../generator/compiled/manifest-validator.js";
import { parseYaml } from "../generator/compiled/yaml.js";
import { compileOptions } from "../generator/render/compile-options.js";
import { filesIn, readFiles } from "../generator/support/files.js";
import { packageFolder } from "../generator/support/package-folder.js";

/** Replacements for the modules of `generator/compiled/` in a build. */
export interface Compiled {
  /** The modules, by their names. */
  readonly modules: Readonly<Record<string, string>>;
  /** Compressed files of `dist/` that the modules read on demand. As modules, they would be parsed at the start. */
  readonly files: Readonly<Record<string, string>>;
}

/** Compiles the modules of `generator/compiled/`. */
export function compile(): Compiled {
  const [assets, yaml] = [assetsModule(), yamlModule()];
  return {
    modules: {
      assets: assets.module,
      "manifest-validator": validatorModule(),
      templates: templatesModule(),
      yaml: yaml.module,
    },
    files: { "assets.txt.br": assets.texts.join(""), "yaml.txt.br": yaml.texts.join("") },
  };
}

interface ModuleWithTexts {
  readonly module: string;
  readonly texts: readonly string[];
}

/** Returns a JavaScript expression for a JSON value, in the form that engines parse fastest. */
function jsonExpression(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

/** Returns the code of a function that reads a file of `dist/`, which contains concatenated texts of known lengths. */
const readTexts = `
    import { readFileSync } from "node:fs";
    import { join } from "node:path";
    import { brotliDecompressSync } from "node:zlib";
    import { packageFolder } from "./generator/support/package-folder.ts";
    function readTexts(file, lengths) {
      const all = brotliDecompressSync(readFileSync(join(packageFolder, "dist", file))).toString();
      let end = 0;
      return lengths.map((length) => all.slice(end, (end += length)));
    }`;

/**
 * Compiles assets: the module contains paths and imports, and a file contains the templates. The modules to copy are read
 * from the package on demand, which contains them as the sources of the library.
 */
function assetsModule(): ModuleWithTexts {
  const { templates, runtime, kit } = readBundledAssets();
  const importsOf = (modules: typeof kit): unknown => [...modules].map(([path, { imports }]) => [path, imports]);
  const known = { templates: [...templates.keys()], runtime: importsOf(runtime), kit: importsOf(kit) };
  const texts = [...templates.values()];
  return {
    texts,
    module: `${readTexts}
    function modules(folder, known) {
      const read = (path) => readFileSync(join(packageFolder, folder, path + ".ts"), "utf8");
      return new Map(known.map(([path, imports]) => [path, { get text() { return read(path); }, imports }]));
    }
    export function readBundledAssets() {
      const { templates, runtime, kit } = ${jsonExpression(known)};
      const texts = readTexts("assets.txt.br", [${texts.map(({ length }) => length).join()}]);
      return {
        templates: new Map(templates.map((path, at) => [path, texts[at]])),
        runtime: modules("templates/runtime", runtime),
        kit: modules("templates", kit),
      };
    }`,
  };
}

/** Compiles the manifest schema to a function that does not require Ajv. */
function validatorModule(): string {
  const code = standaloneCode.default(manifestAjv, manifestAjv.compile(manifestSchema));
  return `${code}
    export function validateManifest(value) {
      return validate(value) ? [] : (validate.errors ?? []);
    }`;
}

/** Compiles the templates to functions. Only other templates load the Handlebars compiler. */
function templatesModule(): string {
  const templates = [...readBundledAssets().templates.values()];
  const programs = templates.map((template) => `[${JSON.stringify(template)}, ${programOf(template)}]`);
  return `
    import runtime from "handlebars/runtime.js";
    export const templatePrograms = new Map([${programs.join(",")}]);
    export async function loadHandlebars(templates) {
      for (const template of templates) if (!templatePrograms.has(template)) return (await import("handlebars")).default;
      return runtime;
    }`;
}

function programOf(template: string): string {
  const program: unknown = Handlebars.precompile(template, compileOptions);
  if (typeof program !== "string") throw new Error("Handlebars made no program of a template");
  return program;
}

/**
 * Compiles the YAML files of `spec/` to their contents and texts. Only other files load the parser. More than the
 * scalars of a file is only read on demand.
 */
function yamlModule(): ModuleWithTexts {
  const folder = join(packageFolder, "spec");
  const files = [...readFiles(folder, filesIn(folder), ".yaml").values()].map((text) => ({
    text,
    tree: parseYaml(text),
  }));
  const texts = files.flatMap(({ text, tree: { value, offsets } }) => [text, JSON.stringify({ value, offsets })]);
  return {
    texts,
    module: `${readTexts}
    import { createRequire } from "node:module";
    const load = createRequire(import.meta.url);
    function treeOf(scalars, json) {
      let parsed;
      const tree = () => (parsed ??= JSON.parse(json));
      return { scalars, errors: [], get value() { return tree().value; }, get offsets() { return tree().offsets; } };
    }
    function readTrees() {
      const texts = readTexts("yaml.txt.br", [${texts.map(({ length }) => length).join()}]);
      const scalars = ${jsonExpression(files.map(({ tree }) => tree.scalars))};
      return new Map(scalars.map((each, at) => [texts[2 * at], treeOf(each, texts[2 * at + 1])]));
    }
    let trees;
    export function parseYaml(text) {
      trees ??= readTrees();
      return trees.get(text) ?? load(join(packageFolder, "dist", "yaml.cjs")).parseYaml(text);
    }`,
  };
}
