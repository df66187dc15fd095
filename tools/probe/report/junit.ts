import type { Result } from "../result.js";
import { evidenceOf } from "./evidence.js";
import { countsOf, failuresOf, isUnexpected, lanesOf, type Judged } from "./summary.js";

/**
 * Returns the report as JUnit XML: a suite for each interface. Failures that do not make the probe fail are reported as
 * skipped cases.
 */
export function junitReport(judged: Judged): string[] {
  const { report, results, unmet } = judged;
  const counted = new Set(failuresOf(judged));
  const stale = unmet.map(({ id, lane, actual, reason }) => {
    const name = escaped(`expected failure ${[id, lane].filter(Boolean).join(" ")}`);
    return `    <testcase classname="expected" name="${name}"><failure message="${escaped(`${actual}: ${reason}`)}"/></testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(report.url)}" tests="${results.length + unmet.length}" failures="${counted.size + unmet.length}" time="${seconds(report.durationMs)}">`,
    ...lanesOf(judged).flatMap((lane) => suite(lane, judged, counted)),
    ...(stale.length === 0
      ? []
      : [
          `  <testsuite name="expected failures" tests="${stale.length}" failures="${stale.length}">`,
          ...stale,
          "  </testsuite>",
        ]),
    "</testsuites>",
  ];
}

function suite(lane: string, { results, report, secrets }: Judged, counted: ReadonlySet<Result>): string[] {
  const own = results.filter((result) => result.lane === lane);
  const failures = own.filter((result) => counted.has(result)).length;
  const skipped = own.length - failures - countsOf(own).passed;
  return [
    `  <testsuite name="${escaped(lane)}" tests="${own.length}" failures="${failures}" skipped="${skipped}" timestamp="${report.startedAt}">`,
    ...own.flatMap((result) => caseOf(result, counted.has(result), secrets)),
    "  </testsuite>",
  ];
}

function caseOf(result: Result, isCounted: boolean, secrets: readonly string[]): string[] {
  const { id, title, level, reason, replies, durationMs, state, expected } = result;
  const open = `    <testcase classname="${escaped(result.lane)}" name="${escaped(`${id}: ${title}`)}" time="${seconds(durationMs)}"`;
  if (state === "pass") return [`${open}/>`];
  if (!isCounted) {
    const why = expected === undefined ? reason : `expected to fail: ${expected}`;
    const message = isUnexpected(result) ? `${level}: ${why}` : why;
    return [`${open}><skipped message="${escaped(message)}"/></testcase>`];
  }
  const details = replies.map((reply) => evidenceOf(reply, { secrets }));
  const text = details.map(({ request, response, curl = "" }) => `${request}\n\n${response}\n\n${curl}`).join("\n\n");
  return [`${open}><failure type="${level}" message="${escaped(reason)}">${escaped(text)}</failure></testcase>`];
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a string for XML, and replaces the characters that XML cannot contain. */
function escaped(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
    .replaceAll(/[^\P{Cc}\t\r\n]|[\ufffe\uffff]/gu, "\ufffd");
}
