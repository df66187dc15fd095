import { join } from "node:path";
import { packageFolder } from "../support/package-folder.js";

/**
 * Folder for temporary files of benchmarks. It is inside the package so that imports of
 * dependencies resolve.
 */
export const outFolder =
  process.env["BENCH_OUT"] ?? join(packageFolder, "bench", ".out", String(process.pid));
