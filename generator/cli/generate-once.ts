import { InputError } from "../../support/diagnostics.js";
import { count, ExitCode, print, printJson } from "../../tools/terminal/output.js";
import { loadConfig } from "../project/config-file.js";
import { checkOutput } from "./check.js";
import { linesOf, reportOf } from "./report.js";
import { listedRequestOf, type Generate, type GenerateArguments } from "./request.js";

/**
 * Runs `a2a-codegen generate` without `--watch`: generates once or only compares, and prints the
 * report.
 */
export async function runOnce(args: GenerateArguments, generate: Generate): Promise<number> {
  if (args.check === true) return await checkOutput(args, generate);
  await generateOnce(args, generate);
  return ExitCode.ok;
}

/** Throws an `InputError` for options that cannot be used together. */
export function checkModes(args: GenerateArguments): void {
  if (args.watch === true && (args.json || args.dryRun === true)) {
    const message = `--watch cannot be used with ${args.json ? "--json" : "--dry-run"}`;
    throw new InputError({ message, hint: "Remove one of them" });
  }
  const other = otherMode(args);
  if (args.check === true && other !== undefined) {
    const message = `--check cannot be used with --${other}`;
    throw new InputError({ message, hint: "Remove one of them" });
  }
}

/** Returns the option that changes how the output is written, if any. */
function otherMode({ watch, dryRun, force }: GenerateArguments): string | undefined {
  if (watch === true) return "watch";
  if (dryRun === true) return "dry-run";
  return force ? "force" : undefined;
}

/** Generates, prints the report, and returns the input files of the output. */
export async function generateOnce(
  args: GenerateArguments,
  generate: Generate,
): Promise<readonly string[]> {
  const start = process.hrtime.bigint();
  const results = await generate(listedRequestOf(args));
  const seconds = Math.round(Number(process.hrtime.bigint() - start) / 1e6) / 1000;
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
