import { join } from "node:path";
import type { Environment } from "./settings.js";

/** Returns the folder with the settings of the user. */
export function settingsFolder({ cwd, env }: Pick<Environment, "cwd" | "env">): string {
  const home = env["XDG_CONFIG_HOME"] ?? join(env["HOME"] ?? cwd, ".config");
  return join(home, "a2a-cli");
}
