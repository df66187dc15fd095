import { join } from "node:path";
import { packageFolder } from "../generator/support/package-folder.js";

/** What benchmarks write on their way: inside the package, so that its dependencies are found. */
export const outFolder = process.env["BENCH_OUT"] ?? join(packageFolder, "bench", ".out", String(process.pid));
