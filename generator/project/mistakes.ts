import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { lockFile } from "../output/lock.js";
import { descriptionIn } from "../output/package.js";
import { InputError } from "../../support/diagnostics.js";
import { nearNames } from "../../support/near-names.js";

/**
 * Throws an `InputError` if the default output folder is in the root of a workspace and no output
 * exists there yet, because the code of a workspace belongs to its packages.
 */
export function refuseWorkspaceRoot(folder: string, out: string): void {
  if (existsSync(join(out, lockFile)) || !isWorkspaceRoot(folder)) return;
  const shown = relative(folder, out);
  throw new InputError({
    message:
      "the working directory is the root of a workspace, and no option confirms its folder " +
      `"${shown}" for the output`,
    hint: `Run the command in one of the packages, or confirm the folder with --out ${shown}`,
  });
}

function isWorkspaceRoot(folder: string): boolean {
  return (
    existsSync(join(folder, "pnpm-workspace.yaml")) ||
    descriptionIn(folder)?.["workspaces"] !== undefined
  );
}

/**
 * Throws an `InputError` if the agent does not exist, but a file with a similar name in its folder
 * uses the output, because the name is then probably misspelled. `outImport` is the specifier that
 * files in that folder use to import the output.
 */
export function refuseMistypedAgent(
  agent: string,
  outImport: string,
  shownFrom: (path: string) => string,
): void {
  const folder = dirname(agent);
  if (existsSync(agent) || !existsSync(folder)) return;
  const files = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );
  const near = nearNames(
    basename(agent),
    files.filter((name) => /\.[cm]?tsx?$/.test(name)),
  );
  const similar = near.find((name) =>
    readFileSync(join(folder, name), "utf8").includes(`"${outImport}/`),
  );
  if (similar === undefined) return;
  throw new InputError({
    message:
      `the agent "${shownFrom(agent)}" does not exist, but "${shownFrom(join(folder, similar))}" ` +
      "already uses the output",
    hint:
      `Did you mean ${shownFrom(join(folder, similar))}? For a second agent, use a name that ` +
      "differs more, or --force",
  });
}
