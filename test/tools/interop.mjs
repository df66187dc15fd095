#!/usr/bin/env node
// Tries our clients and servers with official SDKs, and our agents with the clients of frameworks:
// npm run interop -- [--sdk python,go,rust,java,adk,mastra,strands] [--write]
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { frameworks } from "./interop/frameworks.mjs";
import { install } from "./interop/install.mjs";
import { cellsOf, clientsOf, failuresOf, markdownOf, writePage } from "./interop/page.mjs";
import { sdks } from "./interop/sdks.mjs";

const usage = "npm run interop -- [--sdk python,go,rust,java,adk,mastra,strands] [--write]";
const root = fileURLToPath(new URL("../..", import.meta.url));
const names = [...new Set([...sdks, ...frameworks].map(({ language }) => language))];

function refuse(message) {
  console.error(`${message}\nUsage: ${usage}`);
  process.exit(2);
}

function read() {
  try {
    const { values } = parseArgs({
      options: { sdk: { type: "string", multiple: true }, write: { type: "boolean" } },
    });
    const chosen = values.sdk?.flatMap((names) => names.split(",")) ?? names;
    const unknown = chosen.find((name) => !names.includes(name));
    if (unknown !== undefined) refuse(`Unknown SDK "${unknown}"; choose from ${names.join(", ")}`);
    return { chosen, write: values.write ?? false };
  } catch (error) {
    return refuse(error.message);
  }
}

/** Installs what was chosen of a list, and prints what is skipped, with reasons. */
async function installed(list) {
  const ready = [];
  for (const entry of list.filter(({ language }) => chosen.includes(language))) {
    try {
      const { name, version, versions, model, isStrict } = entry;
      const command = await install(entry);
      ready.push({ name, version, versions, model, isStrict, command });
    } catch (error) {
      console.log(`${entry.name} is skipped: ${error.message}`);
    }
  }
  return ready;
}

/** Runs the tests of everything that is installed, and returns the report of the test runner. */
async function play() {
  const folder = mkdtempSync(join(tmpdir(), "interop-"));
  const tests = ["sdks", "frameworks"].filter((name) => ready[name].length > 0);
  try {
    const output = join(folder, "report.json");
    const reporters = ["--reporter=json", `--outputFile=${output}`];
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const filters = tests.map((name) => `test/behaviour/interop/${name}/`);
    const args = [vitest, "run", "--mode", "interop", ...filters, ...reporters];
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", 2, 2],
      env: {
        ...process.env,
        INTEROP_SDKS: JSON.stringify(ready.sdks),
        INTEROP_FRAMEWORKS: JSON.stringify(ready.frameworks),
        INTEROP_WRITES: String(write),
      },
    });
    const code = await new Promise((resolve) => child.on("exit", resolve));
    if (!existsSync(output)) throw new Error("The tests did not run");
    return { code: code ?? 1, report: JSON.parse(readFileSync(output, "utf8")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { chosen, write } = read();
const ready = { sdks: await installed(sdks), frameworks: await installed(frameworks) };
if (ready.sdks.length + ready.frameworks.length === 0) {
  console.log("No SDK is left to try.");
  process.exit(write ? 1 : 0);
}
const { code, report } = await play();
const { summary, details } = markdownOf(ready.sdks, cellsOf(report));
const clients = clientsOf(report);
if (ready.sdks.length > 0) console.log([summary, details].join("\n"));
if (ready.frameworks.length > 0) console.log(clients);
console.log(failuresOf(report).join("\n"));
process.exitCode = code;
const hasSdks = ready.sdks.length === sdks.length;
const hasFrameworks = ready.frameworks.length === frameworks.length;
const page = join(root, "docs", "interop.md");
if (write && code !== 0)
  console.error("The pages are not updated: a test fails that no pin explains.");
else if (write && !hasSdks && !hasFrameworks)
  refuse("--write requires all SDKs, or all frameworks");
else if (write) {
  if (hasSdks) {
    await writePage(page, "interop", summary);
    await writePage(join(root, "test", "behaviour", "interop", "RESULTS.md"), "interop", details);
  }
  if (hasFrameworks) await writePage(page, "frameworks", clients);
}
