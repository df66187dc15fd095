import { relative } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { count, ExitCode, print, printError } from "../../tools/terminal/output.js";
import { configPath } from "../project/config-file.js";
import { generateEach } from "../project/project.js";
import { checkModes, generateOnce, runOnce } from "./generate-once.js";
import type { GenerateArguments } from "./request.js";
import { SourceWatcher } from "./watch.js";

/** Runs `a2a-codegen generate`. */
export async function generateCommand(args: GenerateArguments): Promise<number> {
  checkModes(args);
  return args.watch === true ? await watchSources(args) : await runOnce(args, generateEach);
}

/**
 * Throws an `InputError` if the configuration of earlier runs, and any other configuration, is
 * missing, for example while a branch is checked out: the output would get the defaults.
 */
function refuseMissing(configured: string, { cwd, config }: GenerateArguments): void {
  if (configPath(cwd, config) !== undefined) return;
  throw new InputError({
    message: `the configuration "${relative(cwd, configured)}" does not exist anymore`,
    hint: "Create it again, or stop this command and start it without a configuration",
  });
}

/** Generates again after every change, until the process ends. */
async function watchSources(args: GenerateArguments): Promise<number> {
  const started = Date.now();
  const configured = configPath(args.cwd, args.config);
  const sources = await generateOnce(args, generateEach);
  if (sources.length === 0) {
    print("Nothing to watch: the specification is bundled, and the project has no configuration");
    return ExitCode.ok;
  }
  const watcher = new SourceWatcher(async () => {
    try {
      if (configured !== undefined) refuseMissing(configured, args);
      return await generateOnce(args, generateEach);
    } catch (error) {
      printError(error, args.json);
      return undefined;
    }
  });
  const end = new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  watcher.follow(sources, started);
  print(`Watching ${count(new Set(sources).size, "file")}; stop with Ctrl+C`);
  await end;
  watcher.close();
  return ExitCode.ok;
}
