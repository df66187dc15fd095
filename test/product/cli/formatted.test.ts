import { appendFileSync } from "node:fs";
import { format, type Options } from "prettier";
import { describe, expect, it } from "vitest";
import { sized } from "../../support/size.js";
import { Project, smallProto } from "./command.js";

const generate = ["generate", "--spec", "a.proto", "--out", "out", "--targets", "models,validators"];
const patient = { timeout: 120_000 };

/** Formats every file of the output, as a project would that does not leave it out. */
async function formatAll(project: Project, options: Options): Promise<number> {
  const before = project.files("out");
  for (const [path, text] of Object.entries(before))
    project.write({ [`out/${path}`]: await format(text, { ...options, filepath: path }) });
  const after = project.files("out");
  return Object.keys(before).filter((path) => path.endsWith(".ts") && before[path] !== after[path]).length;
}

const styles: readonly [string, Options][] = [
  ["its defaults", {}],
  ["single quotes and no semicolons", { singleQuote: true, semi: false }],
  ["narrow lines, tabs and no trailing commas", { printWidth: 60, useTabs: true, trailingComma: "none" }],
];

describe("an output that Prettier has formatted", () => {
  it.each(styles.slice(0, sized(1, styles.length)))(
    "the formatted output is up to date with %s, and the generator does not change it",
    patient,
    async (_, style) => {
      const project = new Project({ "a.proto": smallProto });
      await project.run(generate);
      const count = await formatAll(project, style);
      const formatted = project.files("out");
      const { code, output } = await project.json(...generate, "--check");
      expect([code, output["upToDate"]]).toEqual([0, true]);
      expect(output["outputs"]).toMatchObject([{ drift: [], formatted: { length: count } }]);
      expect((await project.run(generate)).code).toBe(0);
      expect(project.files("out")).toEqual(formatted);
    },
  );

  it("the formatted output is replaced without --force if the input has changed", patient, async () => {
    const project = new Project({ "a.proto": smallProto });
    await project.run(generate);
    await formatAll(project, { singleQuote: true, semi: false });
    const other = [...generate, "--import-extension", "ts"];
    expect((await project.run(other)).code).toBe(0);
    expect(project.read("out/validators.ts")).toContain('from "./models.ts";');
    expect((await project.run([...other, "--check"])).code).toBe(0);
  });

  it("the formatted output is refused if it was also edited", patient, async () => {
    const project = new Project({ "a.proto": smallProto });
    await project.run(generate);
    await formatAll(project, { singleQuote: true, semi: false });
    appendFileSync(project.path("out/models.ts"), "export const mine = 1\n");
    const check = await project.run([...generate, "--check"]);
    expect([check.code, check.stdout]).toEqual([1, expect.stringContaining("  edited   models.ts (edited by hand)\n")]);
    const other = [...generate, "--import-extension", "ts"];
    expect((await project.run(other)).stderr).toContain("out/models.ts: the file was edited by hand.");
  });
});
