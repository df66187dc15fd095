#!/usr/bin/env node
// Builds the documentation as a site into build/.out/site-dist/ or the folder of the argument
// `--out`: npm run docs:build. With the argument `dev`, serves it on this machine instead, and
// follows changes of the pages: npm run docs.
import { rmSync, watch } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, createServer } from "vitepress";
import { staged } from "./folder.mjs";
import { writeTexts } from "./llms.mjs";
import { copyImages, restage, stage } from "./stage.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: join(staged, "..", "site-dist") } },
});
const outDir = resolve(values.out);
process.once("exit", () => rmSync(staged, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit());
const site = await stage();
if (positionals[0] === "dev") {
  const server = await createServer(staged, { host: "127.0.0.1" });
  await server.listen();
  server.printUrls();
  for (const folder of ["docs", "."])
    watch(join(staged, "..", "..", "..", folder), () => restage());
} else {
  await build(staged, { outDir });
  writeTexts(site, outDir);
  // For the pages as Markdown. The pages as HTML have copies whose names contain a hash.
  copyImages(outDir);
  console.log(`The site is in ${outDir}: ${site.pages.size} pages`);
}
