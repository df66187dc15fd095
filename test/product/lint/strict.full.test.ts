import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ESLint } from "eslint";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";
import { targets } from "../../../generator/targets/registry.js";
import { findSource, generateFrom, outFolder } from "../../support/output.js";

/** Compiler options of a project: `strict` only, or all options that reveal more to a linter. */
const compilers = {
  "with `strict` alone": {},
  "with every check of the compiler": {
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    noImplicitReturns: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
  },
};

const everyTarget = targets.map(({ name }) => name);

/** Writes a project with the output and the skeleton of a version, and returns its folder. */
async function projectOf(version: string, name: string, compilerOptions: object): Promise<string> {
  const folder = join(outFolder, "lint", name);
  const { files, agent = "" } = await generateFrom(findSource(version), { agentImport: "./a2a", targets: everyTarget });
  const base = { strict: true, target: "es2022", module: "nodenext", types: ["node"], skipLibCheck: true };
  const all = [
    ...files.map(({ path, text }) => ({ path: `a2a/${path}`, text })),
    { path: "agent.ts", text: agent },
    { path: "package.json", text: '{ "type": "module" }' },
    { path: "tsconfig.json", text: JSON.stringify({ compilerOptions: { ...base, ...compilerOptions } }) },
  ];
  for (const { path, text } of all) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Lints a project with the strict rules as typescript-eslint has them, and returns what they find. */
async function lint(folder: string): Promise<string[]> {
  const eslint = new ESLint({
    cwd: folder,
    ignore: false,
    overrideConfigFile: true,
    overrideConfig: defineConfig({
      files: ["**/*.ts"],
      extends: [tseslint.configs.strictTypeChecked],
      languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: folder } },
    }),
  });
  const results = await eslint.lintFiles(["**/*.ts"]);
  expect(results.length).toBeGreaterThan(50);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, ruleId, message }) => `${filePath}:${line} ${ruleId ?? ""} ${message}`),
  );
}

describe.each(Object.entries(compilers))("strictTypeChecked of typescript-eslint, %s", (_, options) => {
  it.each(["1.0", "0.3.0"])(
    "the linter finds nothing in the output and the skeleton of A2A %s",
    async (version) => {
      const name = `${version}-${Object.keys(options).length}`;
      expect(await lint(await projectOf(version, name, options))).toEqual([]);
    },
    300_000,
  );
});
