import { join } from "node:path";
import standaloneCode from "ajv/dist/standalone/index.js";
import Handlebars from "handlebars";
import { readBundledAssets } from "../generator/compiled/assets.js";
import { manifestAjv, manifestSchema } from "../generator/compiled/manifest-validator.js";
import { parseYaml } from "../generator/compiled/yaml.js";
import { compileOptions } from "../generator/render/compile-options.js";
import { filesIn, readFiles } from "../generator/support/files.js";
import { packageFolder } from "../generator/support/package-folder.js";

/** Compiles the modules of `generator/compiled/`: returns what stands in their place in a build, by their names. */
export function compileModules(): Readonly<Record<string, string>> {
  return {
    assets: assetsModule(),
    "manifest-validator": validatorModule(),
    templates: templatesModule(),
    yaml: yamlModule(),
  };
}

/** An expression of JavaScript for a value of JSON, in the form that engines read fastest. */
function jsonExpression(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

/** One string for all, parsed when somebody asks for it. */
function assetsModule(): string {
  const { templates, runtime, kit } = readBundledAssets();
  return `
    export function readBundledAssets() {
      const { templates, runtime, kit } = ${jsonExpression({ templates: [...templates], runtime: [...runtime], kit: [...kit] })};
      return { templates: new Map(templates), runtime: new Map(runtime), kit: new Map(kit) };
    }`;
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

/** What all YAML files of `spec/` hold; the parser of YAML is loaded only for files that are none of these. */
function yamlModule(): string {
  const folder = join(packageFolder, "spec");
  const texts = [...readFiles(folder, filesIn(folder), ".yaml").values()];
  const trees = texts.map((text) => [text, parseYaml(text)]);
  return `
    import { createRequire } from "node:module";
    import { join } from "node:path";
    import { packageFolder } from "./generator/support/package-folder.ts";
    const trees = new Map(${jsonExpression(trees)});
    const load = createRequire(import.meta.url);
    export function parseYaml(text) {
      return trees.get(text) ?? load(join(packageFolder, "dist", "yaml.cjs")).parseYaml(text);
    }`;
}
