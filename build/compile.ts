import { join } from "node:path";
import standaloneCode from "ajv/dist/standalone/index.js";
import Handlebars from "handlebars";
import { readBundledAssets } from "../generator/compiled/assets.js";
import { manifestAjv, manifestSchema } from "../generator/compiled/manifest-validator.js";
import { parseYaml } from "../generator/compiled/yaml.js";
import { compileOptions } from "../generator/render/compile-options.js";
import { filesIn, readFiles } from "../generator/support/files.js";
import { packageFolder } from "../generator/support/package-folder.js";

/** What stands in the place of the modules of `generator/compiled/` in a build. */
export interface Compiled {
  /** The modules, by their names. */
  readonly modules: Readonly<Record<string, string>>;
  /** Compressed files of `dist/` that the modules read when they are asked for what is in there: a module would be parsed first. */
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

/** An expression of JavaScript for a value of JSON, in the form that engines read fastest. */
function jsonExpression(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

/** A function that reads a file of `dist/`, which is texts of known lengths in a row. */
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

/** The paths and imports in the module, and the texts in a file. */
function assetsModule(): ModuleWithTexts {
  const { templates, runtime, kit } = readBundledAssets();
  const texts = [...templates.values(), ...[...runtime.values(), ...kit.values()].map(({ text }) => text)];
  const importsOf = (modules: typeof kit): unknown => [...modules].map(([path, { imports }]) => [path, imports]);
  const known = { templates: [...templates.keys()], runtime: importsOf(runtime), kit: importsOf(kit) };
  return {
    texts,
    module: `${readTexts}
    export function readBundledAssets() {
      const { templates, runtime, kit } = ${jsonExpression(known)};
      const texts = readTexts("assets.txt.br", [${texts.map(({ length }) => length).join()}]).values();
      const modules = (paths) => new Map(paths.map(([path, imports]) => [path, { text: texts.next().value, imports }]));
      return { templates: new Map(templates.map((path) => [path, texts.next().value])), runtime: modules(runtime), kit: modules(kit) };
    }`,
  };
}

/** The schema of manifests as a function, without Ajv. */
function validatorModule(): string {
  const code = standaloneCode.default(manifestAjv, manifestAjv.compile(manifestSchema));
  return `${code}
    export function validateManifest(value) {
      return validate(value) ? [] : (validate.errors ?? []);
    }`;
}

/** The templates as functions; the compiler of Handlebars is loaded only for templates that are none of these. */
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
 * What all YAML files of `spec/` hold, next to their texts. The parser is loaded only for files that are none of these, and
 * what a file holds is looked at only when somebody asks for more than its scalars.
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
