import type { ToleranceRow } from "./row.js";
import { cardTolerances } from "./cards.js";
import { gapTolerances } from "./gaps.js";
import { kindTolerances } from "./kinds.js";
import { streamTolerances } from "./streams.js";
import { valueTolerances } from "./values.js";

/**
 * All tolerances that a test can imitate. To add one, add a row, and the row to the table in
 * test/behaviour/interop/TOLERANCES.md.
 */
export const tolerances: readonly ToleranceRow[] = [
  ...kindTolerances,
  ...gapTolerances,
  ...valueTolerances,
  ...streamTolerances,
  ...cardTolerances,
];

/** Returns the lines of the table in TOLERANCES.md, without padding. */
export function toleranceTable(rows: readonly ToleranceRow[]): string[] {
  const lines = rows.map(({ accepts, peers, section, versions, requests, responses }) => {
    const directions = [
      ...(requests === undefined ? [] : ["requests"]),
      ...(responses === undefined ? [] : ["responses"]),
    ];
    return `| ${[accepts, directions.join(", "), versions.join(", "), peers.join(", "), section].join(" | ")} |`;
  });
  return [
    "| Accepted form | Direction | A2A | Peers | Specification |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
  ];
}
