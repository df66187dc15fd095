import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
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
import { prepare, type Prepared } from "../project/project.js";
import { importPath, resolveSettings } from "../project/settings.js";
import { withSlashes } from "../../support/paths.js";
import type { GenerateArguments } from "./request.js";
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

/** Adds the files of an example to a project that has a configuration. Changes nothing else. */
export async function addExample(
  name: ExampleName,
  { cwd, agent, json }: GenerateArguments,
): Promise<number> {
  const settings = await resolveSettings({ cwd });
  const pathOf = (path: string): string => withSlashes(relative(cwd, path));
  const sources = dirname(settings.agent ?? settings.out);
  const { importExtension } = settings.options;
  const project = {
    cwd,
    out: pathOf(settings.out),
    agent: agent ?? pathOf(join(sources, agentNameOf(name))),
    extension: importExtension === "none" ? "" : `.${importExtension}`,
  };
  const hint =
    "Add client, server and tasks to the targets of the configuration, and run `a2a-codegen " +
    "generate`";
  const example = prepareExample(name, project, hint);
  const { title } = (await prepare({ cwd }, settings)).result;
  // The modules must be on the disk, because this command does not write the output.
  example.check({ title });
  const written = example.write();
  if (json) {
    printJson({ ok: true, example: written, missingTools: missingCompiler(cwd) });
    return ExitCode.ok;
  }
  print(`Example written: ${written.join(", ")}`);
  for (const line of compilerAdvice(missingCompiler(cwd))) print(line);
  printStart(example.commands);
  return ExitCode.ok;
}
