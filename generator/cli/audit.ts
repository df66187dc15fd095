import { resolve } from "node:path";
import { specRegistry } from "../input/registry.js";
import { copiesIn, findingsIn, readAdvisories, type Finding } from "../project/advisories.js";
import { resolveEachSettings, type ListedRequest } from "../project/settings.js";
import { count, ExitCode, print, printJson } from "../../tools/terminal/output.js";
import type { Arguments } from "./options.js";
import { defined } from "../../support/values.js";

/**
 * Runs `a2a-codegen audit`: checks the copied modules in the output for known problems. Does not
 * access the network.
 */
export async function auditCommand({
  cwd,
  json,
  config,
  out,
  advisories: file,
}: Arguments<"audit">): Promise<number> {
  const advisories =
    file === undefined ? readAdvisories() : readAdvisories(resolve(cwd, file), file);
  const request = defined({ cwd, config, out });
  const folders = await auditedFolders(request);
  const copies = folders.reduce((sum, folder) => sum + copiesIn(folder, cwd), 0);
  const findings = folders.flatMap((folder) => findingsIn(folder, advisories, cwd));
  if (json)
    printJson({ ok: findings.length === 0, advisories: advisories.length, copies, findings });
  else for (const line of linesOf(findings, { known: advisories.length, copies })) print(line);
  return findings.length === 0 ? ExitCode.ok : ExitCode.failed;
}

/** Returns the output folders of a request. */
export async function auditedFolders(request: ListedRequest): Promise<readonly string[]> {
  const settings = await resolveEachSettings(request, specRegistry(request.cwd));
  return settings.map(({ out }) => out);
}

interface Audited {
  readonly known: number;
  readonly copies: number;
}

function linesOf(findings: readonly Finding[], { known, copies }: Audited): string[] {
  const modules = count(copies, "copied module");
  if (known === 0) return [`The list of advisories is empty; the output has ${modules}`];
  if (findings.length === 0)
    return [`No known problem in ${modules} (${count(known, "known problem")} compared)`];
  const lines = findings.flatMap(
    ({ advisory: { id, severity, title, fixed, fix }, file, isEdited }) => {
      const hint = fix ?? `Generate again with a2a-codegen ${fixed} or later`;
      const edited = "; the file was edited, so check if it already has the fix";
      const advice = `  ${hint}${isEdited ? edited : ""}`;
      return [`${file}: ${severity}: ${title} (${id})`, advice];
    },
  );
  return [...lines, `${count(findings.length, "known problem")} in copied modules`];
}
