import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { withSlashes } from "../../../../support/paths.js";
import { packageFolder } from "../../../../support/package-folder.js";

/**
 * The layers of the library above the runtime, lowest first. A module may import values of its own
 * part and of lower layers. A part is a folder, or a file of `library/kit/`. Parts of one layer do
 * not import each other, except for the ground floor.
 */
const layers: readonly (readonly string[])[] = [
  ["errors", "models"],
  [
    "copy",
    "exact",
    "ids",
    "invalid",
    "kit-facts",
    "model",
    "refusals",
    "states",
    "store-errors",
    "thrown",
    "timer",
  ],
  ["store"],
  ["limits"],
  ["log"],
  ["memory"],
  ["observe", "options", "signatures"],
  ["otel"],
  ["push"],
  ["public-fetch"],
  ["node", "turns"],
  ["extensions"],
  ["engine"],
  ["calls"],
  ["auth", "task-service"],
  ["functions", "unbound"],
  ["client"],
  ["stores", "testing"],
  ["bridges"],
];

const floors = new Map(layers.flatMap((parts, floor) => parts.map((part) => [part, floor])));
const groundFloor = 1;

const library = join(packageFolder, "library");
const modules = ["auth", "bridges", "client", "kit", "stores"].flatMap((folder) =>
  readdirSync(join(library, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => withSlashes(join(folder, file))),
);

/** Returns the part that a module belongs to; `undefined` for modules of the runtime. */
function partOf(module: string): string | undefined {
  const [folder = "", name = ""] = module.replace(/\.[jt]s$/, "").split("/");
  if (folder === "runtime") return undefined;
  return folder === "kit" ? name : folder;
}

/**
 * Returns the modules from which a module imports values. Modules that it loads later are included.
 */
function valuesOf(module: string): string[] {
  const text = readFileSync(join(library, module), "utf8");
  const fixed = [...text.matchAll(/^(?:import|export) (?!type )([^;]*?) ?from "(\.[^"]+)";$/gm)]
    .filter(([, names = ""]) => !/^\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}$/.test(names))
    .map(([, , to = ""]) => to);
  const later = [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, to = ""]) => to);
  return [...fixed, ...later].map((to) => posix.join(dirname(module), to));
}

describe("the layers of the kit", () => {
  it("each part of the library above the runtime has a layer", () => {
    const parts = new Set(modules.map(partOf));
    expect([...parts].filter((part) => part !== undefined && !floors.has(part))).toEqual([]);
  });

  it("the search finds imports of values, and leaves out imports of types", () => {
    expect(modules.flatMap(valuesOf).length).toBeGreaterThan(400);
    const owner = valuesOf("kit/limits/owner-account.ts");
    expect(owner).toContain("kit/refusals.js");
    expect(owner).not.toContain("errors.js");
  });

  it.each(modules)(
    "library/%s imports values of its own part and of lower layers only",
    (module) => {
      const part = partOf(module) ?? "";
      const floor = floors.get(part) ?? Infinity;
      const isAllowed = (other: string | undefined): boolean => {
        if (other === undefined || other === part) return true;
        const otherFloor = floors.get(other) ?? Infinity;
        return otherFloor < floor || (floor === groundFloor && otherFloor === groundFloor);
      };
      expect(valuesOf(module).filter((to) => !isAllowed(partOf(to)))).toEqual([]);
    },
  );
});
