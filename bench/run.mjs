#!/usr/bin/env node
// Measures our output and its peers: npm run bench -- [--only AREA]… [--json] [--write] [--quick]
import { fork } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { kitSources } from "../test/tools/kit-sources.mjs";
import { comparisonOf, tableOf, writeTable } from "./table.mjs";

const usage = "npm run bench -- [--only AREA[,AREA…]]… [--json] [--write] [--quick]";
const here = fileURLToPath(new URL(".", import.meta.url));
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
  };
  try {
    const { values } = parseArgs({ options });
    const chosen = values.only?.flatMap((names) => names.split(",")) ?? areas;
    const unknown = chosen.find((name) => !areas.includes(name));
    if (unknown !== undefined) refuse(`Unknown area "${unknown}"`);
    if (values.write && (values.quick || chosen.length < areas.length))
      refuse("--write requires all areas, measured thoroughly: omit --only and --quick");
    return { ...values, chosen };
  } catch (error) {
    return refuse(error.message);
  }
}

/**
 * Bundles an area, so that every Node version can run it, with a main program that sends each result to this process.
 */
async function compile(area, effort) {
  const outfile = join(out, `${area}.mjs`);
  const contents = [
    `import { ${effort} } from "./clock.js";`,
    `import { measure } from "./areas/${area}.js";`,
    `for await (const result of measure(${effort})) process.send(result);`,
    // Open handles, such as the pool of an HTTP client, must not keep the process alive.
    `process.disconnect();`,
    `process.exit();`,
  ].join("\n");
  await build({
    stdin: { contents, resolveDir: here, loader: "ts", sourcefile: `${area}.main.ts` },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    plugins: [kitSources()],
    logLevel: "error",
  });
  return outfile;
}

/** Runs one area in a separate process, so that it does not slow down the next area. */
async function run(area, effort, onResult) {
  const file = await compile(area, effort);
  const child = fork(file, {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", 2, 2, "ipc"],
    env: { ...process.env, BENCH_OUT: out },
  });
  child.on("message", onResult);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0) throw new Error(`The area ${area} ended with ${code}`);
}

const { chosen, json, write, quick } = read();
const results = [];
try {
  for (const area of chosen) {
    if (!json) console.log(`${area}:`);
    await run(area, quick ? "quick" : "thorough", (result) => {
      results.push(result);
      if (!json) console.log(`  ${tableOf.line(result)}`);
    });
  }
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
