import type { Result } from "../result.js";
import { levels } from "../rule.js";
import { unmetText } from "../expected.js";
import { byText, groupsOf } from "./groups.js";
import {
  countsOf,
  countsText,
  hasPassed,
  isUnexpected,
  laneNames,
  type Judged,
} from "./summary.js";
import { failedRules, failureLines, findingLines } from "./text-findings.js";
import { wrapped } from "./wrap.js";

/**
 * Returns the report as lines of at most 80 columns, except for requests, responses and commands.
 * By default, a rule that fails on several interfaces is one entry with short requests and
 * responses. A verbose report contains each failure in full.
 */
export function textReport(judged: Judged, isVerbose = false): string[] {
  const { report, results, unmet, secrets } = judged;
  const failures = results.filter(isUnexpected);
  const groups = groupsOf(failures);
  const entries = isVerbose
    ? failures.flatMap((result) => failureLines(result, secrets))
    : groups.flatMap((group) => findingLines(group, secrets));
  return [
    ...wrapped(`${report.agent || "Agent"} at ${report.url}`, ""),
    "",
    ...table(judged),
    ...failedRules(groups),
    ...entries,
    ...expectedLines(results),
    ...(unmet.length === 0 ? [] : [""]),
    ...unmet.flatMap((entry) => wrapped(`${unmetText(entry)}: remove it`, "")),
    ...report.notes.flatMap((note) => wrapped(`Note: ${note}`, "")),
    ...skippedLines(results),
    "",
    ...(isVerbose || groups.length === 0
      ? []
      : ["--verbose prints headers, whole bodies, and commands that repeat the requests.", ""]),
    ...wrapped(`${hasPassed(judged) ? "Passed" : "Failed"}: ${countsText(judged)}`, "", "  "),
  ];
}

function table(judged: Judged): string[] {
  const header = ["", ...levels, "skipped", "failed"];
  const rows = laneNames(judged).map((lane) => {
    const laneResults = judged.results.filter((result) => result.lane === lane);
    const cells = levels.map((level) => {
      const { passed, total, skipped } = countsOf(
        laneResults.filter((result) => result.level === level),
      );
      return total === skipped ? "-" : `${passed}/${total - skipped}`;
    });
    const { skipped } = countsOf(laneResults);
    return [lane, ...cells, String(skipped), String(laneResults.filter(isUnexpected).length)];
  });
  return [header, ...rows].map((cells) =>
    cells.map((cell, at) => (at === 0 ? cell.slice(0, 30).padEnd(30) : cell.padStart(9))).join(""),
  );
}

function expectedLines(results: readonly Result[]): string[] {
  const expected = results.filter((result) => result.expected !== undefined);
  if (expected.length === 0) return [];
  // An entry often covers several interfaces.
  const entries = byText(expected, ({ id, expected: reason = "" }) => `${id}\n${reason}`);
  const lines = entries.flatMap(([, [first, ...others]]) => {
    if (first === undefined) return [];
    const lanes = [first, ...others].map(({ lane }) => lane).join(", ");
    return wrapped(`${first.id} on ${lanes}: ${first.expected ?? ""}`, "  ", "    ");
  });
  return ["", `Expected failures: ${expected.length}`, ...lines];
}

/** Returns a line for each reason why checks were skipped, with the number of these checks. */
function skippedLines(results: readonly Result[]): string[] {
  const reasons = byText(
    results.filter(({ state }) => state === "skip"),
    ({ reason }) => reason,
  );
  if (reasons.length === 0) return [];
  const lines = reasons.flatMap(([reason, skipped]) =>
    wrapped(`${skipped.length} because ${reason}`, "  ", "    "),
  );
  return ["", "Skipped:", ...lines];
}
