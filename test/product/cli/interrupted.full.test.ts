import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, Project } from "./command.js";

const generate = (...targets: string[]) => [
  "generate",
  "--out",
  "out",
  "--targets",
  targets.join(","),
];
const small = generate("models");
const large = generate("models", "validators", "errors", "operations", "protobuf");

/** Files that each of two selections of targets writes. */
async function outputs() {
  const texts = async (args: string[]) => {
    const project = new Project();
    await project.run(args);
    return project.files("out");
  };
  return { before: await texts(small), after: await texts(large) };
}

describe("a run that is killed", () => {
  it("a killed run leaves the complete old or new output at any time, and the next run succeeds", async () => {
    const { before, after } = await outputs();
    expect(Object.keys(after).length).toBeGreaterThan(Object.keys(before).length);
    const start = performance.now();
    const trial = new Project();
    await trial.run(large);
    const whole = performance.now() - start;

    const runs = 15;
    for (let index = 0; index < runs; index += 1) {
      const project = new Project({ "out/mine.ts": "// mine" });
      for (const [path, text] of Object.entries(before)) project.write({ [`out/${path}`]: text });
      const child = project.start(large);
      const run = ended(child);
      // Most of these moments are near the end, when the files are written.
      await new Promise((resolve) => setTimeout(resolve, whole * (0.5 + (0.6 * index) / runs)));
      child.kill("SIGKILL");
      await run;
      if (project.has("out")) {
        const { "mine.ts": mine, ...found } = project.files("out");
        expect(mine).toBe("// mine");
        expect([before, after]).toContainEqual(found);
      } else {
        expect(
          readdirSync(project.folder).some((name) => name.startsWith(".out.a2a-codegen-old")),
        ).toBe(true);
      }
      await project.succeed(large);
      expect(project.files("out")).toEqual({ ...after, "mine.ts": "// mine" });
      expect(readdirSync(project.folder).sort()).toEqual(["out", "package.json"]);
    }
  });
});

describe("two concurrent runs on one folder", () => {
  it("two concurrent runs leave one of the two outputs complete, and no other files", async () => {
    const { before, after } = await outputs();
    for (let index = 0; index < 4; index += 1) {
      const project = new Project({ "out/mine.ts": "// mine" });
      const runs = await Promise.all([project.run(small), project.run(large)]);
      expect(runs.map(({ code }) => code)).toContain(0);
      for (const { code, stderr } of runs) {
        if (code !== 0) expect(stderr).toMatch(/^(?!.*internal error).*\n$/);
      }
      const { "mine.ts": mine, ...found } = project.files("out");
      expect(mine).toBe("// mine");
      expect([before, after]).toContainEqual(found);
      await project.run(large, "--force");
      expect(readdirSync(project.folder).sort()).toEqual(["out", "package.json"]);
    }
  });
});
