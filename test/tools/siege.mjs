#!/usr/bin/env node
// One caller attacks an agent with default options while others call it: npm run siege -- [--engine
// NAME] …
import { runBundled } from "./bundled.mjs";

await runBundled(
  "siege",
  ["main", "agent", "attacker", "engine"].map((name) => `cluster/siege/${name}.ts`),
);
