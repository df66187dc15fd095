import type { Result } from "../result.js";
import { levels } from "../rule.js";
import { evidenceOf } from "./evidence.js";
import { countsOf, hasPassed, isUnexpected, laneNames, type Judged } from "./summary.js";

/** Width of the report in columns. */
const width = 80;

/**
 * Returns the report as lines of at most 80 columns, except for requests, responses and commands.
 */
export function textReport(judged: Judged): string[] {
  const { report, results, unmet } = judged;
  const failures = results.filter(isUnexpected);
  return [
    ...wrapped(`${report.agent || "Agent"} at ${report.url}`, ""),
    "",
    ...table(judged),
    ...failures.flatMap((result) => failureLines(result, judged)),
    ...expectedLines(results),
    ...unmet.flatMap(({ id, lane, actual, line }) => {
      const name = [id, lane].filter(Boolean).join(" ");
      return wrapped(`The expected failure ${name} (line ${line}) ${actual}: remove its line`, "");
    }),
    ...report.notes.flatMap((note) => wrapped(`Note: ${note}`, "")),
    ...skippedLines(results),
    "",
    lastLine(judged),
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

function failureLines(result: Result, { secrets }: Judged): string[] {
  const { id, lane, level, section, title, reason, step, replies } = result;
  const facts = [
    level,
    ...(section === "" ? [] : [section]),
    ...(step === undefined ? [] : [`step ${step}`]),
  ];
  // The other reports contain the earlier requests, too.
  const evidence = replies.map((reply) => evidenceOf(reply, { secrets })).at(-1);
  const block = (name: string, text: string): string[] => [
    `  ${name}:`,
    ...text.split("\n").map((line) => `    ${line}`),
  ];
  const state = result.state === "error" ? "ERROR" : "FAIL";
  return [
    "",
    ...wrapped(`${state} ${id} on ${lane} (${facts.join(", ")})`, ""),
    ...wrapped(title, "  "),
    ...wrapped(reason, "  "),
    ...(evidence === undefined
      ? []
      : [...block("Request", evidence.request), ...block("Response", evidence.response)]),
    ...(evidence?.curl === undefined ? [] : block("Repeat", evidence.curl)),
  ];
}

function expectedLines(results: readonly Result[]): string[] {
  const expected = results.filter((result) => result.expected !== undefined);
  if (expected.length === 0) return [];
  const lines = expected.flatMap(({ id, lane, expected: reason }) =>
    wrapped(`${id} on ${lane}: ${reason ?? ""}`, "  "),
  );
  return ["", `Expected failures: ${expected.length}`, ...lines];
}

/** Returns a line for each reason why checks were skipped, with the number of these checks. */
function skippedLines(results: readonly Result[]): string[] {
  const counts = new Map<string, number>();
  for (const { state, reason } of results)
    if (state === "skip") counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return [];
  return [
    "",
    "Skipped:",
    ...[...counts].flatMap(([reason, count]) => wrapped(`${count} because ${reason}`, "  ")),
  ];
}

function lastLine(judged: Judged): string {
  const { passed, skipped } = countsOf(judged.results);
  const failed = judged.results.filter(isUnexpected).length;
  const seconds = (judged.report.durationMs / 1_000).toFixed(1);
  const verdict = hasPassed(judged) ? "Passed" : "Failed";
  return `${verdict}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`;
}

/** Splits a string into lines of at most 80 columns. Long words are also split. */
function wrapped(text: string, indent: string): string[] {
  const room = width - indent.length;
  const lines: string[] = [];
  let line = "";
  for (const word of text.replaceAll(/\s+/g, " ").split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    for (; line.length > room; line = line.slice(room)) lines.push(line.slice(0, room));
  }
  return [...lines, line].map((part) => indent + part);
}
