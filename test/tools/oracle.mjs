#!/usr/bin/env node
// Asks the oracles about many more cases than the tests do: npm run oracle -- --cases 100000
// [--seed N] [--type T]
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const usage =
  "npm run oracle -- [--cases 100000] [--seed N] [--type NAME] [codecs|correlated|protojson|validators]…";

function read() {
  const options = { cases: { type: "string" }, seed: { type: "string" }, type: { type: "string" } };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`${error.message}\nUsage: ${usage}`);
    process.exit(2);
  }
}

const { values, positionals } = read();
const { cases = "100000", seed = String(Math.floor(Math.random() * 2 ** 31)), type } = values;
for (const [name, text] of Object.entries({ cases, seed })) {
  if (/^\d+$/.test(text)) continue;
  console.error(`--${name} has to be a whole number, and is "${text}"\nUsage: ${usage}`);
  process.exit(2);
}
const root = fileURLToPath(new URL("../..", import.meta.url));
const oracles =
  positionals.length > 0 ? positionals : ["codecs", "correlated", "protojson", "validators"];
const files = oracles.map((name) => join("test", "oracle", `${name}.test.ts`));
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
console.log(`${cases} cases of each type, with the seed ${seed}`);
const { status } = spawnSync(process.execPath, [vitest, "run", "--reporter=verbose", ...files], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    ORACLE_CASES: cases,
    TEST_SEED: seed,
    ...(type !== undefined && { ORACLE_TYPE: type }),
  },
});
process.exit(status ?? 1);
