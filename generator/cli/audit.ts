import { resolve } from "node:path";
import { specRegistry } from "../input/registry.js";
import { copiesIn, findingsIn, readAdvisories, type Finding } from "../project/advisories.js";
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
  const folders = await auditedFolders(request);
  const copies = folders.reduce((sum, folder) => sum + copiesIn(folder, cwd), 0);
  const findings = folders.flatMap((folder) => findingsIn(folder, advisories, cwd));
  if (json) printJson({ ok: findings.length === 0, advisories: advisories.length, copies, findings });
  else for (const line of linesOf(findings, { known: advisories.length, copies })) print(line);
  return findings.length === 0 ? ExitCode.ok : ExitCode.failed;
}

/** Returns the folders of the outputs of a request, and the folders of modules that they share. */
export async function auditedFolders(request: ListedRequest): Promise<readonly string[]> {
  const settings = await resolveEachSettings(request, specRegistry(request.cwd));
  return [...new Set(settings.flatMap(({ out, runtime }) => [out, ...(runtime === undefined ? [] : [runtime])]))];
}

interface Audited {
  readonly known: number;
  readonly copies: number;
}

function linesOf(findings: readonly Finding[], { known, copies }: Audited): string[] {
  const modules = count(copies, "copied module");
  if (known === 0) return [`The list of known problems is empty; the output has ${modules}`];
  if (findings.length === 0) return [`No known problem in ${modules} (${count(known, "known problem")} compared)`];
  const lines = findings.flatMap(({ advisory: { id, severity, title, fixed, fix }, file, isEdited }) => [
    `${file}: ${severity}: ${title} (${id})`,
    `  ${fix ?? `Generate again with a2a-codegen ${fixed} or later`}${isEdited ? "; the file was edited, so check whether it has the fix" : ""}`,
  ]);
  return [...lines, `${count(findings.length, "known problem")} in copied modules`];
}
