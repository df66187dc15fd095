import { count } from "../../tools/terminal/output.js";
import type { AdaptedVersion, GenerateResult } from "../project/project.js";
import type { Omission } from "../protocol/model/types.js";
import { fidelityLines, fidelitySummary } from "./fidelity.js";
import { implementationLines, mergeLines } from "./merge.js";

/** Returns the report of a run as JSON. */
export function reportOf(result: GenerateResult): object {
  const { title, match, out, changes, generated, agent, merge, needs } = result;
  const { droppedTargets = [], others = [], ignoredAgent, deletedAgent, updatedAgent } = result;
  const { counts, packages, omissions, losses, dropped, versions } = generated ?? {};
  return {
    spec: title,
    packages,
    match,
    out,
    ...changes,
    droppedTargets,
    others,
    counts,
    omissions: omissions ?? [],
    losses: losses ?? [],
    versions: versions ?? [],
    droppedNames: dropped?.map(({ kind, old, now }) => ({ kind, old, now })) ?? [],
    agent,
    ignoredAgent,
    deletedAgent,
    updatedAgent,
    merge,
    implementations: result.implementations,
    missingPackages: needs.missing,
    commonJs: needs.commonJs,
  };
}

/** Options for the text of a report. */
interface LineOptions {
  /** Whether the run has written no files. */
  readonly dryRun: boolean;
  /** Whether to name the files that would be written. Defaults to `dryRun`. */
  readonly listFiles?: boolean;
  readonly seconds?: number;
  /** Whether to list the values that bindings lose. */
  readonly verbose?: boolean | undefined;
}

/** Returns the report of a run as lines of text. */
export function linesOf(
  result: GenerateResult,
  { dryRun, listFiles = dryRun, seconds, verbose = false }: LineOptions,
): string[] {
  const { title, out, changes, generated, merge, needs } = result;
  const time = seconds === undefined ? [] : [`${seconds} s`];
  if (generated === undefined) {
    const details = [count(changes.unchanged.length, "file"), ...time].join(", ");
    return [`${title} → ${out}: up to date (${details})`, ...deletedLines(result)];
  }
  const { counts, packages = [], omissions, losses, versions } = generated;
  return [
    `${title} → ${out}${time.length === 0 ? "" : ` (${time.join("")})`}`,
    ...matchLines(result),
    `  ${countsLine(counts)}`,
    ...packages.map(({ name, folder }) => `  the package ${name} is in ${folder}/`),
    ...changeLines(result, { dryRun, listFiles }),
    ...othersLines(result),
    ...agentLines(result, dryRun),
    ...deletedLines(result),
    ...[...mergeLines(merge, dryRun), ...implementationLines(result, dryRun)].map(
      (line) => `  ${line}`,
    ),
    ...omissionLines(omissions, verbose ? Infinity : maxListed),
    ...(verbose ? fidelityLines : fidelitySummary)(losses).map((line) => `  ${line}`),
    ...versions.map(versionLine),
    ...needLines(needs, generated.library.length > 0),
  ];
}

function changeLines(
  result: GenerateResult,
  { dryRun, listFiles }: { readonly dryRun: boolean; readonly listFiles: boolean },
): string[] {
  const { written, unchanged, removed } = result.changes;
  const would = dryRun ? "would be " : "";
  const summary = [
    `${count(written.length, "file")} ${would}written`,
    `${unchanged.length} unchanged`,
    `${removed.length} ${would}removed${removalReason(result)}`,
  ];
  const files = [
    ...written.map((path) => `    write  ${path}`),
    ...removed.map((path) => `    remove ${path}`),
  ];
  return [`  ${summary.join(", ")}`, ...(listFiles ? files : [])];
}

function agentLines({ agent, ignoredAgent }: GenerateResult, isDry: boolean): string[] {
  const lines: string[] = [];
  const created = isDry ? "would be created" : "created";
  if (agent !== undefined) lines.push(`  ${agent} ${created}; it is yours to edit`);
  if (ignoredAgent !== undefined)
    lines.push(`  the agent ${ignoredAgent} is ignored: it requires the target server`);
  return lines;
}

function deletedLines({ deletedAgent, implementations }: GenerateResult): string[] {
  if (deletedAgent === undefined) return [];
  const key = implementations === undefined ? "agent" : "implementation";
  return [
    `  ${deletedAgent} was deleted, and is not created again: remove "${key}" from the ` +
      `configuration, or create it with --${key} ${deletedAgent}`,
  ];
}

