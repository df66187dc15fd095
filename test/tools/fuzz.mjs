#!/usr/bin/env node
// Attacks the output and the generator for longer than the tests do: npm run fuzz -- [--seed N]
// [--seconds N] [--only NAME]
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join("test", "hostile", "fuzz");
/**
 * The test file of each campaign, by the name of the campaign. A campaign has a module and a test
 * of the same name.
 */
const tests = new Map(
  readdirSync(join(root, folder))
    .filter((file) => /^(?!found\.).+\.test\.ts$/.test(file))
    .map((file) => [basename(file).replace(/(?:\.full)?\.test\.ts$/, ""), join(folder, file)]),
);
const campaigns = [...tests.keys()];
const usage = `npm run fuzz -- [--seed N] [--seconds 60] [--only ${campaigns.join("|")}] [--case N]`;

function fail(message) {
  console.error(`${message}\nUsage: ${usage}`);
  process.exit(2);
}

function read() {
  const text = { type: "string" };
  try {
    return parseArgs({
      options: { seed: text, seconds: text, case: text, only: { ...text, multiple: true } },
    }).values;
  } catch (error) {
    return fail(error.message);
  }
}

const {
  seed = String(Math.floor(Math.random() * 2 ** 31)),
  seconds = "60",
  only = campaigns,
  case: number,
} = read();
for (const [name, text] of Object.entries({ seed, seconds, case: number ?? "0" }))
  if (!/^\d+$/.test(text)) fail(`--${name} has to be a whole number, and is "${text}"`);
for (const name of only) if (!campaigns.includes(name)) fail(`Unknown campaign "${name}"`);

const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const files = only.map((name) => tests.get(name));
console.log(`${seconds} s for each of ${only.join(", ")}, with the seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--mode", "full", "--disableConsoleIntercept", "--no-file-parallelism", ...files],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      TEST_SEED: seed,
      FUZZ_SECONDS: seconds,
      ...(number !== undefined && { FUZZ_CASE: number }),
    },
  },
);
process.exit(status ?? 1);
