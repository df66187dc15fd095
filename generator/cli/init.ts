import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { writeAtomically } from "../output/replace.js";
import type { SingleConfig } from "../project/config.js";
import { configFile, configIn } from "../project/config-file.js";
import { InputError } from "../support/diagnostics.js";
import { withSlashes } from "../support/paths.js";
import { refuseForeignPaths } from "../project/own-paths.js";
import { prepare, type Prepared } from "../project/project.js";
import { hasLibrary } from "../project/runtime-choice.js";
import { resolveSettings } from "../project/settings.js";
import { linesOf, reportOf, requestOf, type GenerateArguments } from "./generate.js";
import { ExitCode, print, printError, printJson } from "./output.js";
import { compilerAdvice, markGenerated, missingCompiler, toolAdvice } from "./project-tools.js";
import { askForSettings } from "./questions.js";

/** Runs `a2a-codegen init`: writes the configuration, the first output and the agent skeleton. */
export async function initCommand(args: GenerateArguments & { readonly yes: boolean }): Promise<number> {
  const path = join(args.cwd, configFile);
  refusePresent(args);
  const interactive = !args.yes && !args.json && process.stdin.isTTY && process.stdout.isTTY;
  const requested = requestOf(args);
  // If the project has installed this package, the output imports the package. Otherwise, for example with only `npx`,
  // it contains copies.
  const given = { ...(hasLibrary(args.cwd) && { runtime: "package" }), aliases: "none" as const, ...requested };
  const chosen = interactive ? await ask(given, args.cwd) : withDefaults(given);
  refuseForeignPaths({ config: chosen, folder: args.cwd }, { cwd: args.cwd, replaced: new Set() });
  const start = performance.now();
  const { config, write } = await prepareWith(chosen, given.agent === undefined, args);
  const result = write();
  writeAtomically(path, `${JSON.stringify({ $schema: schemaPath(args.cwd), ...config }, null, 2)}\n`);
  const seconds = Math.round(performance.now() - start) / 1000;
  const isMarked = markGenerated(args.cwd, config.out ?? result.out);
  const missingTools = missingCompiler(args.cwd);
  if (args.json) {
    printJson({ ok: true, config: configFile, seconds, ...reportOf(result), missingTools });
    return ExitCode.ok;
  }
  print(`${configFile} written`);
  print(
    config.runtime === "package"
      ? "The output imports its support modules from a2a-codegen: keep it in dependencies"
      : "The output has copies of its support modules",
  );
  for (const line of linesOf(result, { dryRun: false, seconds })) print(line);
  if (isMarked) print(".gitattributes marks the output as generated");
  for (const line of [...toolAdvice(args.cwd, config.out ?? result.out), ...compilerAdvice(missingTools)]) print(line);
  const first =
    config.agent !== undefined && result.generated?.service !== undefined ? `edit ${config.agent}, and ` : "";
  print(`Next: ${first}run \`npx a2a-codegen generate\` after a change of version`);
  return ExitCode.ok;
}

/**
 * Throws an `InputError` if a configuration exists, unless `force` is set and the existing configuration has the same
 * name.
 */
function refusePresent({ cwd, force }: GenerateArguments): void {
  const present = configIn(cwd);
  if (present === undefined) return;
  const name = basename(present);
  if (force && name === configFile) return;
  const alternative = name === configFile ? "replace it with --force" : "remove it and run this command again";
  const hint = `Edit it and run \`a2a-codegen generate\`, or ${alternative}`;
  throw new InputError({ location: { file: name }, message: "the project already has a configuration", hint });
}

/**
 * Prepares the output of a configuration. If the output has no server, no agent is created unless the user has
 * requested an agent.
 */
async function prepareWith(
  config: SingleConfig,
  isAgentSuggested: boolean,
  { cwd, force }: GenerateArguments,
): Promise<{ readonly config: SingleConfig; readonly write: Prepared["write"] }> {
  const request = { cwd, force, config: false, ...config } as const;
  const prepared = await prepare(request, await resolveSettings(request));
  const isAgentIgnored =
    isAgentSuggested && config.agent !== undefined && prepared.result.generated?.service === undefined;
  if (!isAgentIgnored) return { config, write: prepared.write };
  const rest = Object.fromEntries(Object.entries(config).filter(([key]) => key !== "agent"));
  return await prepareWith(rest, false, { cwd, force, json: false });
}

/**
 * Returns the path of the JSON Schema of configurations: in the folder in which this package is, or will be, installed.
 */
function schemaPath(cwd: string): string {
  const path = join("node_modules", "a2a-codegen", "config.schema.json");
  const holderOf = (folder: string): string | undefined => {
    if (existsSync(join(folder, path))) return folder;
    return dirname(folder) === folder ? undefined : holderOf(dirname(folder));
  };
  const found = withSlashes(relative(cwd, join(holderOf(cwd) ?? cwd, path)));
  return found.startsWith(".") ? found : `./${found}`;
}

/** Defaults of a new configuration. */
const usual = { spec: "1.0", out: "src/a2a", agent: "src/agent.ts" };

function withDefaults(given: SingleConfig): SingleConfig {
  const {
    spec = usual.spec,
    out = usual.out,
    agent = usual.agent,
    manifest,
    schema,
    versions,
    targets,
    templates,
    runtime,
    aliases,
    dropExpired,
    importExtension,
  } = given;
  return {
    spec,
    ...(schema !== undefined && { schema }),
    ...(manifest !== undefined && { manifest }),
    ...(versions !== undefined && { versions }),
    out,
    agent,
    ...(targets !== undefined && { targets: withTasks(targets) }),
    ...(templates !== undefined && { templates }),
    ...(runtime !== undefined && { runtime }),
    ...(aliases !== undefined && { aliases }),
    ...(dropExpired !== undefined && { dropExpired }),
    ...(importExtension !== undefined && { importExtension }),
  };
}

/** Adds the task kit to the targets of a new project with a server, unless the specification does not support it. */
function withTasks(targets: readonly string[]): readonly string[] {
  return targets.includes("server") && !targets.includes("tasks") ? [...targets, "tasks"] : targets;
}

/** Asks for the settings that the flags do not specify. */
async function ask(given: SingleConfig, cwd: string): Promise<SingleConfig> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const prompt = {
    question: (text: string) => terminal.question(text),
    refuse: (error: InputError): void => void printError(error, false),
  };
  try {
    return { ...withDefaults(given), ...(await askForSettings(given, usual, cwd, prompt)) };
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    const hint = "Run the command again, or use options (see `a2a-codegen init --help`)";
    throw new InputError({ message: "the questions were not completed, so nothing was written", hint });
  } finally {
    terminal.close();
  }
}
