import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { packageFolder } from "../../../support/package-folder.js";

/**
 * Changes several paths of a project in a transaction in another process, and ends the process after the given `steps`,
 * each a path and a text.
 */
export function interrupt(
  folder: string,
  paths: readonly string[],
  steps: readonly (readonly [path: string, text: string])[],
): void {
  const scratch = mkdtempSync(join(tmpdir(), "a2a-codegen-journal-"));
  const outfile = join(scratch, "journal.mjs");
  const journal = join(packageFolder, "generator", "output", "journal.ts");
  buildSync({ entryPoints: [journal], outfile, bundle: true, format: "esm", platform: "node" });
  const script = `
    import { writeFileSync } from "node:fs";
    import { join } from "node:path";
    import { changeAll } from ${JSON.stringify(pathToFileURL(outfile).href)};
    const [folder, paths, steps] = ${JSON.stringify([folder, paths, steps])};
    changeAll(folder, paths.map((path) => join(folder, path)), () => {
      for (const [path, text] of steps) writeFileSync(join(folder, path), text);
      process.kill(process.pid, "SIGKILL");
    });`;
  const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
  rmSync(scratch, { recursive: true });
  if (signal !== "SIGKILL") throw new Error("The process was to end on the way");
}
