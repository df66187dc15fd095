import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { format, type Options } from "prettier";
import { describe, expect, it } from "vitest";
import { sized } from "../../support/size.js";
import { cli, Project, smallProto } from "./command.js";

const generate = [
  "generate",
  "--spec",
  "a.proto",
  "--out",
  "out",
  "--targets",
  "models,validators",
];
const patient = { timeout: 300_000 };

/** Formats every file of the output, as a project would that does not leave it out. */
async function formatAll(project: Project, options: Options) {
  const before = project.files("out");
  for (const [path, text] of Object.entries(before))
    project.write({ [`out/${path}`]: await format(text, { ...options, filepath: path }) });
  const after = project.files("out");
  return Object.keys(before).filter((path) => path.endsWith(".ts") && before[path] !== after[path])
    .length;
}

const styles: readonly [string, Options][] = [
  ["its defaults", {}],
  ["single quotes and no semicolons", { singleQuote: true, semi: false }],
  [
    "narrow lines, tabs and no trailing commas",
    { printWidth: 60, useTabs: true, trailingComma: "none" },
  ],
];

/** Runs the built command, which may not load ts-morph or another of the given modules. */
function runWithout(forbidden: readonly string[], project: Project, args: readonly string[]) {
  const hook = `import Module from "node:module";
    const load = Module._load;
    Module._load = (name, ...rest) => {
      if (${JSON.stringify(["ts-morph", ...forbidden])}.some((part) => name.includes(part)))
        throw new Error("a module is loaded: " + name);
      return load(name, ...rest);
    };`;
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  const options = { cwd: project.folder, encoding: "utf8" } as const;
  return spawnSync(process.execPath, ["--import", url, cli, ...args], options);
}

describe("an output that Prettier has formatted", () => {
  it.each(styles.slice(0, sized(1, styles.length)))(
    "the formatted output is up to date with %s, and the generator does not change it",
    patient,
    async (_, style) => {
      const project = new Project({ "a.proto": smallProto });
      await project.run(generate);
      const count = await formatAll(project, style);
      const formatted = project.files("out");
      const { code, output } = await project.json(generate, "--check");
      expect([code, output["upToDate"]]).toEqual([0, true]);
      expect(output["outputs"]).toMatchObject([{ drift: [], formatted: { length: count } }]);
      await project.succeed(generate);
      expect(project.files("out")).toEqual(formatted);
    },
  );

  it(
    "the formatted output is replaced without --force if the input has changed",
    patient,
    async () => {
      const project = new Project({ "a.proto": smallProto });
      await project.run(generate);
      await formatAll(project, { singleQuote: true, semi: false });
      const other = [...generate, "--import-extension", "ts"];
      await project.succeed(other);
      expect(project.read("out/validators.ts")).toContain('from "./models.ts";');
      await project.succeed(other, "--check");
    },
  );

  it("the formatted output is refused if it was also edited", patient, async () => {
    const project = new Project({ "a.proto": smallProto });
    await project.run(generate);
    await formatAll(project, { singleQuote: true, semi: false });
    appendFileSync(project.path("out/models.ts"), "export const mine = 1\n");
    const check = await project.run(generate, "--check");
    expect([check.code, check.stdout]).toEqual([
      1,
      expect.stringContaining("  edited   models.ts (edited by hand)\n"),
    ]);
    const other = [...generate, "--import-extension", "ts"];
    expect((await project.run(other)).stderr).toContain(
      "out/models.ts: the file was edited by hand.",
    );
  });

  it("the command tells formatting from edits without ts-morph", patient, async () => {
    const project = new Project({ "a.proto": smallProto });
    expect(runWithout([], project, generate)).toMatchObject({ status: 0, stderr: "" });
    await formatAll(project, { singleQuote: true, semi: false });
    const check = runWithout([], project, [...generate, "--check"]);
    expect([check.status, check.stdout]).toEqual([0, expect.stringContaining("formatted since")]);
    appendFileSync(project.path("out/models.ts"), "export const mine = 1\n");
    expect(runWithout([], project, [...generate, "--check"]).stdout).toContain(
      "  edited   models.ts (edited by hand)\n",
    );
  });

  it("a run without changes does not load the scanner", patient, async () => {
    const project = new Project({ "a.proto": smallProto });
    await project.run(generate);
    for (const args of [generate, [...generate, "--check"]])
      expect(runWithout(["scanner"], project, args)).toMatchObject({ status: 0, stderr: "" });
    await formatAll(project, {});
    expect(runWithout(["scanner"], project, generate).status).not.toBe(0);
  });
});
