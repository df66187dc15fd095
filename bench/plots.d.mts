import type { Plot } from "./plot.mjs";

/** The plots of `--growth` by name. */
export const plots: Readonly<Record<string, Plot>>;
