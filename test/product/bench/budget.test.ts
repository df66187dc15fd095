import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import budget from "../../../bench/budget.json" with { type: "json" };
import type { Counts } from "../../../bench/counts.js";
import { packageFolder } from "../../../generator/support/package-folder.js";

/** Runs the program that counts, in a new process with so much memory that no garbage is collected. */
async function count(): Promise<Record<string, Counts>> {
  const folder = join(packageFolder, "bench", ".out", `counts-${String(process.pid)}`);
  mkdirSync(folder, { recursive: true });
  try {
    const outfile = join(folder, "counts.mjs");
    const entry = join(packageFolder, "bench", "counts.ts");
    await build({ entryPoints: [entry], outfile, bundle: true, packages: "external", platform: "node", format: "esm" });
    const text = execFileSync(
      process.execPath,
      ["--expose-gc", "--min-semi-space-size=128", "--max-semi-space-size=128", outfile],
      {
        encoding: "utf8",
      },
    );
    return JSON.parse(text) as Record<string, Counts>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("a request takes no more promises and memory than bench/budget.json allows", { timeout: 60_000 }, async () => {
  const found = await count();
  expect(Object.keys(found)).toEqual(Object.keys(budget.requests));
  const over = Object.entries(budget.requests).flatMap(([name, { promises, bytes }]) => {
    const counts = found[name];
    return counts !== undefined && counts.promises <= promises && counts.bytes <= bytes
      ? []
      : [`${name}: ${JSON.stringify(counts)}, allowed ${JSON.stringify({ promises, bytes })}`];
  });
  expect(over).toEqual([]);
});
