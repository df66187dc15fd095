import { bindings } from "../acts/operations.js";
import { type Result } from "../result.js";
import { levels } from "../rule.js";
import { evidenceOf } from "./evidence.js";
import { countsOf, hasPassed, laneNames, type Judged } from "./summary.js";

/**
 * Returns the report as JSON: for each interface, a report in the ACTS format with additional
 * members.
 */
export function jsonReport(judged: Judged): Readonly<Record<string, unknown>> {
  const { report, unmet } = judged;
  const { url, agent, notes } = report;
  return {
    ok: hasPassed(judged),
    url,
    agent,
    notes,
    unmetExpectations: unmet.map(({ id, lane, reason, actual }) => ({
      id,
      ...(lane !== "" && { lane }),
      reason,
      actual,
    })),
    reports: laneNames(judged).map((lane) => laneReport(lane, judged)),
  };
}

function laneReport(lane: string, judged: Judged): object {
  const { report } = judged;
  const results = judged.results.filter((result) => result.lane === lane);
  const [binding = "", version = "1.0"] = lane.split(" ");
  const transport = Object.entries(bindings).find(([, name]) => name === binding)?.[0] ?? binding;
  return {
    acts_version: "1.0",
    spec_version: version,
    generated_at: report.startedAt,
    sdk: { name: report.agent, version: report.agentVersion, language: "unknown" },
    transport,
    summary: summaryOf(results),
    suites: suitesOf(results, judged),
  };
}

function summaryOf(results: readonly Result[]): object {
  const entries = levels.map(
    (level) => [level, countsOf(results.filter((result) => result.level === level))] as const,
  );
  const duration = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return { ...countsOf(results), duration_ms: duration, by_level: Object.fromEntries(entries) };
}

function suitesOf(results: readonly Result[], { report, secrets }: Judged): object[] {
  const ids = [...new Set(results.map(({ suite }) => suite))];
  return ids.map((id) => {
    const name =
      report.suites.find((suite) => suite.id === id)?.name ?? "Rules of a2a-codegen probe";
    const tests = results
      .filter(({ suite }) => suite === id)
      .map((result) => testOf(result, secrets));
    return { id: id === "" ? "rules" : id, name, tests };
  });
}

function testOf(result: Result, secrets: readonly string[]): object {
  const { id, title, level, section, state, reason, step, replies, durationMs, expected } = result;
  const failure = { message: reason, ...(step !== undefined && { step_id: step }) };
  return {
    id,
    name: title,
    level,
    result: state,
    duration_ms: durationMs,
    ...(section !== "" && { section }),
    ...(state === "skip" && { skip_reason: reason }),
    ...((state === "fail" || state === "error") && { failure }),
    ...(expected !== undefined && { expected }),
    ...(replies.length > 0 && {
      exchanges: replies.map((reply) => evidenceOf(reply, { secrets })),
    }),
  };
}
