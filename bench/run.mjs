#!/usr/bin/env node
// Measures our output and its peers: npm run bench -- [--only AREA]… [--json] [--write] [--quick] [--compare COMMIT]
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { changesOf, checkOut, measureBoth, remove } from "./compare.mjs";
import { startArea } from "./program.mjs";
import { comparisonOf, tableOf, writeTable } from "./table.mjs";

const usage = "npm run bench -- [--only AREA[,AREA…]]… [--json] [--write] [--quick] [--compare COMMIT]";
const here = fileURLToPath(new URL(".", import.meta.url));
const tree = join(here, "..");
const out = join(here, ".out", String(process.pid));
const areas = readdirSync(join(here, "areas"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length))
  .sort();

function refuse(message) {
  console.error(`${message}\nUsage: ${usage}\nAreas: ${areas.join(", ")}`);
  process.exit(2);
}

function read() {
  const options = {
    only: { type: "string", multiple: true },
    json: { type: "boolean" },
    write: { type: "boolean" },
    quick: { type: "boolean" },
    compare: { type: "string" },
  };
  try {
    const { values } = parseArgs({ options });
    const chosen = values.only?.flatMap((names) => names.split(",")) ?? areas;
    const unknown = chosen.find((name) => !areas.includes(name));
    if (unknown !== undefined) refuse(`Unknown area "${unknown}"`);
    if (values.write && (values.quick || chosen.length < areas.length))
      refuse("--write requires all areas, measured thoroughly: omit --only and --quick");
    if (values.write && values.compare !== undefined) refuse("--write requires a run without --compare");
    return { ...values, chosen };
  } catch (error) {
    return refuse(error.message);
  }
}

/** Measures the areas of this tree. */
async function measureAll() {
  const results = [];
  for (const area of chosen) {
    if (!json) console.log(`${area}:`);
    const { ended } = await startArea({ tree, area, effort, out }, (result) => {
      results.push(result);
      if (!json) console.log(`  ${tableOf.line(result)}`);
    });
    await ended;
  }
  return results;
}

/** Measures the areas of this tree and of a commit, and prints what differs by more than the spread. */
async function compareAll(commit) {
  const folder = join(out, "commit");
  const statistics = await loadStatistics();
  const changes = [];
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      remove(folder, tree);
      process.exit(1);
    });
  try {
    checkOut(commit, folder, tree);
    for (const area of chosen) {
      if (!json) console.log(`${area}:`);
      const [before, after] = await measureBoth([folder, tree], { area, effort });
      const found = changesOf(before, after, statistics);
      changes.push(...found);
      if (json) continue;
      const certain = found.filter(({ isCertain }) => isCertain);
      for (const change of certain) console.log(`  ${tableOf.change(change)}`);
      console.log(
        `  ${found.length - certain.length} of ${found.length} results do not differ by more than the spread`,
      );
    }
  } finally {
    remove(folder, tree);
  }
  return changes;
}

/** Returns the functions that compute results: they are TypeScript, which this program cannot import. */
async function loadStatistics() {
  const contents = `export { median } from "./clock.js"; export { ratioOf, spreadOf } from "./result.js";`;
  const stdin = { contents, resolveDir: here, loader: "ts" };
  const { outputFiles } = await build({ stdin, bundle: true, format: "esm", platform: "node", write: false });
  return await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { chosen, json, write, quick, compare } = read();
const effort = quick ? "quick" : "thorough";
let results = [];
try {
  mkdirSync(out, { recursive: true });
  results = compare === undefined ? await measureAll() : await compareAll(compare);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
if (json) console.log(JSON.stringify(results, undefined, 2));
if (write && process.exitCode === undefined) {
  await writeTable(join(here, "..", "docs", "benchmarks.md"), tableOf.markdown(results));
  await writeTable(join(here, "..", "README.md"), comparisonOf(results));
}
