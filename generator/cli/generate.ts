import { relative } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { count, ExitCode, print, printError, printJson } from "../../tools/terminal/output.js";
import { configPath, loadConfig } from "../project/config-file.js";
import { generateEach } from "../project/project.js";
import { checkOutput } from "./check.js";
import { linesOf, reportOf } from "./report.js";
import { requestOf, type GenerateArguments } from "./request.js";
import { SourceWatcher } from "./watch.js";

/** Runs `a2a-codegen generate`. */
export async function generateCommand(args: GenerateArguments): Promise<number> {
  if (args.watch === true && (args.json || args.dryRun === true)) {
    const message = `--watch cannot be used with ${args.json ? "--json" : "--dry-run"}`;
    throw new InputError({ message, hint: "Remove one of them" });
  }
  const other = otherMode(args);
  if (args.check === true && other !== undefined) {
    const message = `--check cannot be used with --${other}`;
    throw new InputError({ message, hint: "Remove one of them" });
  }
  if (args.check === true) return await checkOutput(args);
  if (args.watch === true) return await watchSources(args);
  await generateOnce(args);
  return ExitCode.ok;
}

/** Returns the option that changes how the output is written, if any. */
function otherMode({ watch, dryRun, force }: GenerateArguments): string | undefined {
  if (watch === true) return "watch";
  if (dryRun === true) return "dry-run";
  return force ? "force" : undefined;
}

/** Generates, prints the report, and returns the input files of the output. */
async function generateOnce(args: GenerateArguments): Promise<readonly string[]> {
  const start = performance.now();
  const results = await generateEach(requestOf(args));
  const seconds = Math.round(performance.now() - start) / 1000;
  const { dryRun = false, verbose } = args;
  const [only] = results;
  if (args.json) {
    const reports = results.map(reportOf);
    const report = results.length === 1 ? reports[0] : { results: reports };
    printJson({ ok: true, dryRun, seconds, ...report });
  } else if (only !== undefined && results.length === 1)
    for (const line of linesOf(only, { dryRun, seconds, verbose })) print(line);
  else {
    for (const line of results.flatMap((result) => linesOf(result, { dryRun, verbose })))
      print(line);
    print(`${count(results.length, "specification")} in ${seconds} s`);
  }
  if (!args.json) for (const line of await unusedModuleLines(args)) print(line);
  return results.flatMap(({ sources }) => sources);
}

/**
 * Returns a warning if the command line and the configuration select different support modules,
 * because later runs use the configuration.
 */
async function unusedModuleLines({ cwd, config, runtime }: GenerateArguments): Promise<string[]> {
  if (runtime === undefined) return [];
  const { config: configured, file } = await loadConfig(cwd, config);
  if (file === undefined || (configured.runtime ?? "copy") === runtime) return [];
  return [
    `The next run uses the configuration: set "runtime": "${runtime}" there to keep this choice`,
  ];
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
  const sources = await generateOnce(args);
  if (sources.length === 0) {
    print("Nothing to watch: the specification is bundled, and the project has no configuration");
    return ExitCode.ok;
  }
  const watcher = new SourceWatcher(async () => {
    try {
      if (configured !== undefined) refuseMissing(configured, args);
      return await generateOnce(args);
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
