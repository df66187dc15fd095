import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runInThisContext } from "node:vm";
import Handlebars from "handlebars";
import { templatePrograms, type TemplateProgram } from "../../generator/compiled/templates.js";
import { compileOptions } from "../../generator/render/compile-options.js";
import { loadAssets } from "../../generator/project/assets.js";
import { packageFolder } from "../../support/package-folder.js";
import { unchecked } from "../../generator/core/headers.js";
import { generate } from "../../generator/core/generate.js";
import type { Generated, GenerateOptions } from "../../generator/core/contract.js";
import type { SpecSource } from "../../generator/input/source.js";
import { specRegistry } from "../../generator/input/registry.js";
import { libraryName } from "../../generator/core/package-names.js";
import { defaultTargets } from "../../generator/targets/registry.js";

/**
 * The folder of everything that tests generate: inside the package, so that its dependencies are
 * found.
 */
export const outRoot = join(packageFolder, "test", ".out");

/** Folder for generated files of this run. */
export const outFolder = process.env["TEST_OUT"] ?? outRoot;

const assets = loadAssets();

// As in a build, the bundled templates are compiled once, and not for each output.
const programs = templatePrograms as Map<string, TemplateProgram>;
for (const template of assets.templates.values()) {
  const program = Handlebars.precompile(template, compileOptions) as string;
  programs.set(template, runInThisContext(`(${program})`) as TemplateProgram);
}

/**
 * A specification that consists of texts; `proto` is the main file, `files` are what it may import.
 */
export function sourceOf(
  proto: string,
  files: Readonly<Record<string, string>> = {},
  manifest?: string,
): SpecSource {
  return {
    title: "test.proto",
    proto: { file: "test.proto", text: proto },
    manifests: manifest === undefined ? [] : [{ file: "manifest.yaml", text: manifest }],
    docs: [],
    borrowed: false,
    readImport: (path) =>
      files[path] === undefined ? undefined : { file: path, text: files[path] },
  };
}

const registry = specRegistry(packageFolder);
const bundled = new Map(registry.list().map(({ id }) => [id, registry.find(id)]));

/**
 * Finds a specification by version or path, as the command line does. Each call for a bundled
 * version returns the same object.
 */
export function findSource(spec: string, manifest?: string): SpecSource {
  const found = manifest === undefined ? bundled.get(spec) : undefined;
  return found ?? registry.find(spec, manifest === undefined ? {} : { manifest });
}

/** Generates without writing. */
export async function generateFrom(
  source: SpecSource,
  options: Partial<GenerateOptions> = {},
): Promise<Generated> {
  return await generate(source, assets, {
    targets: defaultTargets(),
    importExtension: "js",
    aliases: "all",
    generator: "0.0.0",
    ...options,
  });
}

/** Options for outputs that tests load: they import the library, as users get them by default. */
export const libraryOptions: Partial<GenerateOptions> = { runtimeImport: libraryName };

/** The text of one generated file. */
export function textOf({ files }: Generated, path: string): string {
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined)
    throw new Error(
      `The output does not contain ${path}; it contains ${files.map((candidate) => candidate.path).join(", ")}`,
    );
  return file.text;
}

/** The text of a generated module, and of the files that it has been split into. */
export function moduleText({ files }: Generated, module: string): string {
  const parts = files.filter(
    ({ path }) => path === `${module}.ts` || path.startsWith(`${module}/`),
  );
  return parts.map(({ text }) => text).join("\n");
}

/**
 * Writes generated files into a new folder below {@link outFolder} and returns its path. Compilers
 * check all of their code, in contrast to users' projects.
 */
export function writeTo(name: string, { files }: Pick<Generated, "files">): string {
  const folder = join(outFolder, name);
  for (const { path, text } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replace(` ${unchecked}`, ""));
  }
  return folder;
}
