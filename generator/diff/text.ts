import type { Change } from "./types.js";
import {
  lineInside,
  lineOf,
  reasonsOf,
  sectionsOf,
  summaryOf,
  type Comparison,
  type Group,
} from "./report.js";

/** Returns the report for a terminal. Breaking changes begin with an exclamation mark. */
export function textReport(comparison: Comparison): string[] {
  const sections = sectionsOf(comparison.changes).flatMap(({ heading, groups }) => [
    "",
    heading,
    ...groups.flatMap(groupLines),
  ]);
  return [`${comparison.from} → ${comparison.to}: ${summaryOf(comparison)}`, ...sections];
}

// A name has its own line only if it has several changes.
function groupLines({ name, changes }: Group): string[] {
  const [only, ...others] = changes;
  if (name === "" || (only !== undefined && others.length === 0))
    return changes.flatMap((change) => changeLines(change, lineOf(change), "  "));
  return [
    `  ${name}`,
    ...changes.flatMap((change) => changeLines(change, lineInside(change, name), "    ")),
  ];
}

function changeLines(change: Change, line: string, indent: string): string[] {
  const reasons = reasonsOf(change);
  const notes = [...reasons, ...(change.note === undefined ? [] : [change.note])];
  return [
    `${indent}${reasons.length > 0 ? "!" : " "} ${line}`,
    ...notes.map((note) => `${indent}    ${note}`),
  ];
}
