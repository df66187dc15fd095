import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Imports } from "../../../generator/emit/imports.js";
import { planParts, type Part } from "../../../generator/emit/parts.js";
import type { FilePlan } from "../../../generator/emit/plan.js";
import { valueRef } from "../../../generator/emit/symbols.js";
import { packageFolder } from "../../../generator/support/package-folder.js";

/** A part of ten lines, which exports its name and uses others; `inner` is declared for other parts alone. */
interface Sketch {
  readonly uses?: readonly string[];
  readonly inner?: string;
  readonly docs?: string;
}

/** Plans a file of parts, of which a file takes two unless it is said to take more lines. */
function plan(sketches: Readonly<Record<string, Sketch>>, mostLines = 25): readonly FilePlan[] {
  const names = Object.entries(sketches).flatMap(([name, { inner }]) => [
    name,
    ...(inner === undefined ? [] : [inner]),
  ]);
  const file = new Imports("things.ts", names);
  const parts = Object.entries(sketches).map(([name, { uses = [], inner, docs = "" }]): Part<object> => {
    const noted = file.startPart();
    for (const used of uses) file.own(used);
    file.value(valueRef("runtime/base", `${name}Helper`));
    const declares = inner === undefined ? [] : [inner];
    const view = (isShared: (name: string) => boolean) => ({
      code: `${name}\n`.repeat(10).trimEnd(),
      docs,
      shared: declares.filter(isShared),
    });
    return { name, exports: [{ name, typeOnly: false }], declares, uses: noted, view };
  });
  return planParts({ module: "things", template: "things", parts, compose: (views) => ({ views }), mostLines });
}

/** The parts that each file has, by its path. */
function layoutOf(plans: readonly FilePlan[]): Readonly<Record<string, readonly string[]>> {
  const named = plans.map(({ path, view }) => {
    const { views = [] } = view as { views?: readonly { code: string }[] };
    return [path, views.map(({ code }) => code.split("\n")[0] ?? "")] as const;
  });
  return Object.fromEntries(named);
}

const importsOf = ({ imports }: FilePlan): string[] =>
  imports.map(({ module, items = [] }) => `${module}: ${items.join(", ")}`);

describe("a file that is planned as parts", () => {
  it("stays one file where all of them fit, with the imports of all", () => {
    const plans = plan({ A: { uses: ["B"] }, B: {} });
    expect(layoutOf(plans)).toEqual({ "things.ts": ["A", "B"] });
    expect(plans.flatMap(importsOf)).toEqual(["runtime/base: AHelper, BHelper"]);
  });

  it("becomes a folder where it would be too long, and exports what the files in it export", () => {
    const plans = plan({ A: { uses: ["B"] }, B: {}, C: { uses: ["D"] }, D: {} });
    expect(layoutOf(plans)).toEqual({ "things.ts": [], "things/c.ts": ["C", "D"], "things/a.ts": ["A", "B"] });
    expect(plans[0]?.exports.map(({ clause, module }) => `${clause} ${module}`)).toEqual([
      "export * things/a",
      "export * things/c",
    ]);
  });

  it("has files that import each other in one direction, and only what their own parts use", () => {
    const plans = plan({ A: { uses: ["C"] }, B: { uses: ["A", "D"] }, C: { uses: ["D"] }, D: {} });
    expect(layoutOf(plans)).toEqual({ "things.ts": [], "things/c.ts": ["C", "D"], "things/b.ts": ["B", "A"] });
    const [, first, second] = plans.map(importsOf);
    expect(first).toEqual(["runtime/base: CHelper, DHelper"]);
    expect(second).toEqual(["runtime/base: AHelper, BHelper", "things/c: C, D"]);
  });

  it("has files that are called after what uses many of the others and is used by many", () => {
    const thing = { List: { uses: ["Thing", "Page"] }, Thing: { uses: ["Status"] }, Status: {}, Page: {} };
    const users = Object.fromEntries(["A", "B", "C", "D"].map((name) => [name, { uses: ["Thing"] }]));
    expect(layoutOf(plan({ ...users, ...thing }, 45))).toMatchObject({
      "things/thing.ts": ["List", "Thing", "Status", "Page"],
    });
  });

  it("keeps from users what one file declares for another", () => {
    const [whole, first, second] = plan({ A: { uses: ["inner"] }, B: {}, C: { inner: "inner" } });
    const { views } = first?.view as { views: readonly { shared: readonly string[] }[] };
    expect(views.flatMap(({ shared }) => shared)).toEqual(["inner"]);
    expect(second && importsOf(second)).toContain("things/c: inner");
    expect(whole?.exports.map(({ clause, items = ["*"] }) => `${clause} ${items.join(", ")}`)).toEqual([
      "export * *",
      "export B, C",
    ]);
  });

  it("may have parts that use each other in a circle", () => {
    const circle = { A: { uses: ["B"] }, B: { uses: ["C"] }, C: { uses: ["A"] } };
    expect(
      Object.values(layoutOf(plan(circle)))
        .flat()
        .sort(),
    ).toEqual(["A", "B", "C"]);
  });

  it("is split at the same places whatever its comments say", () => {
    const parts = { A: { uses: ["B"] }, B: {}, C: { uses: ["D"] }, D: {} };
    const withDocs = { ...parts, B: { docs: "A comment.\n".repeat(100) } };
    expect(layoutOf(plan(withDocs))).toEqual(layoutOf(plan(parts)));
  });
});

describe("the files of generated/", () => {
  it("have 800 lines at most", () => {
    const folder = join(packageFolder, "generated");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    const linesIn = (path: string): number => readFileSync(join(folder, path), "utf8").split("\n").length - 1;
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((path) => linesIn(path) > 800)).toEqual([]);
  });
});
