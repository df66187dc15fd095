import {
  lineInside,
  lineOf,
  reasonsOf,
  sectionsOf,
  summaryOf,
  surfaceNames,
  countOf,
  type Comparison,
  type Section,
} from "./report.js";
import { surfaces, type Change } from "./types.js";

/**
 * Returns the report in Markdown, for a pull request: breaking changes in tables, then all other
 * changes, collapsed.
 */
export function markdownReport(comparison: Comparison): string[] {
  const { from, to, changes } = comparison;
  const breaking = changes.filter(({ breaks }) => Object.keys(breaks).length > 0);
  const others = changes.filter((change) => !breaking.includes(change));
  return [
    `# ${inline(from)} → ${inline(to)}`,
    "",
    ...(changes.length === 0 ? [`${summaryOf(comparison)}.`] : summaryTable(changes)),
    ...sectionsOf(breaking).flatMap(breakingTable),
    ...(others.length === 0 ? [] : compatibleList(others)),
  ];
}

function summaryTable(changes: readonly Change[]): string[] {
  const names = surfaces.map((surface) => surfaceNames[surface]);
  const counts = surfaces.map((surface) => String(countOf(changes, surface)));
  return [
    `| Changes | ${names.map((name) => `breaking for ${name}`).join(" | ")} |`,
    `| --- |${" --- |".repeat(names.length)}`,
    `| ${changes.length} | ${counts.join(" | ")} |`,
  ];
}

function breakingTable({ heading, groups }: Section): string[] {
  const rows = groups.flatMap(({ changes }) =>
    changes.map((change) => {
      const notes = [...reasonsOf(change), ...(change.note === undefined ? [] : [change.note])];
      return `| ${code(lineOf(change))} | ${notes.map(inline).join("<br>")} |`;
    }),
  );
  return [
    "",
    `## ${heading}: breaking changes`,
    "",
    "| Change | What it breaks |",
    "| --- | --- |",
    ...rows,
  ];
}

function compatibleList(changes: readonly Change[]): string[] {
  const items = sectionsOf(changes).flatMap(({ heading, groups }) => [
    "",
    `**${heading}**`,
    "",
    ...groups.flatMap(({ name, changes: all }) => {
      const lines = all.map((change) => lineInside(change, all.length === 1 ? "" : name));
      if (name === "" || lines.length === 1) return lines.map((line) => `- ${code(line)}`);
      return [`- ${code(name)}`, ...lines.map((line) => `  - ${code(line)}`)];
    }),
  ]);
  const count = `${changes.length} compatible ${changes.length === 1 ? "change" : "changes"}`;
  return ["", "<details>", `<summary>${count}</summary>`, ...items, "", "</details>"];
}

/** Escapes a string so that Markdown displays it literally, also in a table. */
function inline(text: string): string {
  return oneLine(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]|#~@!]/g, "\\$&")
    .replaceAll("://", ":\u2060//");
}

/** Returns a code span. Its fence is longer than any run of backticks in the string. */
function code(text: string): string {
  const line = oneLine(text).replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
