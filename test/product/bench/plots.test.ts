import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { draw, textOf, type Plot } from "../../../bench/plot.mjs";
import { plots } from "../../../bench/plots.mjs";
import type { Point } from "../../../bench/point.js";
import { packageFolder } from "../../../support/package-folder.js";
import { readDocument } from "../docs/markdown.js";

const plot: Plot = {
  title: "Tasks <&>",
  x: "tasks",
  panels: [
    { name: "read", title: "read", unit: "ms" },
    { name: "list", title: "list", unit: "ms" },
  ],
};

const points: readonly Point[] = [
  { panel: "read", series: "one", x: 1_000, y: 0.25 },
  { panel: "read", series: "one", x: 10, y: 0.0625 },
  { panel: "read", series: "other", x: 10, y: 2 },
  { panel: "list", series: "one", x: 10, y: 1_234_567 },
];

/** Returns the coordinates of the points of a line, in each panel. */
function dotsOf(svg: string, line: number): readonly (readonly number[])[] {
  const dots = svg.matchAll(
    new RegExp(`<circle class="p${line}" cx="([\\d.]+)" cy="([\\d.]+)" r="3"/>`, "g"),
  );
  return Array.from(dots, ([, x, y]) => [Number(x), Number(y)]);
}

describe("a plot", () => {
  it("a plot has a line for each series, whose points lie between the marks of logarithmic axes", () => {
    const svg = draw(plot, points);
    // The first dot of a line belongs to the legend. A panel is 380 wide, and the marks are 0.01,
    // 0.1, 1 and 10.
    const [, first, second, ofList] = dotsOf(svg, 0);
    const step = (242 - 74) / 3;
    expect(first).toEqual([44, Number((242 - step * (Math.log10(0.0625) + 2)).toFixed(1))]);
    expect(second).toEqual([366, Number((242 - step * (Math.log10(0.25) + 2)).toFixed(1))]);
    expect(ofList?.[0]).toBe(205);
    expect(dotsOf(svg, 1)).toHaveLength(2);
    expect(svg).toContain(">1M</text>");
  });

  it("a plot with linear axes begins at 0", () => {
    const rows = [1, 2, 4].map((x) => ({ panel: "read", series: "one", x, y: x * 100 }));
    const svg = draw({ ...plot, isLinear: true, panels: plot.panels.slice(0, 1) }, rows);
    expect(dotsOf(svg, 0).slice(1)).toEqual([
      [44, 200],
      [278, 158],
      [746, 74],
    ]);
  });

  it("a plot can be read on light and dark pages, and loads nothing", () => {
    const svg = draw(plot, points);
    expect(svg).toContain('<rect class="bg"');
    expect(svg).toContain("@media (prefers-color-scheme: dark)");
    expect(svg).toContain("<title>Tasks &lt;&amp;>: read, ms; list, ms</title>");
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|<script|@import/);
  });

  it("the table of a plot has a column for each size, and omits what was not measured", () => {
    expect(textOf(plot, points).split("\n")).toEqual([
      "| tasks | 10 | 1,000 |",
      "| --- | ---: | ---: |",
      "| one: read, ms | 0.0625 | 0.25 |",
      "| other: read, ms | 2 |  |",
      "| one: list, ms | 1,234,567 |  |",
    ]);
  });
});

describe("docs/benchmarks.md", () => {
  const page = readDocument("docs/benchmarks.md");

  it("the page displays each plot, and has a table for it", () => {
    const names = Object.keys(plots);
    const images = Array.from(
      page.matchAll(/!\[[^\]]+\]\(growth\/(\w+)\.svg\)/g),
      ([, name]) => name,
    );
    expect(images.toSorted()).toEqual(names);
    expect(readdirSync(join(packageFolder, "docs", "growth")).toSorted()).toEqual(
      names.map((name) => `${name}.svg`),
    );
    for (const name of names) {
      const [, table = ""] = page.split(new RegExp(`<!-- /?${name} -->`));
      expect(table, name).toMatch(/\n\| .+ \|\n/);
    }
  });

  it("the images of the page have at most 8 kB", () => {
    const large = Object.keys(plots).filter(
      (name) => readFileSync(join(packageFolder, "docs", "growth", `${name}.svg`)).length > 8_000,
    );
    expect(large).toEqual([]);
  });
});