/** Number of omitted parts that a line lists, unless the report is verbose. */
const maxListed = 3;

/** Returns a line for the parts that are left out of a target for the same reason. */
function omissionLines(omissions: readonly Omission[], limit: number): string[] {
  const groups = new Map<string, Omission & { readonly subjects: string[] }>();
  for (const omission of omissions) {
    const key = JSON.stringify([omission.target, omission.reason]);
    const group = groups.get(key) ?? { ...omission, subjects: [] };
    group.subjects.push(omission.subject);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ target, reason, subjects }) => {
    const more = subjects.length > limit ? ` and ${subjects.length - limit} more` : "";
    return `  left out of ${target}: ${subjects.slice(0, limit).join(", ")}${more} (${reason})`;
  });
}

/** Returns the lines about requirements of the output that the project does not meet. */
function needLines(needs: GenerateResult["needs"], hasLibrary: boolean): string[] {
  const lines = needs.commonJs ? [`  ${commonJsAdvice(needs, hasLibrary)}`] : [];
  const packages = needs.missing.join(" ");
  const subject = needs.isOptional ? "optional modules of the output import" : "the output imports";
  if (packages !== "")
    lines.push(`  ${subject} packages that are not installed: npm install ${packages}`);
  return lines;
}

/** Returns the hint that explains how to compile the output in a CommonJS project. */
function commonJsAdvice({ isNext }: GenerateResult["needs"], hasLibrary: boolean): string {
  if (isNext)
    return (
      'package.json has "type": "commonjs", with which Next.js refuses ES modules: run npm pkg ' +
      "delete type"
    );
  const copies = 'with --runtime copy, "module": "commonjs" also works';
  const choice = hasLibrary
    ? `set "module": "nodenext" in tsconfig.json, or run npm pkg set type=module; ${copies}`
    : 'set "module" to "commonjs" or "nodenext" in tsconfig.json, or run npm pkg set type=module';
  return `the project is CommonJS, and the output is compiled to CommonJS: ${choice}`;
}

/**
 * Returns the line about another version that the output supports, with the losses of the
 * conversion.
 */
function versionLine({ title, folder, losses }: AdaptedVersion): string {
  const lost = count(losses.length, "difference");
  return (
    `  ${folder}/ supports ${title}; ${lost} cannot be converted (listed in its index.ts and ` +
    "with --json)"
  );
}

/**
 * Returns lines about the bundled manifest that a specification given by path uses, or could use.
 */
function matchLines({ title, match }: GenerateResult): string[] {
  if (match === undefined) return [];
  const { id, version, differences } = match;
  if (differences === 0) return [`  ${title} matches A2A ${version}, so its manifest is used`];
  return [
    `  ${title} does not match any bundled version, so no manifest is used; the nearest is A2A ` +
      `${version}, with ${count(differences, "difference")}: --manifest ${id} uses its manifest`,
  ];
}

function countsLine({
  messages,
  enums,
  operations,
  errors,
}: NonNullable<GenerateResult["generated"]>["counts"]): string {
  const parts = [
    count(messages, "message"),
    count(enums, "enum"),
    count(operations, "operation"),
    count(errors, "error"),
  ];
  return parts.join(", ");
}

/**
 * Returns a warning if the output folder also contains files that were not generated, because this
 * is rarely intended.
 */
function othersLines({ out, others = [] }: GenerateResult): string[] {
  if (others.length === 0) return [];
  const more = others.length > 3 ? ", …" : "";
  const [are, them] = others.length === 1 ? ["is", "it"] : ["are", "them"];
  const names = others.slice(0, 3).join(", ") + more;
  return [
    `  ${count(others.length, "file")} in ${out} ${are} not generated (${names}): --check will ` +
      `report ${them}; choose a separate folder with --out`,
  ];
}

/** Returns the reason why files are removed, if the user may not expect the removal. */
function removalReason({ changes, droppedTargets = [] }: GenerateResult): string {
  if (changes.removed.length === 0 || droppedTargets.length === 0) return "";
  const [target, are] = droppedTargets.length === 1 ? ["target", "is"] : ["targets", "are"];
  return ` (${target} ${droppedTargets.join(", ")} ${are} no longer chosen)`;
}
