import { findingsIn, readAdvisories } from "../project/advisories.js";
import { loadConfig } from "../project/config-file.js";
import { InputError } from "../../support/diagnostics.js";
import type { AdaptedVersion } from "../project/project.js";
import { generateEach, type GenerateRequest, type GenerateResult } from "../project/project.js";
import { fidelityLines } from "./fidelity.js";
import { mergeLines } from "./merge.js";
import { SourceWatcher } from "./watch.js";
import { auditedFolders } from "./audit.js";
import { count, ExitCode, print, printError, printJson } from "../../tools/terminal/output.js";
import type { Arguments } from "./options.js";

/** Arguments of `generate`, and of other commands that write the output. */
export type GenerateArguments = Partial<Arguments<"generate">> &
  Pick<Arguments<"generate">, "cwd" | "force" | "json">;

/** Runs `a2a-codegen generate`. */
export async function generateCommand(args: GenerateArguments): Promise<number> {
  if (args.watch === true && (args.json || args.dryRun === true)) {
    const message = `--watch cannot be used with ${args.json ? "--json" : "--dry-run"}`;
    throw new InputError({ message, hint: "Remove one of them" });
  }
  const other =
    args.watch === true
      ? "watch"
      : args.dryRun === true
        ? "dry-run"
        : args.force
          ? "force"
          : undefined;
  if (args.check === true && other !== undefined) {
    throw new InputError({
      message: `--check cannot be used with --${other}`,
      hint: "Remove one of them",
    });
  }
  if (args.check === true) return await checkOutput(args);
  if (args.watch === true) return await watchSources(args);
  await generateOnce(args);
  return ExitCode.ok;
}

/** Converts the arguments of the command line to a request. */
export function requestOf(args: GenerateArguments): GenerateRequest {
  const targets = listed(args.targets);
  if (targets?.length === 0)
    throw new InputError({
      message: "--targets is empty",
      hint: "`a2a-codegen list` prints the targets",
    });
  const versions = listed(args.versions);
  if (versions?.length === 0)
    throw new InputError({
      message: "--versions is empty",
      hint: "`a2a-codegen list` prints the versions",
    });
  const extensions = listed(args.extension);
  if (extensions?.length === 0)
    throw new InputError({
      message: "--extension is empty",
      hint: "Specify the JSON Schema of an extension",
    });
  const chosen = { ...args, targets, versions, extensions, protoPaths: args.protoPath };
  const keys = [
    "spec",
    "manifest",
    "schema",
    "protoPaths",
    "versions",
    "extensions",
    "out",
    "targets",
    "templates",
    "runtime",
    "agent",
    "aliases",
    "importExtension",
    "config",
  ] as const;
  const given = Object.fromEntries(
    keys.filter((key) => chosen[key] !== undefined).map((key) => [key, chosen[key]]),
  );
  return {
    cwd: args.cwd,
    force: args.force,
    dryRun: args.dryRun === true,
    check: args.check === true,
    ...given,
  };
}

