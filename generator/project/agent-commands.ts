import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Paths of a project, and the extension of its relative imports. */
export interface AgentProject {
  readonly cwd: string;
  readonly out: string;
  readonly agent: string;
  readonly extension: string;
}

/**
 * Returns the commands that compile and start an agent in a project, in order. `files` are the
 * files to compile with their imports, if the project has no `tsconfig.json`. Returns no commands
 * if imports have no extension or the project sets `noEmit`, because a tool other than the compiler
 * then builds the project.
 */
export function agentCommands(
  { cwd, out, agent, extension }: AgentProject,
  files: readonly string[] = [agent],
): string[] {
  const path = join(cwd, "tsconfig.json");
  const config = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (extension === "" || (config !== undefined && /"noEmit"\s*:\s*true/.test(config))) return [];
  const folder = posix.dirname(posix.normalize(agent));
  const isAround = folder === "." || posix.normalize(out).startsWith(`${folder}/`);
  const rootDir = optionIn(config, "rootDir") ?? (isAround ? folder : ".");
  const outDir = optionIn(config, "outDir") ?? (config === undefined ? "dist" : rootDir);
  const started = posix.join(outDir, posix.relative(rootDir, agent)).replace(/ts$/, "js");
  return [
    config === undefined ? compile(files.join(" "), { rootDir, outDir, extension }) : "npx tsc",
    `node ${started}`,
  ];
}

/**
 * Returns the value of a compiler option in the text of a `tsconfig.json`, which may contain
 * comments.
 */
function optionIn(config: string | undefined, name: string): string | undefined {
  return config === undefined
    ? undefined
    : new RegExp(`"${name}"\\s*:\\s*"([^"]+)"`).exec(config)?.[1];
}

/** Returns the command that compiles an agent in a project without a `tsconfig.json`. */
function compile(
  files: string,
  {
    rootDir,
    outDir,
    extension,
  }: { readonly rootDir: string; readonly outDir: string; readonly extension: string },
): string {
  const rewrite = extension === ".ts" ? " --rewriteRelativeImportExtensions" : "";
  return (
    `npx tsc ${files} --target es2022 --module nodenext --types node --strict --rootDir ` +
    `${rootDir} --outDir ${outDir}${rewrite}`
  );
}
