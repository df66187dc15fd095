import { existsSync } from "node:fs";
import { relative } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { withSlashes } from "../../support/paths.js";
import type { Generated } from "../core/contract.js";
import type { Lock } from "../output/lock.js";
import type { AgentFile } from "./agent.js";
import type { Run } from "./input.js";
import { importPath, type Settings } from "./settings.js";

/**
 * Returns the pending text of a user's file by its absolute path; `undefined` for files without
 * pending changes.
 */
export type UserTexts = (path: string) => string | undefined;

/** Returns the existing skeleton into which methods can be merged, if any. */
export function agentFile(
  { request, settings, lock }: Run,
  userText: UserTexts | undefined,
): AgentFile | undefined {
  const { agent: path, out, options } = settings;
  if (path === undefined || !existsSync(path)) return undefined;
  const text = userText?.(path);
  const { importExtension } = options;
  const file = {
    path,
    shown: relative(request.cwd, path),
    out,
    outImport: importPath(path, out),
    lock,
    importExtension,
  };
  return { ...file, ...(text !== undefined && { text }) };
}

/** Throws an `InputError` if the agent has the path of a generated file. */
export function checkAgentPath({ request, settings }: Run, { files }: Generated): void {
  const paths = files.map(({ path }) => path);
  if (settings.agent === undefined || !isAgentAmong(paths, settings)) return;
  throw new InputError({
    location: { file: relative(request.cwd, settings.agent) },
    message: "the agent has the path of a generated file",
    hint: 'Choose another file with --agent or "agent" in the configuration',
  });
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
 * has a service.
 */
export function isAgentMissing(run: Run, lock: Lock): boolean {
  const { agent } = run.settings;
  if (agent === undefined || existsSync(agent) || !Object.hasOwn(lock.files, "server/service.ts"))
    return false;
  return deletedAgent(run) === undefined;
}
