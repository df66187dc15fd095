import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type * as api from "../../../generator/api/index.js";
import type { Scanning } from "../../../generator/compiled/scanner.js";
import { importsOf } from "../../../generator/compiled/runtime-module.js";
import { YamlFile } from "../../../generator/input/manifest/yaml-file.js";
import { parseYaml } from "../../../support/yaml.js";
import { loadAssets } from "../../../generator/project/assets.js";
import { packageFolder } from "../../../support/package-folder.js";
import { Diagnostics } from "../../../support/diagnostics.js";
import { filesIn } from "../../../support/files.js";
import { moduleText, textOf } from "../../support/output.js";
import { Random } from "../../support/random/random.js";
import { seed } from "../../support/seed.js";

/** The built API. */
async function builtApi() {
  return (await import(
    pathToFileURL(join(packageFolder, "dist/generator/api/index.js")).href
  )) as typeof api;
}

describe("the build", () => {
  it("the package contains the templates and the runtime of the repository unchanged", async () => {
    const { loadAssets: loadBuilt } = await builtApi();
    const { librarySource, ...built } = loadBuilt();
    const { librarySource: ownSource, ...own } = loadAssets();
    expect(built).toEqual(own);
    expect(librarySource?.().title).toBe(ownSource?.().title);
  });

  it("the generator can use a template that is not precompiled", async () => {
    const { generate, loadAssets: loadBuilt, specRegistry } = await builtApi();
    const assets = loadBuilt();
    const templates = new Map([...assets.templates, ["index", "{{header}}\n// mine\n"]]);
    const generated = await generate(
      specRegistry().find("1.0"),
      { targets: ["models"] },
      { ...assets, templates },
    );
    expect(textOf(generated, "index.ts")).toMatch(/\n\/\/ mine\n$/);
    expect(moduleText(generated, "models")).toContain("export interface Task ");
  });

  it("a manifest error has the same location with compiled and with source files", async () => {
    const { readProtocol, specRegistry } = await builtApi();
    const source = specRegistry().find("1.0");
    const broken = { file: "m.yaml", text: "errors:\n  TaskNotFoundError: { http: 200 }\n" };
    expect(() => readProtocol({ ...source, manifests: [...source.manifests, broken] })).toThrow(
      'm.yaml:2:30: "errors.TaskNotFoundError.http" must be at least 400. Correct it.',
    );
  });
});

describe("the scanner in the build", () => {
  const built = createRequire(import.meta.url)(
    join(packageFolder, "dist", "scanner.cjs"),
  ) as Scanning;

  /** Returns the tokens of a source, or the message of an error. */
  function tokensOf(scanning: Scanning, source: string): string[] {
    const { createScanner, LanguageVariant, ScriptTarget, SyntaxKind } = scanning;
    const scanner = createScanner(ScriptTarget.ESNext, false, LanguageVariant.Standard, source);
    const found: string[] = [];
    for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
      if (kind === SyntaxKind.SlashToken) kind = scanner.reScanSlashToken();
      if (kind === SyntaxKind.CloseBraceToken) kind = scanner.reScanTemplateToken(false);
      found.push(`${SyntaxKind[kind]} ${scanner.getTokenText()}`);
    }
    return found;
  }

  it("the scanner returns the tokens of TypeScript for the sources of the generator", () => {
    const folder = join(packageFolder, "generator");
    for (const path of filesIn(folder).filter((file) => file.endsWith(".ts"))) {
      const text = readFileSync(join(folder, path), "utf8");
      expect(tokensOf(built, text), path).toEqual(tokensOf(ts, text));
    }
  });

  it("the scanner returns the tokens of TypeScript for invalid sources", () => {
    const random = new Random(seed);
    const parts = [
      ...Array.from("\\/'\"`${}()[]<>|&?:;,.!=+-*%@#~^ \n\r\t0179eEnxbo_aüß中😀\0\u2028\ufeff"),
      ...[
        "/*",
        "*/",
        "//",
        "0x",
        "1e",
        "\\u",
        "\\u{",
        "<<<<<<< ",
        "=======",
        "#!",
        "/[",
        "(?<",
        "\\p{",
      ],
    ];
    for (let index = 0; index < 5_000; index += 1) {
      const source = random.list(30, () => random.pick(parts)).join("");
      expect(tokensOf(built, source), `seed ${seed}: ${source}`).toEqual(tokensOf(ts, source));
    }
  });
});

describe("the imports of a module of the runtime", () => {
  const { runtime } = loadAssets();

  it.each([...runtime.keys()])(
    "the imports that the build finds in %s are the imports that TypeScript finds",
    (path) => {
      const { text = "", imports = [] } = runtime.get(path) ?? {};
      const specifiers = imports.map(({ start, end }) => text.slice(start, end));
      const { importedFiles } = ts.preProcessFile(text);
      expect(specifiers).toEqual(
        importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith(".")),
      );
      for (const { module } of imports) expect(runtime.has(module), module).toBe(true);
    },
  );

  it("the search for imports also finds dynamic imports", () => {
    const text =
      'import { a } from "./a.js";\nexport const b = () => import("../b.js").then(({ c }) => c("./d.js"));\n';
    const found = importsOf("folder/module", text);
    expect(found.map(({ module }) => module)).toEqual(["folder/a", "b"]);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(["./a.js", "../b.js"]);
  });

  it("the search for imports ends at the first other statement", () => {
    const text =
      '// A "comment"; one.\nimport { a } from "./a.js";\nexport * from "../b.js";\nexport const c = "./c.js";\n';
    expect(importsOf("folder/module", text).map(({ module }) => module)).toEqual(["folder/a", "b"]);
  });
});

describe("a YAML file", () => {
  const spec = join(packageFolder, "spec");
  const files = readdirSync(spec, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".yaml"),
  );

  it.each(files)("spec/%s keeps all values and locations as JSON", (file) => {
    const tree = parseYaml(readFileSync(join(spec, file), "utf8"));
    expect(tree.errors).toEqual([]);
    expect(JSON.parse(JSON.stringify(tree))).toEqual(tree);
  });

  it("a YAML file has the locations of keys, list items and keys that all objects inherit", () => {
    const file = new YamlFile({ file: "a.yaml", text: "a:\n  - b: 1\n    a/b: 2\n__proto__: 3\n" });
    expect(file.locationOf(["a", "0", "b"])).toEqual({ file: "a.yaml", line: 2, column: 8 });
    expect(file.locationOf(["a", "0", "a/b"])).toEqual({ file: "a.yaml", line: 3, column: 10 });
    expect(file.locationOf(["__proto__"])).toEqual({ file: "a.yaml", line: 4, column: 12 });
    expect(file.locationOf(["toString"])).toBeUndefined();
  });

  it("an alias without an anchor is reported as an error of the file", () => {
    const diagnostics = new Diagnostics();
    expect(new YamlFile({ file: "a.yaml", text: "a: *b" }).value(diagnostics)).toBeUndefined();
    expect(() => diagnostics.throwIfAny()).toThrow("a.yaml: the manifest is not valid YAML: ");
  });
});
