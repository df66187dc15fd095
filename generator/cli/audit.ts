import { resolve } from "node:path";
import { specRegistry } from "../input/registry.js";
import { findingsIn, readAdvisories, type Finding } from "../project/advisories.js";
import { resolveEachSettings, type ListedRequest } from "../project/settings.js";
import { count, ExitCode, print, printJson } from "./output.js";

/** The arguments of `audit`. */
export interface AuditArguments {
  readonly cwd: string;
  readonly json: boolean;
  readonly config?: string | undefined;
  readonly out?: string | undefined;
  /** A list of advisories to use in place of the one that comes with the package. */
  readonly advisories?: string | undefined;
}

/** `a2a-codegen audit`: compares the copies in the output with known problems. Reads no network. */
export async function auditCommand({ cwd, json, config, out, advisories: file }: AuditArguments): Promise<number> {
  const advisories = file === undefined ? readAdvisories() : readAdvisories(resolve(cwd, file), file);
  const request = { cwd, ...(config !== undefined && { config }), ...(out !== undefined && { out }) };
  const findings = await findingsOf(request, advisories);
  if (json) printJson({ ok: findings.length === 0, advisories: advisories.length, findings });
  else for (const line of linesOf(findings, advisories.length)) print(line);
  return findings.length === 0 ? ExitCode.ok : ExitCode.failed;
}

/** Returns what the outputs of a request, and the folders that they share, are affected by. */
export async function findingsOf(
  request: ListedRequest,
  advisories: ReturnType<typeof readAdvisories>,
): Promise<Finding[]> {
  const settings = await resolveEachSettings(request, specRegistry(request.cwd));
  const folders = new Set(settings.flatMap(({ out, runtime }) => [out, ...(runtime === undefined ? [] : [runtime])]));
  return [...folders].flatMap((folder) => findingsIn(folder, advisories, request.cwd));
}

function linesOf(findings: readonly Finding[], known: number): string[] {
  if (findings.length === 0) return [`No known problems in copied modules; checked ${known} of them`];
  const lines = findings.flatMap(({ advisory: { id, severity, title, fixed, fix }, file, isEdited }) => [
    `${file}: ${severity}: ${title} (${id})`,
    `  ${fix ?? `Generate again with a2a-codegen ${fixed} or later`}${isEdited ? "; the file was edited, so check whether it has the fix" : ""}`,
  ]);
  return [...lines, `${count(findings.length, "known problem")} in copied modules`];
}
