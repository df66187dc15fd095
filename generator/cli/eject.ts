import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { replaceFile } from "../output/replace.js";
import { withConfigKey } from "../project/config-edit.js";
import { isConfigModule, loadConfig } from "../project/config-file.js";
import { prepareEach } from "../project/project.js";
import { InputError } from "../../support/diagnostics.js";
import { linesOf, reportOf } from "./report.js";
import { ExitCode, print, printJson } from "../../tools/terminal/output.js";
import type { Arguments } from "./options.js";

/**
 * Runs `a2a-codegen eject`: moves the outputs of a project from the package to copies of the
 * support modules, or back, and sets `runtime` in the configuration. If a change cannot be made,
 * nothing is written.
 */
export async function ejectCommand({
  cwd,
  config,
  back,
  force,
  json,
}: Arguments<"eject">): Promise<number> {
  const runtime = back ? "package" : "copy";
  const { path, text, changed } = await changedConfig({ cwd, config, runtime });
  const request = { cwd, force, runtime, ...(config !== undefined && { config }) };
  const prepared = await prepareEach(request);
  // Write the configuration first. If the process ends before the outputs are written, `generate`
  // completes the change.
  replaceFile(path, changed);
  const results = prepared.map(({ write }) => {
    try {
      return write();
    } catch (error) {
      replaceFile(path, text);
      throw error;
    }
  });
  const file = relative(cwd, path);
  if (json) printJson({ ok: true, runtime, config: file, outputs: results.map(reportOf) });
  else {
    for (const line of results.flatMap((result) => linesOf(result, { dryRun: false }))) print(line);
    print(`${file} has "runtime": "${runtime}"`);
  }
  return ExitCode.ok;
}

/** Returns the text of the configuration before and after the change. */
async function changedConfig({
  cwd,
  config,
  runtime,
}: Pick<Arguments<"eject">, "cwd" | "config"> & { runtime: string }) {
  const { file } = await loadConfig(cwd, config);
  const instead = `run \`a2a-codegen generate --runtime ${runtime}\``;
  if (file === undefined)
    throw new InputError({
      message: 'the project has no configuration in which to set "runtime"',
      hint: `Use init, or ${instead}`,
    });
  if (isConfigModule(file))
    throw new InputError({
      location: { file: relative(cwd, file) },
      message: '"runtime" cannot be set in a module',
      hint: `Set runtime: "${runtime}" in it, and run \`a2a-codegen generate\``,
    });
  const text = readFileSync(file, "utf8");
  return { path: file, text, changed: withConfigKey(text, "runtime", runtime, Infinity) };
}
