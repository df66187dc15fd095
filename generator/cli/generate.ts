import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import { InputError } from "../diagnostics.js";
import { generateInto, type GenerateRequest, type GenerateResult } from "../project.js";
import { exit, print, printError, printJson } from "./output.js";

/** The arguments of `generate`. */
export interface GenerateArguments {
  readonly cwd: string;
  readonly spec?: string | undefined;
  readonly manifest?: string | undefined;
  readonly out?: string | undefined;
  readonly targets?: string | undefined;
  readonly templates?: string | undefined;
  readonly agent?: string | undefined;
  readonly importExtension?: "js" | "ts" | "none" | undefined;
  readonly config?: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
  readonly dryRun?: boolean;
  readonly watch?: boolean;
}

/** `a2a-codegen generate`. */
export async function generateCommand(args: GenerateArguments): Promise<number> {
  if (args.watch === true && (args.json || args.dryRun === true)) {
    const problem = `--watch cannot be used with ${args.json ? "--json" : "--dry-run"}`;
    throw new InputError({ problem, remedy: "Leave one of them out" });
  }
  const result = await generateOnce(args);
  if (args.watch !== true) return exit.fine;
  return await watchSources(args, result);
}

/** Turns the arguments of the command line into a request. */
export function requestOf(args: GenerateArguments): GenerateRequest {
  const targets = args.targets?.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  if (targets?.length === 0)
    throw new InputError({ problem: "--targets names no target", remedy: "`a2a-codegen list` shows the targets" });
  const chosen = { ...args, targets };
  const keys = ["spec", "manifest", "out", "targets", "templates", "agent", "importExtension", "config"] as const;
  const given = Object.fromEntries(keys.filter((key) => chosen[key] !== undefined).map((key) => [key, chosen[key]]));
  return { cwd: args.cwd, force: args.force, dryRun: args.dryRun === true, ...given };
}

async function generateOnce(args: GenerateArguments): Promise<GenerateResult> {
  const start = performance.now();
  const result = await generateInto(requestOf(args));
  const seconds = Math.round(performance.now() - start) / 1000;
  if (args.json) printJson({ ok: true, dryRun: args.dryRun === true, seconds, ...reportOf(result) });
  else for (const line of linesOf(result, args.dryRun === true, seconds)) print(line);
  return result;
}

/** The report of a run, for programs. */
export function reportOf({ title, out, changes, generated, agent, needs }: GenerateResult): object {
  const { counts, omissions } = generated ?? {};
  return {
    spec: title,
    out,
    ...changes,
    counts,
    omissions: omissions ?? [],
    agent,
    missingPackages: needs.missing,
    commonJs: needs.commonJs,
  };
}

/** The report of a run, for people. */
export function linesOf(result: GenerateResult, dryRun: boolean, seconds: number): string[] {
  const { title, out, changes, generated, agent, needs } = result;
  if (generated === undefined)
    return [`${title} → ${out}: up to date (${changes.unchanged.length} files, ${seconds} s)`];
  const { counts, omissions } = generated;
  const would = dryRun ? "would be " : "";
  const packages = needs.missing.join(" ");
  return [
    `${title} → ${out} (${seconds} s)`,
    `  ${counts.messages} messages, ${counts.enums} enums, ${counts.operations} operations, ${counts.errors} errors`,
    `  ${count(changes.written, "file")} ${would}written, ${changes.unchanged.length} unchanged, ${changes.removed.length} ${would}removed`,
    ...(dryRun ? changes.written.map((path) => `    write  ${path}`) : []),
    ...(dryRun ? changes.removed.map((path) => `    remove ${path}`) : []),
    ...(agent === undefined ? [] : [`  ${agent} created; it is yours to edit`]),
    ...omissions.map(({ target, subject, reason }) => `  left out of ${target}: ${subject} (${reason})`),
    ...(needs.commonJs ? ["  the project is CommonJS, the output is ESM: npm pkg set type=module"] : []),
    ...(packages === "" ? [] : [`  the output imports ${packages}, which the project lacks: npm install ${packages}`]),
  ];
}

/** Generates again at every change, until the process is ended. */
async function watchSources(args: GenerateArguments, first: GenerateResult): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  let watchers: FSWatcher[] = [];
  const again = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), 50);
  };
  const run = async (): Promise<void> => {
    try {
      follow((await generateOnce(args)).sources);
    } catch (error) {
      printError(error, args.json);
    }
  };
  const follow = (sources: readonly string[]): void => {
    for (const watcher of watchers) watcher.close();
    watchers = watchAll(sources, again);
  };
  follow(first.sources);
  print(`Watching ${first.sources.length} files; end with Ctrl+C`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  return exit.fine;
}

/** Watches files by the folders that they are in, because editors put a new file in the place of the old one. */
function watchAll(sources: readonly string[], changed: () => void): FSWatcher[] {
  const folders = new Map<string, Set<string> | undefined>();
  for (const path of sources) {
    if (statSync(path).isDirectory()) folders.set(path, undefined);
    else folders.set(dirname(path), (folders.get(dirname(path)) ?? new Set()).add(basename(path)));
  }
  return [...folders].map(([folder, names]) =>
    watch(folder, { recursive: names === undefined }, (_, name) => {
      if (name === null || names === undefined || names.has(name)) changed();
    }),
  );
}

function count(items: readonly unknown[], name: string): string {
  return `${items.length} ${name}${items.length === 1 ? "" : "s"}`;
}
