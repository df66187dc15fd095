import { join } from "node:path";
import { packageFolder } from "../generator/assets.js";

/** What benchmarks write on their way: inside the package, so that its dependencies are found. */
export const outFolder = join(packageFolder, "bench", ".out");
