import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { writeAtomically } from "../output/replace.js";
import type { SingleConfig } from "../project/config.js";
import { configFile, configIn } from "../project/config-file.js";
import { InputError } from "../support/diagnostics.js";
import { withSlashes } from "../support/paths.js";
import { refuseForeignPaths } from "../project/own-paths.js";
import { prepare, type GenerateResult, type Prepared } from "../project/project.js";
import { specRegistry } from "../input/registry.js";
import { writeAgentsFiles, type AgentsFile } from "../project/agents-md.js";
import { checkExample, exampleFiles, startCommands, writeExample, type ExampleName } from "../project/examples.js";
import { hasLibrary } from "../project/runtime-choice.js";
import { importPath, resolveSettings } from "../project/settings.js";
import { linesOf, reportOf, requestOf, type GenerateArguments } from "./generate.js";
import { ExitCode, print, printError, printJson } from "./output.js";
import { compilerAdvice, markGenerated, missingCompiler, toolAdvice } from "./project-tools.js";
import { askForSettings, confirm } from "./questions.js";

/** Arguments of `init`. */
export interface InitArguments extends GenerateArguments {
  readonly yes: boolean;
  readonly example?: ExampleName | undefined;
  readonly agentsMd?: boolean | undefined;
}

/** Runs `a2a-codegen init`: writes the configuration, the first output and the agent skeleton or an example. */
export async function initCommand(args: InitArguments): Promise<number> {
  refusePresent(args);
  const interactive = !args.yes && !args.json && process.stdin.isTTY && process.stdout.isTTY;
  const requested = requestOf(args);
  // If the project has installed this package, the output imports the package. Otherwise, for example with only `npx`,
  // it contains copies.
  const given = { ...(hasLibrary(args.cwd) && { runtime: "package" }), aliases: "none" as const, ...requested };
  const { chosen, agentsMd } = interactive
    ? await ask(given, args)
    : { chosen: withDefaults(given), agentsMd: args.agentsMd === true };
  refuseForeignPaths({ config: chosen, folder: args.cwd }, { cwd: args.cwd, replaced: new Set() });
  const example = args.example === undefined ? undefined : prepareExample(args.example, chosen, args.cwd);
  const start = performance.now();
  const { config, result: planned, write } = await prepareWith(chosen, given.agent === undefined, args);
  example?.check(planned);
  const result = write();
  const path = join(args.cwd, configFile);
  writeAtomically(path, `${JSON.stringify({ $schema: schemaPath(args.cwd), ...config }, null, 2)}\n`);
  const written = example?.write() ?? [];
  const agentsFiles = agentsMd ? writeAgentsFiles(args.cwd, pathsOf(config, args.cwd)) : [];
  const seconds = Math.round(performance.now() - start) / 1000;
  const isMarked = markGenerated(args.cwd, config.out ?? result.out);
  if (args.json) {
    const missingTools = missingCompiler(args.cwd);
    const files = { ...(example && { example: written }), ...(agentsMd && { agentsFiles }) };
    printJson({ ok: true, config: configFile, seconds, ...reportOf(result), missingTools, ...files });
    return ExitCode.ok;
  }
  const commands = example?.commands ?? [];
  report({ config, result, seconds, isMarked, written, agentsFiles, commands }, args.cwd);
  return ExitCode.ok;
}

/** Result of `init` for its report. */
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
}

/** Prints what `init` has written, and what to do next. */
function report({ config, result, ...done }: Initialized, cwd: string): void {
  print(`${configFile} written`);
  print(
    config.runtime === "package"
      ? "The output imports its support modules from a2a-codegen: keep it in dependencies"
      : "The output has copies of its support modules",
  );
  for (const line of linesOf(result, { dryRun: false, seconds: done.seconds })) print(line);
  if (done.written.length > 0) print(`Example written: ${done.written.join(", ")}`);
  for (const file of done.agentsFiles) print(lineOf(file));
  if (done.isMarked) print(".gitattributes marks the output as generated");
  const advice = [...toolAdvice(cwd, config.out ?? result.out), ...compilerAdvice(missingCompiler(cwd))];
  for (const line of advice) print(line);
  if (done.commands.length > 0) {
    print("Next, start the example:");
    for (const command of done.commands) print(`  ${command}`);
    return;
  }
  const isMine = config.agent !== undefined && result.generated?.service !== undefined;
  print(
    `Next: ${isMine ? `edit ${config.agent}, and ` : ""}run \`npx a2a-codegen generate\` after a change of version`,
  );
}

/** Prepares an example for a project. Throws an `InputError` if one of its files exists. */
function prepareExample(name: ExampleName, config: SingleConfig, cwd: string) {
  const { out, agent, extension } = pathsOf(config, cwd);
  const project = { cwd, out, agent, extension };
  const files = exampleFiles(name, project);
  return {
    /** Throws an `InputError` if the output does not contain the modules that the example imports. */
    check({ title, generated }: Prepared["result"]): void {
      const has = (file: string): boolean =>
        generated?.files.some(({ path }) => path === file) ?? existsSync(join(cwd, out, file));
      checkExample(name, { title, has }, (version) => specRegistry(cwd).find(version).title);
    },
    write: () => writeExample(files, project),
    commands: startCommands(name, project),
  };
}

function pathsOf({ out = usual.out, agent = usual.agent, importExtension = "js" }: SingleConfig, cwd: string) {
  const extension = importExtension === "none" ? "" : `.${importExtension}`;
  return { out, agent, extension, agentImport: importPath(join(cwd, agent), join(cwd, out)) };
}

function lineOf({ path, state, reason }: AgentsFile): string {
  if (state === "extended") return `${path} has a new section for coding agents`;
  return state === "created" ? `${path} written for coding agents` : `${path} is unchanged: ${reason ?? ""}`;
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
): Promise<Pick<Prepared, "result" | "write"> & { readonly config: SingleConfig }> {
  const request = { cwd, force, config: false, ...config } as const;
  const prepared = await prepare(request, await resolveSettings(request));
  const isAgentIgnored =
    isAgentSuggested && config.agent !== undefined && prepared.result.generated?.service === undefined;
  if (!isAgentIgnored) return { config, ...prepared };
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
async function ask(given: SingleConfig, { cwd, agentsMd }: InitArguments): Promise<Answered> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const prompt = {
    question: (text: string) => terminal.question(text),
    refuse: (error: InputError): void => void printError(error, false),
  };
  try {
    const chosen = { ...withDefaults(given), ...(await askForSettings(given, usual, cwd, prompt)) };
    return { chosen, agentsMd: agentsMd ?? (await confirm(prompt, "Instructions for coding agents (AGENTS.md)?")) };
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    const hint = "Run the command again, or use options (see `a2a-codegen init --help`)";
    throw new InputError({ message: "the questions were not completed, so nothing was written", hint });
  } finally {
    terminal.close();
  }
}

/** Answers to all questions. */
interface Answered {
  readonly chosen: SingleConfig;
  readonly agentsMd: boolean;
}
