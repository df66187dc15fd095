#!/usr/bin/env node
// Several processes of an agent on one engine, which are killed while they work: npm run cluster --
// [--engine NAME] …
import { runBundled } from "./bundled.mjs";

await runBundled(
  "cluster",
  ["main", "agent"].map((name) => `cluster/${name}.ts`),
);
