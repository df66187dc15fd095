import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exampleNames } from "../../../generator/project/examples.js";
import { lintStrictly } from "../../support/strict-lint.js";
import { NewcomerProject } from "../docs/newcomer.js";

const tsconfig = {
  compilerOptions: {
    strict: true,
    target: "ES2022",
    module: "NodeNext",
    types: ["node"],
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["src"],
};

it("strictTypeChecked of typescript-eslint finds nothing in the examples that init writes", async () => {
  const project = new NewcomerProject("lint-examples");
  project.write("tsconfig.json", JSON.stringify(tsconfig));
  for (const name of exampleNames) {
    const { code, output } = await project.shell(
      existsSync(join(project.folder, "a2a-codegen.config.json"))
        ? `npx a2a-codegen init --example ${name}`
        : `npx a2a-codegen init --yes --example ${name}`,
    );
    expect(code, output).toBe(0);
  }
  const files = readdirSync(join(project.folder, "src")).filter((file) => file.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(2 * exampleNames.length);
  const paths = files.map((file) => join("src", file));
  expect(await lintStrictly(project.folder, paths)).toEqual([]);
}, 300_000);
