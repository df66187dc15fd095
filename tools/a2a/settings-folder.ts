import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { usage } from "./errors.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the folder with the settings of the user. Throws if the user has no home folder. */
export function settingsFolder(environment: { readonly env: Variables }): string {
  const folder = findSettingsFolder(environment);
  if (folder === undefined)
    throw usage("the home folder is unknown", "Set HOME to an absolute path");
  return folder;
}

/**
 * Returns the folder with the settings of the user; `undefined` if the user has no home folder.
 * Ignores empty and relative paths, and never uses the working directory: a cloned repository could
 * contain such a folder.
 */
export function findSettingsFolder({ env }: { readonly env: Variables }): string | undefined {
  const names = process.platform === "win32" ? ["XDG_CONFIG_HOME", "APPDATA"] : ["XDG_CONFIG_HOME"];
  const named = names.map((name) => absolute(env[name])).find((path) => path !== undefined);
  if (named !== undefined) return join(named, "a2a-cli");
  const home = homeFolder(env);
  return home && join(home, ".config", "a2a-cli");
}

/** Returns the home folder of the user; `undefined` if the system does not know it. */
export function homeFolder(env: Variables): string | undefined {
  const named = absolute(env["HOME"]) ?? absolute(env["USERPROFILE"]);
  if (named !== undefined) return named;
  try {
    return absolute(userInfo().homedir);
  } catch {
    // The user id has no entry in the system's list of users, as in some containers.
    return undefined;
  }
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
