import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Folder with the sources of the site: the pages of the repository with links of the site, and the
 * references. Each process has its own, and removes it at its end.
 */
export const staged = join(root, "build", ".out", `site-${process.pid}`);
