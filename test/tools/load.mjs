#!/usr/bin/env node
// Holds many streams open and calls all the while: npm run load -- [--streams 1000] [--seconds 10]
// [--transport NAME]
import { runBundled } from "./bundled.mjs";

await runBundled(
  "load",
  ["main", "agent"].map((name) => `hostile/load/${name}.ts`),
);
