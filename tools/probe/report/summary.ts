import type { UnmetExpectation } from "../expected.js";
import { isFailure, type Report, type Result } from "../result.js";
import { levels, type Level } from "../rule.js";

/** A report after its comparison with the expected failures. */
export interface Judged {
  readonly report: Report;
  readonly results: readonly Result[];
  readonly unmet: readonly UnmetExpectation[];
  /** The lowest level of rules whose failures make the probe fail. */
  readonly failOn: Level;
  /** Names of headers that contain credentials. */
  readonly secrets: readonly string[];
}

/** Returns the results that make the probe fail. */
export function failuresOf({
  results,
  failOn,
}: Pick<Judged, "results" | "failOn">): readonly Result[] {
  const counted = levels.slice(0, levels.indexOf(failOn) + 1);
  return results.filter((result) => isUnexpected(result) && counted.includes(result.level));
}

/** Returns whether a result is a failure that no entry expects. */
export function isUnexpected(result: Result): boolean {
  return isFailure(result) && result.expected === undefined;
}

/** Returns whether the probe has passed. */
export function hasPassed(judged: Judged): boolean {
  return failuresOf(judged).length === 0 && judged.unmet.length === 0;
}

/** Numbers of results by their state. */
export interface Counts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly errors: number;
}

/** Counts results. */
export function countsOf(results: readonly Result[]): Counts {
  const count = (state: Result["state"]): number =>
    results.filter((result) => result.state === state).length;
  return {
    total: results.length,
    passed: count("pass"),
    failed: count("fail"),
    skipped: count("skip"),
    errors: count("error"),
  };
}

/** Returns the numbers of results, such as `399 passed, 1 failed, 20 skipped in 3.2 s`. */
export function countsText({ results, unmet, report }: Judged): string {
  const { passed, skipped } = countsOf(results);
  const failed = results.filter(isUnexpected).length;
  const expected = results.filter(isFailure).length - failed;
  const counts = [
    `${passed} passed`,
    `${failed} failed`,
    ...(expected === 0 ? [] : [`${expected} failed as expected`]),
    ...(unmet.length === 0 ? [] : [`${unmet.length} did not fail as expected`]),
    `${skipped} skipped`,
  ].join(", ");
  return `${counts} in ${(report.durationMs / 1_000).toFixed(1)} s`;
}

/** Returns the names of interfaces with results, the card first. */
export function laneNames({ results }: Pick<Judged, "results">): string[] {
  return [...new Set(results.map(({ lane }) => lane))];
}
