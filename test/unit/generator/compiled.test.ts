import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type * as api from "../../../generator/api/index.js";
import { importsOf } from "../../../generator/compiled/runtime-module.js";
import { YamlFile } from "../../../generator/input/manifest/yaml-file.js";
import { parseYaml } from "../../../generator/compiled/yaml.js";
import { loadAssets } from "../../../generator/project/assets.js";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { Diagnostics } from "../../../generator/support/diagnostics.js";
import { moduleText, textOf } from "../../support/output.js";

/** The API as it is built. */
async function builtApi(): Promise<typeof api> {
  return (await import(pathToFileURL(join(packageFolder, "dist/generator/api/index.js")).href)) as typeof api;
}

describe("the build", () => {
  it("holds the templates and the runtime as they are in the repository", async () => {
    const { loadAssets: loadBuilt } = await builtApi();
    const { librarySource, ...built } = loadBuilt();
    const { librarySource: ownSource, ...own } = loadAssets();
    expect(built).toEqual(own);
    expect(librarySource?.().title).toBe(ownSource?.().title);
  });

  it("generates with a template that it has not compiled", async () => {
    const { generate, loadAssets: loadBuilt, specRegistry } = await builtApi();
    const assets = loadBuilt();
    const templates = new Map([...assets.templates, ["index", "{{header}}\n// mine\n"]]);
    const generated = await generate(specRegistry().find("1.0"), { targets: ["models"] }, { ...assets, templates });
    expect(textOf(generated, "index.ts")).toMatch(/\n\/\/ mine\n$/);
    expect(moduleText(generated, "models")).toContain("export interface Task ");
  });

  it("reports the same problem of a manifest at the same location as the sources do", async () => {
    const { readProtocol, specRegistry } = await builtApi();
    const source = specRegistry().find("1.0");
    const broken = { file: "m.yaml", text: "errors:\n  TaskNotFoundError: { http: 200 }\n" };
    expect(() => readProtocol({ ...source, manifests: [...source.manifests, broken] })).toThrow(
      'm.yaml:2:30: "errors.TaskNotFoundError.http" must be >= 400. Correct the value.',
    );
  });
});

describe("the imports of a module of the runtime", () => {
  const { runtime } = loadAssets();

  it.each([...runtime.keys()])("are those that TypeScript finds in %s", (path) => {
    const { text = "", imports = [] } = runtime.get(path) ?? {};
    const specifiers = imports.map(({ start, end }) => text.slice(start, end));
    const { importedFiles } = ts.preProcessFile(text);
    expect(specifiers).toEqual(importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith(".")));
    for (const { module } of imports) expect(runtime.has(module), module).toBe(true);
  });

  it("include dynamic imports anywhere", () => {
    const text =
      'import { a } from "./a.js";\nexport const b = () => import("../b.js").then(({ c }) => c("./d.js"));\n';
    const found = importsOf("folder/module", text);
    expect(found.map(({ module }) => module)).toEqual(["folder/a", "b"]);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(["./a.js", "../b.js"]);
  });

  it("end where the first statement begins that is none", () => {
    const text =
      '// A "comment"; one.\nimport { a } from "./a.js";\nexport * from "../b.js";\nexport const c = "./c.js";\n';
    expect(importsOf("folder/module", text).map(({ module }) => module)).toEqual(["folder/a", "b"]);
  });
});

describe("a YAML file", () => {
  const spec = join(packageFolder, "spec");
  const files = readdirSync(spec, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));

  it.each(files)("spec/%s survives as JSON, with all values and locations", (file) => {
    const tree = parseYaml(readFileSync(join(spec, file), "utf8"));
    expect(tree.errors).toEqual([]);
    expect(JSON.parse(JSON.stringify(tree))).toEqual(tree);
  });

  it("knows the locations of keys, of list items and of keys that all objects have", () => {
    const file = new YamlFile({ file: "a.yaml", text: "a:\n  - b: 1\n    a/b: 2\n__proto__: 3\n" });
    expect(file.locationOf(["a", "0", "b"])).toEqual({ file: "a.yaml", line: 2, column: 8 });
    expect(file.locationOf(["a", "0", "a/b"])).toEqual({ file: "a.yaml", line: 3, column: 10 });
    expect(file.locationOf(["__proto__"])).toEqual({ file: "a.yaml", line: 4, column: 12 });
    expect(file.locationOf(["toString"])).toBeUndefined();
  });

  it("reports an alias that leads nowhere as a problem of the file", () => {
    const diagnostics = new Diagnostics();
    expect(new YamlFile({ file: "a.yaml", text: "a: *b" }).value(diagnostics)).toBeUndefined();
    expect(() => diagnostics.throwIfAny()).toThrow("a.yaml: the manifest is no YAML: ");
  });
});
