import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { packageFolderAbove } from "../output/package.js";
import { writeAtomically } from "../output/replace.js";
import type { SingleConfig } from "../project/config.js";
import { configFile, configIn } from "../project/config-file.js";
import { InputError } from "../../support/diagnostics.js";
import { withSlashes } from "../../support/paths.js";
import { refuseForeignPaths } from "../project/own-paths.js";
import { hasImplementation } from "../project/implementations.js";
import { prepare, type GenerateResult, type Prepared } from "../project/project.js";
import { writeAgentsFiles, type AgentsFile } from "../project/agents-md.js";
import { agentCommands } from "../project/agent-commands.js";
import { agentNameOf, type ExampleName } from "../project/examples.js";
import { planPackages, type PackageChange } from "../project/dependencies.js";
import { libraryOf } from "../project/runtime-choice.js";
import { resolveSettings, type GenerateRequest } from "../project/settings.js";
import { linesOf, reportOf } from "./report.js";
import { requestOf, type GenerateArguments } from "./request.js";
import {
  addToProject,
  agentsLine,
  pathsOf,
  prepareExample,
  printStart,
  usual,
  usualProgram,
  type Usual,
} from "./init-example.js";
import { ExitCode, print, printJson } from "../../tools/terminal/output.js";
import { confirm, withPrompt } from "../../tools/terminal/questions.js";
import { compilerAdvice, markGenerated, missingCompiler, toolAdvice } from "./project-tools.js";
import { askForSettings } from "./questions.js";
import type { Arguments } from "./options.js";
import { defined } from "../../support/values.js";

/**
 * Runs `a2a-codegen init`: writes the configuration, the first output and the agent skeleton or an
 * example.
 */
export async function initCommand(args: Arguments<"init">): Promise<number> {
  if (isAddition(args)) return addToProject(args);
  refusePresent(args);
  const interactive = !args.yes && !args.json && process.stdin.isTTY && process.stdout.isTTY;
  const requested = requestOf(args);
  const hasPackage = packageFolderAbove(args.cwd) !== undefined;
  const given = { ...(hasPackage && { runtime: "package" }), ...requested };
  const defaults = defaultsOf(args.example);
  const { chosen, agentsMd } = interactive
    ? await ask(given, defaults, args)
    : { chosen: withDefaults(given, defaults), agentsMd: args.agentsMd === true };
  refuseForeignPaths({ config: chosen, folder: args.cwd }, { cwd: args.cwd, replaced: new Set() });
  const paths = pathsOf({ ...defaults, ...chosen }, args.cwd);
  const example =
    args.example === undefined
      ? undefined
      : prepareExample(args.example, { ...paths, cwd: args.cwd });
  const packages = planPackages(args.cwd, chosen.runtime);
  const start = performance.now();
  const {
    config,
    result: planned,
    write,
  } = await prepareWith(chosen, given.agent === undefined, {
    cwd: args.cwd,
    force: args.force,
    addsLibrary: packages !== undefined && packages.dependencies.length > 0,
  });
  example?.check(planned);
  const result = write();
  packages?.write();
  const path = join(args.cwd, configFile);
  writeAtomically(
    path,
    `${JSON.stringify({ $schema: schemaPath(args.cwd), ...writtenConfig(config, result) }, null, 2)}\n`,
  );
  const written = example?.write() ?? [];
  const agentsFiles = agentsMd ? writeAgentsFiles(args.cwd, pathsOf(config, args.cwd)) : [];
  const seconds = Math.round(performance.now() - start) / 1000;
  const isMarked = markGenerated(args.cwd, config.out ?? result.out);
  if (args.json) {
    const missingTools = missingCompiler(args.cwd);
    const files = { ...(example && { example: written }), ...(agentsMd && { agentsFiles }) };
    const { dependencies = [], devDependencies = [] } = packages ?? {};
    printJson({
      ok: true,
      config: configFile,
      seconds,
      ...reportOf(result),
      missingTools,
      dependencies,
      devDependencies,
      ...files,
    });
    return ExitCode.ok;
  }
  const commands = example?.commands ?? [];
  const { verbose } = args;
  const done = { config, result, seconds, isMarked, written, agentsFiles, commands, packages };
  report({ ...done, verbose }, args.cwd);
  return ExitCode.ok;
}

