#!/usr/bin/env node
// Measures our output and its peers: npm run bench -- [--only AREA]… [--json] [--write] [--quick]
// [--compare COMMIT] Measures how results change with the size of the work: npm run bench --
// --growth [--only AREA]… [--json] [--write]
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { changesOf, checkOut, isCommit, measureBoth, remove } from "./compare.mjs";
import { draw, textOf } from "./plot.mjs";
import { plots } from "./plots.mjs";
import { startArea } from "./program.mjs";
import { sdkSummaryOf, sdkTableOf } from "./sdk-table.mjs";
import { comparisonOf, tableOf, writeTable } from "./table.mjs";

const usage =
  "npm run bench -- [--growth] [--only AREA[,AREA…]]… [--json] [--write] [--quick] [--compare " +
  "COMMIT]";
const here = fileURLToPath(new URL(".", import.meta.url));
const tree = join(here, "..");
const out = join(here, ".out", String(process.pid));
const areas = areasIn("areas");
// Builds programs of other languages, so it only runs if it is chosen.
const sdks = "sdks";
const usual = areas.filter((area) => area !== sdks);
const growthAreas = areasIn("growth");

function areasIn(folder) {
  return readdirSync(join(here, folder))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}

const help =
  `Usage: ${usage}\nAreas: ${areas.join(", ")}\n` + `Areas of --growth: ${growthAreas.join(", ")}`;

function refuse(message) {
  console.error(`${message}\n${help}`);
  process.exit(2);
}

function read() {
  const options = {
    growth: { type: "boolean" },
    only: { type: "string", multiple: true },
    json: { type: "boolean" },
    write: { type: "boolean" },
    quick: { type: "boolean" },
    compare: { type: "string" },
    help: { type: "boolean", short: "h" },
  };
  try {
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(help);
      process.exit(0);
    }
    const known = values.growth ? growthAreas : areas;
    const all = values.growth ? growthAreas : usual;
    const chosen = values.only?.flatMap((names) => names.split(",")) ?? all;
    const unknown = chosen.find((name) => !known.includes(name));
    if (unknown !== undefined) refuse(`Unknown area "${unknown}"`);
    if (values.growth && values.compare !== undefined)
      refuse("--growth requires a run without --compare");
    if (values.growth && values.write && values.quick)
      refuse("--write requires a thorough run: omit --quick");
    const isWhole = chosen.join() === sdks || usual.every((area) => chosen.includes(area));
    if (values.write && !values.growth && (values.quick || !isWhole))
      refuse(
        "--write requires all areas, measured thoroughly: omit --only and --quick, or use only " +
          `--only ${sdks}`,
      );
    if (values.write && values.compare !== undefined)
      refuse("--write requires a run without --compare");
    if (values.compare !== undefined && !isCommit(values.compare, tree))
      refuse(`Unknown commit "${values.compare}"`);
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
      results.push({ area, ...result });
      if (!json) console.log(`  ${tableOf.line(result)}`);
    });
    await ended;
  }
  return results;
}

/** Measures the growth of this tree, and writes the plots if that is asked for. */
async function measureGrowth() {
  const results = {};
  for (const area of chosen) {
    if (!json) console.log(`${area}:`);
    const points = (results[area] = []);
    const { ended } = await startArea({ tree, folder: "growth", area, effort, out }, (point) =>
      points.push(point),
    );
    await ended;
    if (!json) console.log(textOf(plots[area], points));
    if (write) await writePlot(area, points);
  }
  return results;
}

/** Draws a plot, and writes its table into the page that displays it. */
async function writePlot(area, points) {
  mkdirSync(join(tree, "docs", "growth"), { recursive: true });
  writeFileSync(join(tree, "docs", "growth", `${area}.svg`), draw(plots[area], points));
  await writeTable(page, textOf(plots[area], points), area);
}

/**
 * Measures the areas of this tree and of a commit, and prints what differs by more than the spread.
 */
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
        `  ${found.length - certain.length} of ${found.length} results do not differ by more ` +
          "than the spread",
      );
    }
  } finally {
    remove(folder, tree);
  }
  return changes;
}

/**
 * Returns the functions that compute results: they are TypeScript, which this program cannot
 * import.
 */
async function loadStatistics() {
  const contents =
    'export { median } from "./clock.js"; export { ratioOf, spreadOf } from ' + '"./result.js";';
  const stdin = { contents, resolveDir: here, loader: "ts" };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const page = join(tree, "docs", "benchmarks.md");
const { chosen, json, write, quick, compare, growth } = read();
const effort = quick ? "quick" : "thorough";
let results = [];
try {
  mkdirSync(out, { recursive: true });
  if (growth) results = await measureGrowth();
  else results = compare === undefined ? await measureAll() : await compareAll(compare);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
if (json) console.log(JSON.stringify(results, undefined, 2));
if (write && !growth && process.exitCode === undefined) {
  const readme = join(tree, "README.md");
  const [ofSdks, others] = [true, false].map((isOfSdk) =>
    results.filter(({ area }) => (area === sdks) === isOfSdk),
  );
  if (others.length > 0) {
    await writeTable(page, tableOf.markdown(others));
    await writeTable(readme, comparisonOf(others));
  }
  if (ofSdks.length > 0) {
    await writeTable(page, sdkTableOf(ofSdks), sdks);
    await writeTable(readme, sdkSummaryOf(ofSdks), sdks, false);
  }
}
