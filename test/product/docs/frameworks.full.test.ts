import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { NewcomerProject, type Outcome } from "./newcomer.js";
import { examples, usesFramework } from "./pages.js";
import { strictest } from "./strictest.js";
import { lintStrictly } from "../../support/strict-lint.js";

const project = new NewcomerProject("frameworks");
const sources = examples.filter((example) => example.language === "ts" && usesFramework(example));
const programs = sources.filter(({ flags }) => flags.includes("run"));
let compiled: Outcome | undefined;

const config = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    rootDir: "src",
    outDir: "dist",
  },
  include: ["src"],
};

beforeAll(async () => {
  const { code, output } = await project.shell("npx a2a-codegen init --yes");
  expect(code, output).toBe(0);
  project.write("tsconfig.json", JSON.stringify(config));
  for (const { file = "", text } of sources) project.write(join("src", file), text);
  compiled = await project.compile(...strictest);
});

describe.concurrent("the examples of the pages about frameworks", () => {
  it("the examples compile under the strictest flags without a cast", () => {
    expect(compiled?.code, compiled?.output).toBe(0);
    expect(sources.filter(({ text }) => / as (?!const\b)\w/.test(text))).toEqual([]);
  });

  it(
    "strictTypeChecked of typescript-eslint finds nothing in the examples",
    { timeout: 300_000 },
    async () => {
      const paths = sources.map(({ file = "" }) => join("src", file));
      expect(await lintStrictly(project.folder, paths)).toEqual([]);
    },
  );

  it.each(programs.map((example) => [example.file ?? "", example] as const))(
    "the example %s prints what its page shows, each time it runs",
    async (name, example) => {
      const agent = await project.startAgent(join("dist", example.agent ?? ""), 1);
      const script = join("dist", name.replace(/ts$/, "js"));
      const run = () => project.node(script, agent.url);
      const outcomes = [await run(), await run()];
      await agent.stop();
      expect(outcomes).toEqual(Array(2).fill({ code: 0, output: example.output }));
    },
  );
});
