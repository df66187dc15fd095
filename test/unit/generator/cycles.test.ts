import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";

const folders = ["generator", "support", "tools", "library", "build", "bench"];
const sources = folders.flatMap((folder) =>
  readdirSync(join(packageFolder, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.startsWith(".out"))
    .map((path) => join(packageFolder, folder, path)),
);

/** Returns the files that a file imports or exports from, types included. */
function importsOf(file: string) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
  const relative = importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."));
  const paths = relative.flatMap((name) => {
    const path = join(dirname(file), name);
    return [path, path.replace(/\.js$/, ".ts")];
  });
  return paths.filter((path) => sources.includes(path) && existsSync(path));
}

/** Returns the groups of files that lead back to themselves, by Tarjan's algorithm. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>) {
  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string) => {
    const position = order.size;
    order.set(file, position);
    open.push(file);
    let low = position;
    for (const other of graph.get(file) ?? []) {
      const reached = !order.has(other)
        ? visit(other)
        : open.includes(other)
          ? (order.get(other) ?? low)
          : low;
      low = Math.min(low, reached);
    }
    lowest.set(file, low);
    if (low === position) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1 || graph.get(file)?.includes(file) === true) cycles.push(group);
    }
    return low;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

const graph = new Map(sources.map((file) => [file, importsOf(file)]));

it("no module and no type imports itself through other modules", () => {
  const cycles = cyclesOf(graph).map((files) =>
    files.map((file) => file.slice(packageFolder.length + 1)).sort(),
  );
  expect(cycles).toEqual([]);
});

it("the search finds imports and cycles", () => {
  expect([...graph.values()].flat().length).toBeGreaterThan(1_000);
  expect(
    cyclesOf(
      new Map([
        ["a", ["b"]],
        ["b", ["c", "d"]],
        ["c", ["a"]],
        ["d", []],
      ]),
    ),
  ).toEqual([["a", "b", "c"]]);
});
