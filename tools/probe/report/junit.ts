import type { Result } from "../result.js";
import { evidenceOf } from "./evidence.js";
import { type Markup, markup } from "./markup.js";
import { countsOf, failuresOf, isUnexpected, laneNames, type Judged } from "./summary.js";

/**
 * Returns the report as JUnit XML: a suite for each interface. Failures that do not make the probe
 * fail are reported as skipped cases.
 */
export function junitReport(judged: Judged): string[] {
  const { report, results, unmet } = judged;
  const counted = new Set(failuresOf(judged));
  const stale = unmet.map(({ id, lane, actual, reason }) => {
    const name = `expected failure ${[id, lane].filter(Boolean).join(" ")}`;
    const failure = markup`<failure message="${actual}: ${reason}"/>`;
    return markup`    <testcase classname="expected" name="${name}">${failure}</testcase>`;
  });
  const tests = results.length + unmet.length;
  const failures = counted.size + unmet.length;
  const time = seconds(report.durationMs);
  const counts = markup`tests="${tests}" failures="${failures}" time="${time}"`;
  const staleCounts = markup`tests="${stale.length}" failures="${stale.length}"`;
  const lines = [
    markup`<?xml version="1.0" encoding="UTF-8"?>`,
    markup`<testsuites name="${report.url}" ${counts}>`,
    ...laneNames(judged).flatMap((lane) => suite(lane, judged, counted)),
    ...(stale.length === 0
      ? []
      : [
          markup`  <testsuite name="expected failures" ${staleCounts}>`,
          ...stale,
          markup`  </testsuite>`,
        ]),
    markup`</testsuites>`,
  ];
  return lines.map(String);
}

function suite(
  lane: string,
  { results, report, secrets }: Judged,
  counted: ReadonlySet<Result>,
): Markup[] {
  const laneResults = results.filter((result) => result.lane === lane);
  const failures = laneResults.filter((result) => counted.has(result)).length;
  const skipped = laneResults.length - failures - countsOf(laneResults).passed;
  const counts = markup`tests="${laneResults.length}" failures="${failures}" skipped="${skipped}"`;
  return [
    markup`  <testsuite name="${lane}" ${counts} timestamp="${report.startedAt}">`,
    ...laneResults.map((result) => caseOf(result, counted.has(result), secrets)),
    markup`  </testsuite>`,
  ];
}

function caseOf(result: Result, isCounted: boolean, secrets: readonly string[]): Markup {
  const { id, title, level, reason, replies, durationMs, state, expected } = result;
  const time = seconds(durationMs);
  const attributes = markup`classname="${result.lane}" name="${id}: ${title}" time="${time}"`;
  if (state === "pass") return markup`    <testcase ${attributes}/>`;
  if (!isCounted) {
    const why = expected === undefined ? reason : `expected to fail: ${expected}`;
    const message = isUnexpected(result) ? `${level}: ${why}` : why;
    return markup`    <testcase ${attributes}><skipped message="${message}"/></testcase>`;
  }
  const details = replies.map((reply) => evidenceOf(reply, { secrets }));
  const text = details
    .map(({ request, response, curl = "" }) => `${request}\n\n${response}\n\n${curl}`)
    .join("\n\n");
  const failure = markup`<failure type="${level}" message="${reason}">${text}</failure>`;
  return markup`    <testcase ${attributes}>${failure}</testcase>`;
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);
