import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporalPackages } from "../../support/temporal.js";
import { NewcomerProject, type Outcome } from "./newcomer.js";
import { examples, usesTemporal } from "./pages.js";
import { strictest } from "./strictest.js";
import { lintStrictly } from "../../support/strict-lint.js";

const sources = examples.filter(
  (example) => example.file !== undefined && example.language === "ts" && usesTemporal(example),
);
/** Modules of another page that the examples import. */
const imported = examples.filter(({ file = "" }) => ["serve-orders.ts", "shop.ts"].includes(file));
const state =
  temporalPackages === undefined ? "the packages of @temporalio are not installed" : "available";

describe.skipIf(temporalPackages === undefined)(`the examples about Temporal (${state})`, () => {
  let project: NewcomerProject;
  let compiled: Outcome;

  beforeAll(async () => {
    if (temporalPackages === undefined) return;
    project = new NewcomerProject("temporal");
    symlinkSync(temporalPackages, join(project.folder, "node_modules", "@temporalio"), "junction");
    const { code, output } = await project.shell("npx a2a-codegen init --yes");
    expect(code, output).toBe(0);
    project.write(
      "tsconfig.json",
      examples.find(({ file }) => file === "tsconfig.json")?.text ?? "",
    );
    for (const { file = "", text } of [...sources, ...imported])
      project.write(join("src", file), text);
    const store = await project.shell("npx a2a-codegen generate --targets +store-postgres");
    expect(store.code, store.output).toBe(0);
    compiled = await project.compile(...strictest);
  });

  it("the examples compile under the strictest flags", () => {
    const errors = compiled.output.split("\n").filter((line) => /^\S.*error TS\d/.test(line));
    expect(errors.filter((error) => !error.includes("node_modules/"))).toEqual([]);
    expect(existsSync(join(project.folder, "dist", "temporal-workflow.js"))).toBe(true);
  });

  it("strictTypeChecked of typescript-eslint finds nothing in the examples", async () => {
    const paths = sources.map(({ file = "" }) => join("src", file));
    expect(await lintStrictly(project.folder, paths)).toEqual([]);
  });
});

it("the examples about Temporal have names that no other page uses", () => {
  const names = sources.map(({ file }) => file);
  const others = examples.filter((example) => !usesTemporal(example)).map(({ file }) => file);
  expect(names.filter((name) => others.includes(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});
