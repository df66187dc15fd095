import { count, ExitCode, print, printJson } from "../../tools/terminal/output.js";
import { findingsIn, readAdvisories } from "../project/advisories.js";
import type { GenerateResult } from "../project/result.js";
import { auditedFolders } from "./audit.js";
import { implementationLines, mergeLines } from "./merge.js";
import { listedRequestOf, type Generate, type GenerateArguments } from "./request.js";

/** Runs `--check`: prints the files of the output that are not up to date. */
export async function checkOutput(args: GenerateArguments, generate: Generate): Promise<number> {
  const results = await generate(listedRequestOf(args));
  const isFine = results.every(({ drift = [] }) => drift.length === 0);
  if (args.json) {
    const outputs = results.map((result) => {
      const { title, out, drift = [], formatted = [], merge, implementations } = result;
      return { spec: title, out, drift, formatted, merge, implementations };
    });
    printJson({ ok: isFine, upToDate: isFine, outputs });
  } else for (const line of results.flatMap(driftLines)) print(line);
  if (!args.json) for (const line of await auditLines(args)) print(line);
  return isFine ? ExitCode.ok : ExitCode.failed;
}

/**
 * Returns a note about known problems of copied modules. Unlike `audit`, `--check` does not fail
 * because of them.
 */
async function auditLines(args: GenerateArguments): Promise<string[]> {
  const advisories = readAdvisories();
  const folders = advisories.length === 0 ? [] : await auditedFolders(listedRequestOf(args));
  const findings = folders.flatMap((folder) => findingsIn(folder, advisories, args.cwd));
  if (findings.length === 0) return [];
  return [
    `${count(findings.length, "known problem")} in copied modules: run \`a2a-codegen audit\``,
  ];
}

function driftLines(result: GenerateResult): string[] {
  const { title, out, drift = [], formatted = [], merge } = result;
  const note =
    formatted.length === 0 ? "" : ` (${count(formatted.length, "file")} formatted since)`;
  if (drift.length === 0) return [`${title} → ${out}: up to date${note}`];
  const lines = drift.map(({ path, state, reason }) => `  ${state.padEnd(8)} ${path} (${reason})`);
  const merged = [...mergeLines(merge, true), ...implementationLines(result, true)].map(
    (line) => `  ${line}`,
  );
  return [
    `${title} → ${out}: ${count(drift.length, "file")} not up to date`,
    ...lines,
    ...merged,
    ...fixLines(drift),
  ];
}

type Drift = NonNullable<GenerateResult["drift"]>[number];

/** Returns the hints for the files that are not up to date. */
function fixLines(drift: readonly Drift[]): string[] {
  const fixes = new Set(drift.map(({ fix }) => fix));
  const lines: string[] = [];
  // With --force, a run also updates the files that only require a run.
  if (fixes.has("force")) lines.push(force);
  else if (fixes.has("generate")) lines.push("  Run `a2a-codegen generate` to update it");
  if (fixes.has("move")) lines.push(move);
  return lines;
}

const force =
  "  `a2a-codegen generate --force` overwrites edited files; first move edits that you want to " +
  "keep";
const move =
  "  files that were not generated are kept: delete them, or move them out of the folder";