/** Splits a comma-separated list of names. */
function listed(text: string | undefined): string[] | undefined {
  return text?.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

/** Generates, prints the report, and returns the input files of the output. */
async function generateOnce(args: GenerateArguments): Promise<readonly string[]> {
  const start = performance.now();
  const results = await generateEach(requestOf(args));
  const seconds = Math.round(performance.now() - start) / 1000;
  const dryRun = args.dryRun === true;
  const [only] = results;
  if (args.json) {
    const reports = results.map(reportOf);
    const report = results.length === 1 ? reports[0] : { results: reports };
    printJson({ ok: true, dryRun, seconds, ...report });
  } else if (only !== undefined && results.length === 1)
    for (const line of linesOf(only, { dryRun, seconds })) print(line);
  else {
    for (const line of results.flatMap((result) => linesOf(result, { dryRun }))) print(line);
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

/** Runs `--check`: prints the files of the output that are not up to date. */
async function checkOutput(args: GenerateArguments): Promise<number> {
  const results = await generateEach(requestOf(args));
  const isFine = results.every(({ drift = [] }) => drift.length === 0);
  if (args.json) {
    const outputs = results.map(({ title, out, drift = [], formatted = [], merge }) => {
      return { spec: title, out, drift, formatted, merge };
    });
    printJson({ ok: isFine, upToDate: isFine, outputs });
  } else for (const line of results.flatMap(driftLines)) print(line);
  if (!args.json) for (const line of await auditLines(args)) print(line);
  return isFine ? ExitCode.ok : ExitCode.failed;
}

/**
 * Returns a note about known problems of copied modules. Unlike `audit`, `--check` does not fail
 * because of them.
 */
async function auditLines(args: GenerateArguments): Promise<string[]> {
  const advisories = readAdvisories();
  const folders = advisories.length === 0 ? [] : await auditedFolders(requestOf(args));
  const findings = folders.flatMap((folder) => findingsIn(folder, advisories, args.cwd));
  if (findings.length === 0) return [];
  return [
    `${count(findings.length, "known problem")} in copied modules: run \`a2a-codegen audit\``,
  ];
}

function driftLines({ title, out, drift = [], formatted = [], merge }: GenerateResult): string[] {
  const note =
    formatted.length === 0 ? "" : ` (${count(formatted.length, "file")} formatted since)`;
  if (drift.length === 0) return [`${title} → ${out}: up to date${note}`];
  const lines = drift.map(({ path, state, reason }) => `  ${state.padEnd(8)} ${path} (${reason})`);
  const merged = mergeLines(merge, true).map((line) => `  ${line}`);
  return [
    `${title} → ${out}: ${count(drift.length, "file")} not up to date`,
    ...lines,
    ...merged,
    ...fixLines(drift),
  ];
}

type Drift = NonNullable<GenerateResult["drift"]>[number];

/** Returns the hints for the files that are not up to date. */
function fixLines(drift: readonly Drift[]): string[] {
  const needs = (fix: Drift["fix"]): boolean => drift.some((one) => one.fix === fix);
  const force =
    "  `a2a-codegen generate --force` overwrites edited files; first move edits that you want to " +
    "keep";
  return [
    ...(needs("force")
      ? [force]
      : needs("generate")
        ? ["  Run `a2a-codegen generate` to update it"]
        : []),
    ...(needs("move")
      ? ["  files that were not generated are kept: delete them, or move them out of the folder"]
      : []),
  ];
}

/** Returns the report of a run as JSON. */
export function reportOf(result: GenerateResult): object {
  const { title, match, out, changes, generated, agent, merge, needs } = result;
  const { droppedTargets = [], others = [], ignoredAgent, deletedAgent } = result;
  const { counts, omissions, losses, dropped, versions } = generated ?? {};
  return {
    spec: title,
    match,
    out,
    ...changes,
    droppedTargets,
    others,
    counts,
    omissions: omissions ?? [],
    losses: losses ?? [],
    versions: versions ?? [],
    droppedNames: dropped?.map(({ kind, old, now }) => ({ kind, old, now })) ?? [],
    agent,
    ignoredAgent,
    deletedAgent,
    merge,
    missingPackages: needs.missing,
    commonJs: needs.commonJs,
  };
}

/** Options for the text of a report. */
interface LineOptions {
  /** Whether the run has written no files. */
  readonly dryRun: boolean;
  /** Whether to name the files that would be written. Defaults to `dryRun`. */
  readonly listFiles?: boolean;
  readonly seconds?: number;
}

/** Returns the report of a run as lines of text. */
export function linesOf(
  result: GenerateResult,
  { dryRun, listFiles = dryRun, seconds }: LineOptions,
): string[] {
  const { title, out, changes, generated, agent, ignoredAgent, deletedAgent, merge, needs } =
    result;
  const time = seconds === undefined ? [] : [`${seconds} s`];
  const deleted =
    deletedAgent === undefined
      ? []
      : [
          `  ${deletedAgent} was deleted, and is not created again: remove "agent" from the ` +
            `configuration, or create it with --agent ${deletedAgent}`,
        ];
  if (generated === undefined)
    return [
      `${title} → ${out}: up to date ` +
        `(${[count(changes.unchanged.length, "file"), ...time].join(", ")})`,
      ...deleted,
    ];
  const { counts, omissions, losses, versions } = generated;
  const would = dryRun ? "would be " : "";
  const packages = needs.missing.join(" ");
  return [
    `${title} → ${out}${time.length === 0 ? "" : ` (${time.join("")})`}`,
    ...matchLines(result),
    `  ${countsLine(counts)}`,
    `  ${count(changes.written.length, "file")} ${would}written, ${changes.unchanged.length} ` +
      `unchanged, ${changes.removed.length} ${would}removed${removalReason(result)}`,
    ...(listFiles ? changes.written.map((path) => `    write  ${path}`) : []),
    ...(listFiles ? changes.removed.map((path) => `    remove ${path}`) : []),
    ...othersLines(result),
    ...(agent === undefined ? [] : [`  ${agent} created; it is yours to edit`]),
    ...(ignoredAgent === undefined
      ? []
      : [`  the agent ${ignoredAgent} is ignored: it requires the target server`]),
    ...deleted,
    ...mergeLines(merge, dryRun).map((line) => `  ${line}`),
    ...omissions.map(
      ({ target, subject, reason }) => `  left out of ${target}: ${subject} (${reason})`,
    ),
    ...fidelityLines(losses).map((line) => `  ${line}`),
    ...versions.map(versionLine),
    ...(needs.commonJs ? [`  ${commonJsAdvice(needs, generated.library.length > 0)}`] : []),
    ...(packages === ""
      ? []
      : [`  the output imports packages that are not installed: npm install ${packages}`]),
  ];
}

/** Returns the hint that explains how to compile the output in a CommonJS project. */
function commonJsAdvice({ isNext }: GenerateResult["needs"], hasLibrary: boolean): string {
  if (isNext)
    return (
      'package.json has "type": "commonjs", with which Next.js refuses ES modules: run npm pkg ' +
      "delete type"
    );
  const copies = 'with --runtime copy, "module": "commonjs" also works';
  const choice = hasLibrary
    ? `set "module": "nodenext" in tsconfig.json, or run npm pkg set type=module; ${copies}`
    : 'set "module" to "commonjs" or "nodenext" in tsconfig.json, or run npm pkg set type=module';
  return `the project is CommonJS, and the output is compiled to CommonJS: ${choice}`;
}

/**
 * Returns the line about another version that the output supports, with the losses of the
 * conversion.
 */
function versionLine({ title, folder, losses }: AdaptedVersion): string {
  const lost = count(losses.length, "difference");
  return (
    `  ${folder}/ supports ${title}; ${lost} cannot be converted (listed in its index.ts and ` +
    "with --json)"
  );
}

/**
 * Returns lines about the bundled manifest that a specification given by path uses, or could use.
 */
function matchLines({ title, match }: GenerateResult): string[] {
  if (match === undefined) return [];
  const { id, version, differences } = match;
  if (differences === 0) return [`  ${title} matches A2A ${version}, so its manifest is used`];
  return [
    `  ${title} does not match any bundled version, so no manifest is used; the nearest is A2A ` +
      `${version}, with ${count(differences, "difference")}: --manifest ${id} uses its manifest`,
  ];
}

function countsLine({
  messages,
  enums,
  operations,
  errors,
}: NonNullable<GenerateResult["generated"]>["counts"]): string {
  const parts = [
    count(messages, "message"),
    count(enums, "enum"),
    count(operations, "operation"),
    count(errors, "error"),
  ];
  return parts.join(", ");
}

/**
 * Returns a warning if the output folder also contains files that were not generated, because this
 * is rarely intended.
 */
function othersLines({ out, others = [] }: GenerateResult): string[] {
  if (others.length === 0) return [];
  const more = others.length > 3 ? ", …" : "";
  const [are, them] = others.length === 1 ? ["is", "it"] : ["are", "them"];
  const names = others.slice(0, 3).join(", ") + more;
  return [
    `  ${count(others.length, "file")} in ${out} ${are} not generated (${names}): --check will ` +
      `report ${them}; choose a separate folder with --out`,
  ];
}

/** Returns the reason why files are removed, if the user may not expect the removal. */
function removalReason({ changes, droppedTargets = [] }: GenerateResult): string {
  if (changes.removed.length === 0 || droppedTargets.length === 0) return "";
  const [target, are] = droppedTargets.length === 1 ? ["target", "is"] : ["targets", "are"];
  return ` (${target} ${droppedTargets.join(", ")} ${are} no longer chosen)`;
}

/** Generates again after every change, until the process ends. */
async function watchSources(args: GenerateArguments): Promise<number> {
  const started = Date.now();
  const sources = await generateOnce(args);
  if (sources.length === 0) {
    print("Nothing to watch: the specification is bundled, and the project has no configuration");
    return ExitCode.ok;
  }
  const watcher = new SourceWatcher(async () => {
    try {
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
