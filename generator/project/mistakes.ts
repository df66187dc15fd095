import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { lockFile } from "../output/lock.js";
import { InputError } from "../support/diagnostics.js";
import { nearNames } from "../support/near-names.js";
import { isRecord } from "../support/values.js";

/**
 * Throws an `InputError` if nothing but the default names the output folder of a workspace, which is for its packages, and
 * there has not been any output.
 */
export function refuseWorkspaceRoot(folder: string, out: string): void {
  if (existsSync(join(out, lockFile)) || !isWorkspaceRoot(folder)) return;
  const shown = relative(folder, out);
  throw new InputError({
    message: `this is the root of a workspace, and nothing says that the output goes into its folder "${shown}"`,
    hint: `Run the command in one of the packages, or confirm the folder with --out ${shown}`,
  });
}

function isWorkspaceRoot(folder: string): boolean {
  if (existsSync(join(folder, "pnpm-workspace.yaml"))) return true;
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isRecord(value) && value["workspaces"] !== undefined;
  } catch {
    return false;
  }
}

/**
 * Throws an `InputError` for an agent that does not exist and whose name is like that of a file beside it that uses the
 * output: to create another one would hardly be meant. `outImport` is how files of that folder import the output.
 */
export function refuseMistypedAgent(agent: string, outImport: string, shownFrom: (path: string) => string): void {
  const folder = dirname(agent);
  if (existsSync(agent) || !existsSync(folder)) return;
  const files = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  const near = nearNames(
    basename(agent),
    files.filter((name) => /\.[cm]?tsx?$/.test(name)),
  );
  const meant = near.find((name) => readFileSync(join(folder, name), "utf8").includes(`"${outImport}/`));
  if (meant === undefined) return;
  throw new InputError({
    message: `there is no file "${shownFrom(agent)}", and "${shownFrom(join(folder, meant))}" uses the output already`,
    hint: `Did you mean ${shownFrom(join(folder, meant))}? A second agent needs a name that differs more, or --force`,
  });
}
