import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Imports } from "../../../../generator/emit/imports.js";
import { planParts, type Part } from "../../../../generator/emit/parts.js";
import type { FilePlan } from "../../../../generator/emit/plan.js";
import { valueRef } from "../../../../generator/emit/symbols.js";
import { packageFolder } from "../../../../support/package-folder.js";

/** A part that exports its name and uses other parts. `inner` is declared for other parts only. */
interface Sketch {
  readonly about?: string;
  readonly uses?: readonly string[];
  readonly inner?: string;
}

/** Plans a file of parts. */
function plan(sketches: Readonly<Record<string, Sketch>>): readonly FilePlan[] {
  const names = Object.entries(sketches).flatMap(([name, { inner }]) => [
    name,
    ...(inner === undefined ? [] : [inner]),
  ]);
  const file = new Imports("things.ts", names);
  const parts = Object.entries(sketches).map(
    ([name, { about = "all", uses = [], inner }]): Part<object> => {
      const noted = file.startPart();
      for (const used of uses) file.own(used);
      file.value(valueRef("runtime/base", `${name}Helper`));
      const declares = inner === undefined ? [] : [inner];
      const view = (isShared: (name: string) => boolean) => ({
        code: name,
        shared: declares.filter(isShared),
      });
      return { subject: about, exports: [{ name, typeOnly: false }], declares, uses: noted, view };
    },
  );
  return planParts({
    module: "things",
    template: "things",
    parts,
    compose: (views) => ({ views }),
  });
}

/** The parts that each file has, by its path. */
function layoutOf(plans: readonly FilePlan[]): Readonly<Record<string, readonly string[]>> {
  const named = plans.map(({ path, view }) => {
    const { views = [] } = view as { views?: readonly { code: string }[] };
    return [path, views.map(({ code }) => code)] as const;
  });
  return Object.fromEntries(named);
}

const importsOf = ({ imports }: FilePlan) =>
  imports.map(({ module, items = [] }) => `${module}: ${items.join(", ")}`);

describe("a file that is planned as parts", () => {
  it("parts of one subject are written to one file, with the imports of all parts", () => {
    const plans = plan({ A: { uses: ["B"] }, B: {} });
    expect(layoutOf(plans)).toEqual({ "things.ts": ["A", "B"] });
    expect(plans.flatMap(importsOf)).toEqual(["runtime/base: AHelper, BHelper"]);
  });

  it("parts of several subjects become a folder with a file for each subject, and the index exports their content", () => {
    const plans = plan({
      A: { about: "x", uses: ["C"] },
      B: { about: "y" },
      C: { about: "y" },
      D: { about: "x" },
    });
    expect(layoutOf(plans)).toEqual({
      "things.ts": [],
      "things/x.ts": ["A", "D"],
      "things/y.ts": ["B", "C"],
    });
    expect(plans[0]?.exports.map(({ clause, module }) => `${clause} ${module}`)).toEqual([
      "export * things/x",
      "export * things/y",
    ]);
    expect(plans.slice(1, 2).flatMap(importsOf)).toEqual([
      "runtime/base: AHelper, DHelper",
      "things/y: C",
    ]);
  });

  it("names that one file declares for another file are not exported to users", () => {
    const [whole, , second] = plan({
      A: { about: "x", uses: ["inner"] },
      B: { about: "x" },
      C: { about: "y", inner: "inner" },
    });
    const { views } = second?.view as { views: readonly { shared: readonly string[] }[] };
    expect(views.flatMap(({ shared }) => shared)).toEqual(["inner"]);
    expect(
      whole?.exports.map(({ clause, items = ["*"] }) => `${clause} ${items.join(", ")}`),
    ).toEqual(["export * *", "export C"]);
  });

  it("parts of different subjects may refer to each other in a circle", () => {
    const circle = {
      A: { about: "x", uses: ["B"] },
      B: { about: "y", uses: ["C"] },
      C: { about: "z", uses: ["A"] },
    };
    expect(Object.values(layoutOf(plan(circle))).flat()).toEqual(["A", "B", "C"]);
  });
});

describe("the files of generated/", () => {
  it("each file of generated/ has at most 950 lines", () => {
    const folder = join(packageFolder, "generated");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ts"),
    );
    const linesIn = (path: string) =>
      readFileSync(join(folder, path), "utf8").split("\n").length - 1;
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((path) => linesIn(path) > 950)).toEqual([]);
  });
});