/** Data for the report of `init`. */
interface Initialized {
  readonly config: SingleConfig;
  readonly result: GenerateResult;
  readonly seconds: number;
  /** Whether `.gitattributes` was changed. */
  readonly isMarked: boolean;
  /** Files of the example. */
  readonly written: readonly string[];
  readonly agentsFiles: readonly AgentsFile[];
  /** Commands that start the example. */
  readonly commands: readonly string[];
  /** Whether to list the values that bindings lose. */
  readonly verbose: boolean;
  /** The change of `package.json`, if it was changed. */
  readonly packages: PackageChange | undefined;
}

/** Prints what `init` has written, and what to do next. */
function report({ config, result, ...done }: Initialized, cwd: string): void {
  print(`${configFile} written`);
  print(runtimeLine(config, done.packages));
  const { seconds, verbose } = done;
  for (const line of linesOf(result, { dryRun: false, seconds, verbose })) print(line);
  if (done.written.length > 0) print(`Example written: ${done.written.join(", ")}`);
  for (const file of done.agentsFiles) print(agentsLine(file));
  if (done.isMarked) print(".gitattributes marks the output as generated");
  const advice = [
    ...toolAdvice(cwd, config.out ?? result.out),
    ...compilerAdvice(missingCompiler(cwd)),
  ];
  for (const line of advice) print(line);
  if (done.commands.length > 0) return printStart(done.commands);
  const { generated } = result;
  if (config.agent !== undefined && generated !== undefined && hasImplementation(generated)) {
    const edited = result.implementations?.map(({ file }) => file).join(", ") ?? config.agent;
    const commands = agentCommands({ cwd, ...pathsOf(config, cwd) });
    print(
      commands.length > 0
        ? `Next, edit ${edited}, and start ${edited === config.agent ? "it" : config.agent}:`
        : `Next, edit ${edited}`,
    );
    for (const command of commands) print(`  ${command}`);
  }
  print("After a change of version, run `npx a2a-codegen generate`");
}

/** Returns the line that says where the support modules of the output are. */
function runtimeLine({ runtime }: SingleConfig, packages: PackageChange | undefined): string {
  if (runtime === undefined || runtime === "copy")
    return "The output has copies of its support modules";
  const imports = `The output imports ${libraryOf(runtime) ?? runtime}`;
  if (packages === undefined) return imports;
  const { file, dependencies, devDependencies } = packages;
  const places = [
    ...dependencies.map((name) => `${name} in dependencies`),
    ...devDependencies.map((name) => `${name} in devDependencies`),
  ];
  return `${imports}; ${file} now has ${places.join(" and ")}: run \`npm install\``;
}

/**
 * Returns whether `init` adds an example or the files for coding agents to a project that has a
 * configuration: the command has no options that a new configuration would contain.
 */
function isAddition(args: Arguments<"init">): boolean {
  const hasAddition = args.example !== undefined || args.agentsMd === true;
  if (args.force || !hasAddition || configIn(args.cwd) === undefined) return false;
  const others = new Set(["cwd", "agent"]);
  return Object.entries(requestOf(args)).every(
    ([key, value]) => others.has(key) || value === undefined || value === false,
  );
}

/**
 * Throws an `InputError` if a configuration exists, unless `force` is set and the existing
 * configuration has the same name.
 */
