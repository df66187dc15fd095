#!/usr/bin/env node
// Takes the pictures of the inspector for the home page of the site, in Chromium: npm run
// docs:picture.
import { runBundled } from "./bundled.mjs";

await runBundled("picture", ["product/docs/picture/main.ts"]);
