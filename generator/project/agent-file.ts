import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { realPathOf, resolvesInto, resolvesOutside } from "../../support/real-path.js";
import { withSlashes } from "../../support/paths.js";
import type { Generated } from "../core/contract.js";
import { agentMethods, methodsByFile, type Lock } from "../output/lock.js";
import { checkFile } from "../output/write.js";
import type { AgentFile } from "./agent.js";
import type { Run } from "./input.js";
import { importPath, type Settings } from "./settings.js";

/**
 * Returns the pending text of a user's file by its absolute path; `undefined` for files without
 * pending changes.
 */
export type UserTexts = (path: string) => string | undefined;

/** File of the user into which methods can be merged, and the service that it implements. */
type MergeableFile = Pick<AgentFile, "path" | "service" | "known" | "removed" | "isOptional">;

/** Returns a merge into a file of the user. */
export function fileToMerge(
  { request, settings: { out, options } }: Run,
  { path, service, known, removed, isOptional = false }: MergeableFile,
  userText: UserTexts | undefined,
): AgentFile {
  const text = userText?.(path);
  const { importExtension } = options;
  return {
    path,
    shown: relative(request.cwd, path),
    out,
    outImport: importPath(path, out),
    service,
    known,
    removed,
    isOptional,
    importExtension,
    ...(text !== undefined && { text }),
  };
}

/** Returns the existing agent into which methods can be merged, if any. */
export function agentFile(
  { settings: { agent: path }, lock }: Run,
  { service }: Generated,
): MergeableFile | undefined {
  if (path === undefined || service === undefined || !existsSync(path)) return undefined;
  const known = agentMethods(lock?.methods);
  return { path, service, known, removed: agentMethods(lock?.gone) };
}

/**
 * Throws an `InputError` if a file of the user has the path of a generated file, or if the program
 * that serves services has the path of a file that implements a service.
 */
export function checkAgentPath(
  { request, settings }: Run,
  { files, implementations }: Generated,
): void {
  const { agent, out } = settings;
  if (agent === undefined) return;
  const paths = files.map(({ path }) => path);
  const shown = (path: string): string => relative(request.cwd, path);
  if (isAgentAmong(paths, settings)) {
    const [what, key] =
      implementations.length > 0 ? ["program", "implementation"] : ["agent", "agent"];
    throw new InputError({
      location: { file: shown(agent) },
      message: `the ${what} has the path of a generated file`,
      hint: `Choose another file with --${key} or "${key}" in the configuration`,
    });
  }
  const generated = new Set(paths.map((path) => resolve(out, path)));
  if (implementations.length > 0) checkProgramPath(shown(agent), agent, out);
  for (const { path: name, fullName } of implementations) {
    const path = resolve(dirname(agent), name);
    const refuse = (
      reason: string,
      own = "Choose another program with --implementation",
    ): never => {
      const message = `the implementation of ${fullName} ${reason}`;
      throw new InputError({ location: { file: shown(path) }, message, hint: own });
    };
    if (path === agent) refuse("has the path of the program");
    if (generated.has(path)) refuse("has the path of a generated file");
    // A link in a cloned repository must not lead to other files of the user.
    if (resolvesOutside(path, [dirname(agent), request.cwd, settings.configFolder]))
      refuse(`is a link to "${realPathOf(path)}", outside the project`, "Remove the link");
    const isWriting = request.dryRun !== true && request.check !== true;
    checkFile(path, shown(path), { willBeCreated: isWriting, what: "implementation" });
  }
}

/** Throws an `InputError` if a program cannot have a path, next to which are further files. */
function checkProgramPath(shown: string, program: string, out: string): void {
  const refuse = (message: string): never => {
    const hint = "Choose another file with --implementation, such as src/server.ts";
    throw new InputError({ location: { file: shown }, message, hint });
  };
  if (!/\.m?ts$/.test(program)) refuse("the program is not a file with the extension .ts or .mts");
  if (resolvesInto(program, [out]))
    refuse("the program is in the output folder, which belongs to the generator");
}

/** Returns whether the path of the agent is the path of a generated file. */
export function isAgentAmong(paths: readonly string[], settings: Settings): boolean {
  const path = agentIn(settings);
  return path !== undefined && paths.includes(path);
}

/** Returns the path of the agent from the output folder, as the lock file contains it. */
export function agentIn({ agent, out }: Settings): string | undefined {
  return agent === undefined ? undefined : withSlashes(relative(out, agent));
}

/**
 * Returns the path of the configured skeleton if an earlier run created it, and the user has
 * deleted it. A skeleton that the request names is created again.
 */
export function deletedAgent({ request, settings, lock }: Run): string | undefined {
  const { agent } = settings;
  if (agent === undefined || request.agent !== undefined || existsSync(agent)) return undefined;
  return lock?.agent === agentIn(settings) ? relative(request.cwd, agent) : undefined;
}

/**
 * Returns whether to create a skeleton, because it is requested, it does not exist, and the output
 * has a service. If the request names the program of services, their files are requested too.
 */
export function isAgentMissing(run: Run, lock: Lock): boolean {
  const { agent } = run.settings;
  const isServer = (path: string): boolean => /(?:^|\/)server\/services?\.ts$/.test(path);
  if (agent === undefined || !Object.keys(lock.files).some(isServer)) return false;
  const others = run.request.agent === undefined ? [] : ownFiles(run.settings, lock);
  if (others.some((path) => !existsSync(path))) return true;
  return !existsSync(agent) && deletedAgent(run) === undefined;
}

/** Returns the paths of the user's files: the agent, and the files that implement services. */
export function ownFiles({ agent, out }: Settings, lock: Partial<Lock> | undefined): string[] {
  const files = Object.keys(methodsByFile(lock?.methods)).map((key) => join(out, key));
  return agent === undefined ? files : [agent, ...files];
}