function refusePresent({ cwd, force }: GenerateArguments): void {
  const present = configIn(cwd);
  if (present === undefined) return;
  const name = basename(present);
  if (force && name === configFile) return;
  const alternative =
    name === configFile ? "replace it with --force" : "remove it and run this command again";
  const hint = `Edit it and run \`a2a-codegen generate\`, or ${alternative}`;
  throw new InputError({
    location: { file: name },
    message: "the project already has a configuration",
    hint,
  });
}

/**
 * Prepares the output of a configuration. Unless the user has requested an agent, no agent is
 * created if the output has no server, and services that are not agents get a program instead.
 */
async function prepareWith(
  config: SingleConfig,
  isAgentSuggested: boolean,
  { cwd, force, addsLibrary }: Required<Pick<GenerateRequest, "cwd" | "force" | "addsLibrary">>,
): Promise<Pick<Prepared, "result" | "write"> & { readonly config: SingleConfig }> {
  const request = { cwd, force, config: false, addsLibrary, ...config } as const;
  const prepared = await prepare(request, await resolveSettings(request));
  const { generated } = prepared.result;
  if (!isAgentSuggested || config.agent === undefined || generated?.service !== undefined)
    return { config, ...prepared };
  const rest: SingleConfig = Object.fromEntries(
    Object.entries(config).filter(([key]) => key !== "agent"),
  );
  const isServed = generated !== undefined && generated.implementations.length > 0;
  const named = isServed && config.agent === usual.agent ? { agent: usualProgram } : {};
  const chosen = { ...rest, ...(isServed && { agent: config.agent }), ...named };
  return await prepareWith(chosen, false, { cwd, force, addsLibrary });
}

/** Returns a configuration for its file, where the program of services is not called an agent. */
function writtenConfig(config: SingleConfig, { implementations }: GenerateResult): object {
  if (implementations === undefined) return config;
  const keyOf = (key: string): string => (key === "agent" ? "implementation" : key);
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [keyOf(key), value]));
}

/**
 * Returns the path of the JSON Schema of configurations: in the folder in which this package is, or
 * will be, installed.
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

/**
 * Returns the defaults of a new configuration. The agent of an example has the name that the
 * example's page uses.
 */
function defaultsOf(example: ExampleName | undefined): Usual {
  return example === undefined ? usual : { ...usual, agent: `src/${agentNameOf(example)}` };
}

function withDefaults(given: SingleConfig, defaults: Usual): SingleConfig {
  const {
    spec = defaults.spec,
    out = defaults.out,
    agent = defaults.agent,
    manifest,
    schema,
    protoPaths,
    versions,
    targets,
    templates,
    runtime,
    aliases,
    importExtension,
  } = given;
  return defined({
    spec,
    schema,
    manifest,
    protoPaths,
    versions,
    out,
    agent,
    ...(targets !== undefined && { targets: withTasks(targets) }),
    templates,
    runtime,
    aliases,
    importExtension,
  });
}

/**
 * Adds the task kit to the targets of a new project with a server, unless the specification does
 * not support it.
 */
function withTasks(targets: readonly string[]): readonly string[] {
  return targets.includes("server") && !targets.includes("tasks") ? [...targets, "tasks"] : targets;
}

/** Asks for the settings that the flags do not specify. */
async function ask(
  given: SingleConfig,
  defaults: Usual,
  { cwd, agentsMd }: Arguments<"init">,
): Promise<Answered> {
  const interrupted = new InputError({
    message: "the questions were not completed, so nothing was written",
    hint: "Run the command again, or use options (see `a2a-codegen init --help`)",
  });
  return await withPrompt(async (prompt) => {
    const answers = await askForSettings(given, defaults, cwd, prompt);
    const question = "Instructions for coding agents (AGENTS.md)?";
    return {
      chosen: { ...withDefaults(given, defaults), ...answers },
      agentsMd: agentsMd ?? (await confirm(prompt, question)),
    };
  }, interrupted);
}

/** Answers to all questions. */
interface Answered {
  readonly chosen: SingleConfig;
  readonly agentsMd: boolean;
}
