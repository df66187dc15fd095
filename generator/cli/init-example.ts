import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { specRegistry } from "../input/registry.js";
import type { SingleConfig } from "../project/config.js";
import {
  agentNameOf,
  checkExample,
  exampleFiles,
  startCommands,
  writeExample,
  type ExampleName,
  type ExampleProject,
} from "../project/examples.js";
import { writeAgentsFiles, type AgentsFile } from "../project/agents-md.js";
import { prepare, type Prepared } from "../project/project.js";
import { importPath, resolveSettings } from "../project/settings.js";
import { withSlashes } from "../../support/paths.js";
import type { Arguments } from "./options.js";
import { ExitCode, print, printJson } from "../../tools/terminal/output.js";
import { compilerAdvice, missingCompiler } from "./project-tools.js";

/** Defaults of a new configuration. */
export interface Usual {
  readonly spec: string;
  readonly out: string;
  readonly agent: string;
}

/** Defaults of a new configuration without an example. */
export const usual: Usual = { spec: "1.0", out: "src/a2a", agent: "src/agent.ts" };

/** Usual path of the program that serves services which are not agents. */
export const usualProgram = "src/server.ts";

/** Returns the paths of a configuration that the code of an agent depends on. */
export function pathsOf(
  { out = usual.out, agent = usual.agent, importExtension = "js" }: SingleConfig,
  cwd: string,
) {
  const extension = importExtension === "none" ? "" : `.${importExtension}`;
  return { out, agent, extension, agentImport: importPath(join(cwd, agent), join(cwd, out)) };
}

/**
 * Prepares an example for a project. Throws an `InputError` if a file of the example exists with
 * other content.
 */
export function prepareExample(name: ExampleName, project: ExampleProject, hint?: string) {
  const { cwd, out } = project;
  const files = exampleFiles(name, project);
  return {
    /**
     * Throws an `InputError` if the output does not contain the modules that the example imports.
     */
    check({ title, generated }: Pick<Prepared["result"], "title" | "generated">): void {
      const has = (file: string): boolean =>
        generated?.files.some(({ path }) => path === file) ?? existsSync(join(cwd, out, file));
      checkExample(name, { title, has }, (version) => specRegistry(cwd).find(version).title, hint);
    },
    write: () => writeExample(files, project),
    commands: startCommands(name, project),
  };
}

/** Prints the commands that start an example. */
export function printStart(commands: readonly string[]): void {
  print("Next, start the example:");
  for (const command of commands) print(`  ${command}`);
}

/** Additions to a project that has a configuration. */
type Additions = Pick<Arguments<"init">, "cwd" | "agent" | "json" | "example" | "agentsMd">;

/**
 * Adds the files of an example, or the files for coding agents, to a project that has a
 * configuration. Changes nothing else.
 */
export async function addToProject({
  cwd,
  agent: given,
  json,
  example: name,
  agentsMd = false,
}: Additions): Promise<number> {
  const settings = await resolveSettings({ cwd });
  const pathOf = (path: string): string => withSlashes(relative(cwd, path));
  const sources = dirname(settings.agent ?? settings.out);
  const usualAgent = settings.agent ?? join(sources, basename(usual.agent));
  const agent = given ?? pathOf(name === undefined ? usualAgent : join(sources, agentNameOf(name)));
  const { importExtension } = settings.options;
  const paths = pathsOf({ out: pathOf(settings.out), agent, importExtension }, cwd);
  const hint =
    "Add client, server and tasks to the targets of the configuration, and run `a2a-codegen " +
    "generate`";
  const example = name === undefined ? undefined : prepareExample(name, { ...paths, cwd }, hint);
  const { title } = (await prepare({ cwd }, settings)).result;
  // The modules must be on the disk, because this command does not write the output.
  example?.check({ title });
  const written = example?.write() ?? [];
  const agentsFiles = agentsMd ? writeAgentsFiles(cwd, paths) : [];
  const missingTools = missingCompiler(cwd);
  if (json) {
    const files = { ...(example && { example: written }), ...(agentsMd && { agentsFiles }) };
    printJson({ ok: true, ...files, missingTools });
    return ExitCode.ok;
  }
  for (const file of agentsFiles) print(agentsLine(file));
  if (example === undefined) return ExitCode.ok;
  print(`Example written: ${written.join(", ")}`);
  for (const line of compilerAdvice(missingTools)) print(line);
  printStart(example.commands);
  return ExitCode.ok;
}

/** Returns the line about a file for coding agents. */
export function agentsLine({ path, state, reason }: AgentsFile): string {
  if (state === "extended") return `${path} has a new section for coding agents`;
  return state === "created"
    ? `${path} written for coding agents`
    : `${path} is unchanged: ${reason ?? ""}`;
}
