#!/usr/bin/env node
// Tries our clients and servers with official SDKs: npm run interop -- [--sdk python,go,rust,java]
// [--write]
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cellsOf, failuresOf, markdownOf, writePage } from "./interop/page.mjs";
import { install, sdks } from "./interop/sdks.mjs";

const usage = "npm run interop -- [--sdk python,go,rust,java] [--write]";
const root = fileURLToPath(new URL("../..", import.meta.url));
const languages = [...new Set(sdks.map(({ language }) => language))];

function refuse(message) {
  console.error(`${message}\nUsage: ${usage}`);
  process.exit(2);
}

function read() {
  try {
    const { values } = parseArgs({
      options: { sdk: { type: "string", multiple: true }, write: { type: "boolean" } },
    });
    const chosen = values.sdk?.flatMap((names) => names.split(",")) ?? languages;
    const unknown = chosen.find((name) => !languages.includes(name));
    if (unknown !== undefined)
      refuse(`Unknown language "${unknown}"; choose from ${languages.join(", ")}`);
    return { chosen, write: values.write ?? false };
  } catch (error) {
    return refuse(error.message);
  }
}

/** Installs what was chosen, and lists the skipped SDKs with reasons. */
async function installed(chosen) {
  const ready = [];
  for (const sdk of sdks.filter(({ language }) => chosen.includes(language))) {
    try {
      const { name, version, model, isStrict } = sdk;
      ready.push({ name, version, model, isStrict, command: await install(sdk) });
    } catch (error) {
      console.log(`${sdk.name} is skipped: ${error.message}`);
    }
  }
  return ready;
}

/** Plays all scenarios, and returns the report of the test runner. */
async function play(ready) {
  const folder = mkdtempSync(join(tmpdir(), "interop-"));
  try {
    const output = join(folder, "report.json");
    const reporters = ["--reporter=json", `--outputFile=${output}`];
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", "--mode", "interop", ...reporters], {
      cwd: root,
      stdio: ["ignore", 2, 2],
      env: { ...process.env, INTEROP_SDKS: JSON.stringify(ready) },
    });
    const code = await new Promise((resolve) => child.on("exit", resolve));
    if (!existsSync(output)) throw new Error("The tests did not run");
    return { code: code ?? 1, report: JSON.parse(readFileSync(output, "utf8")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { chosen, write } = read();
const ready = await installed(chosen);
if (ready.length === 0) {
  console.log("No SDK is left to try.");
  process.exit(write ? 1 : 0);
}
const { code, report } = await play(ready);
const { summary, details } = markdownOf(ready, cellsOf(report));
console.log([summary, details, ...failuresOf(report)].join("\n"));
process.exitCode = code;
if (write && code !== 0)
  console.error("The pages in docs/ are not updated: a test fails that no pin explains.");
else if (write && ready.length < sdks.length) refuse("--write requires all SDKs");
else if (write) {
  await writePage(join(root, "docs", "interop.md"), summary);
  await writePage(join(root, "docs", "interop-results.md"), details);
}
