import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ESLint } from "eslint";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import { expect, it } from "vitest";
import type { GenerateOptions } from "../../../generator/core/contract.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { packageFolder } from "../../../support/package-folder.js";
import { libraryName } from "../../../generator/core/package-names.js";
import { targets } from "../../../generator/targets/registry.js";
import { findSource, generateFrom, outFolder } from "../../support/output.js";
import { linkLibrary } from "../../support/linked.js";

const everyTarget = targets.map(({ name }) => name);

/** Specifications by name: two versions of A2A, and services in several packages. */
const sources = {
  "A2A 1.0": findSource("1.0"),
  "A2A 0.3.0": findSource("0.3.0"),
  "several packages": specRegistry(packageFolder).packages(["test/fixtures/services/packages"]),
};

/**
 * Writes a project with the output and the skeleton of a specification, and returns its folder.
 * `npm run lint` uses the same rules with all other checks of the compiler for `generated/` and
 * `templates/`, but a project may have `strict` alone.
 */
async function projectOf(name: keyof typeof sources, options: Partial<GenerateOptions>) {
  const folder = join(outFolder, "lint", name.replaceAll(" ", "-"));
  const given = { agentImport: "./a2a", targets: everyTarget, ...options };
  const { files, agent = "", implementations } = await generateFrom(sources[name], given);
  const compilerOptions = {
    strict: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    skipLibCheck: true,
  };
  const all = [
    ...files.map(({ path, text }) => ({ path: `a2a/${path}`, text })),
    { path: "agent.ts", text: agent },
    ...implementations,
    { path: "package.json", text: '{ "type": "module" }' },
    { path: "tsconfig.json", text: JSON.stringify({ compilerOptions }) },
  ];
  for (const { path, text } of all) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  linkLibrary(folder);
  return folder;
}

/** Names of the rules below, and of the rule that some files of the output disable. */
const isTried = /^@typescript-eslint\/(?:ban-ts-comment|no-(?:unnecessary|redundant|meaningless))/;

/**
 * The strict rules that find more if types have fewer checks: an expression is only unnecessary
 * without `undefined` in a type. `npm run lint` has all rules for the same modules.
 */
const rules = Object.fromEntries(
  tseslint.configs.strictTypeChecked
    .flatMap(({ rules = {} }) => Object.entries(rules))
    .filter(([name]) => isTried.test(name)),
);

/** Lints a project with these rules, and returns what they find. */
async function lint(folder: string): Promise<string[]> {
  const eslint = new ESLint({
    cwd: folder,
    ignore: false,
    overrideConfigFile: true,
    overrideConfig: defineConfig({
      files: ["**/*.ts"],
      extends: [tseslint.configs.base],
      rules,
      languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: folder } },
    }),
  });
  const results = await eslint.lintFiles(["**/*.ts"]);
  expect(results.length).toBeGreaterThan(40);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, ruleId, message }) => `${filePath}:${line} ${ruleId ?? ""} ${message}`),
  );
}

// Copies are the same in each version.
it.each([
  ["A2A 1.0", {}],
  ["A2A 0.3.0", { runtimeImport: libraryName }],
  ["several packages", { runtimeImport: libraryName }],
] as const)(
  "strictTypeChecked of typescript-eslint finds nothing in the output and the skeleton of %s",
  async (name, options) => {
    expect(await lint(await projectOf(name, options))).toEqual([]);
  },
  300_000,
);
