import { join } from "node:path";

/** Returns the folder with the settings of the user. */
export function settingsFolder({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): string {
  const home = env["XDG_CONFIG_HOME"] ?? join(env["HOME"] ?? cwd, ".config");
  return join(home, "a2a-cli");
}
