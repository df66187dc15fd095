import { brokenBy } from "./compare.js";
import { surfaces, type Change, type Subject, type Surface } from "./types.js";

/** Two specifications, and what differs. */
export interface Comparison {
  /** How the specifications are called. */
  readonly from: string;
  readonly to: string;
  readonly changes: readonly Change[];
}

/** The headings of a report, in order. */
const headings: readonly (readonly [string, readonly Subject[]])[] = [
  ["Protocol", ["fact"]],
  ["Operations", ["operation", "method", "route"]],
  ["Errors", ["error"]],
  ["Types", ["type", "field", "value", "member"]],
  ["Protobuf", ["message", "number"]],
];

/** The changes under their headings; headings without any are left out. */
export function sectionsOf(changes: readonly Change[]): (readonly [string, readonly Change[]])[] {
  const sections = headings.map(
    ([heading, subjects]) => [heading, changes.filter(({ subject }) => subjects.includes(subject))] as const,
  );
  return sections.filter(([, all]) => all.length > 0);
}

const surfaceNames: Readonly<Record<Surface, string>> = { source: "TypeScript", json: "JSON", protobuf: "protobuf" };

/** What a change breaks, with the reasons: `TypeScript and JSON: the type is gone`. */
export function reasonsOf(change: Change): string[] {
  const reasons = new Map<string, Surface[]>();
  for (const surface of brokenBy(change)) {
    const reason = change.breaks[surface] ?? "";
    reasons.set(reason, [...(reasons.get(reason) ?? []), surface]);
  }
  return [...reasons].map(([reason, of]) => `${of.map((surface) => surfaceNames[surface]).join(" and ")}: ${reason}`);
}

/** A change in one line, without what it breaks: `renamed Security → SecurityRequirement`. */
export function lineOf({ subject, action, name, from, to }: Change): string {
  const what = ["route", "method", "member"].includes(subject) ? `${subject} of ${name}` : name;
  if (action === "renamed") return `${action} ${what} → ${to ?? ""}`;
  if (from !== undefined && to !== undefined) return `${action} ${what}: ${from} → ${to}`;
  const detail = from ?? to;
  return detail === undefined ? `${action} ${what}` : `${action} ${what}: ${detail}`;
}

/** How many changes there are, and how many of them break each surface. */
export function summaryOf({ changes }: Comparison): string {
  if (changes.length === 0) return "no differences";
  const counts = surfaces.map((surface) => {
    const count = changes.filter(({ breaks }) => breaks[surface] !== undefined).length;
    return `${count} breaking for ${surfaceNames[surface]}`;
  });
  return `${changes.length} ${changes.length === 1 ? "change" : "changes"}: ${counts.join(", ")}`;
}

/** The report as text for a terminal. An exclamation mark stands before what breaks something. */
export function textReport(comparison: Comparison): string[] {
  const sections = sectionsOf(comparison.changes).flatMap(([heading, changes]) => [
    "",
    heading,
    ...changes.flatMap((change) => {
      const reasons = reasonsOf(change);
      return [`  ${reasons.length > 0 ? "!" : " "} ${lineOf(change)}`, ...reasons.map((reason) => `      ${reason}`)];
    }),
  ]);
  return [`${comparison.from} → ${comparison.to}: ${summaryOf(comparison)}`, ...sections];
}

/** The report in Markdown: a table for each heading. */
export function markdownReport(comparison: Comparison): string[] {
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
  const sections = sectionsOf(comparison.changes).flatMap(([heading, changes]) => [
    "",
    `## ${heading}`,
    "",
    "| Change | Breaks |",
    "| --- | --- |",
    ...changes.map((change) => `| ${cell(lineOf(change))} | ${reasonsOf(change).map(cell).join("<br>")} |`),
  ]);
  return [`# ${comparison.from} → ${comparison.to}`, "", `${summaryOf(comparison)}.`, ...sections];
}
