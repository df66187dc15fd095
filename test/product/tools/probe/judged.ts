import type { UnmetExpectation } from "../../../../tools/probe/expected.js";
import type { Judged } from "../../../../tools/probe/report/summary.js";
import { replyOf, type Reply } from "../../../../tools/probe/reply.js";
import type { Result } from "../../../../tools/probe/result.js";

/** A failure with default values. */
export function failure(members: Partial<Result>): Result {
  return {
    id: "get-unknown",
    title: "GetTask for an unknown task fails",
    level: "must",
    section: "3.1.3",
    lane: "JSONRPC 1.0",
    suite: "",
    state: "fail",
    reason: "expected an error, got a task",
    replies: [],
    durationMs: 1,
    ...members,
  };
}

/** An expected failure that does not occur, with default values. */
export function unmet(members: Partial<UnmetExpectation>): UnmetExpectation {
  const entry = { id: "get-unknown", lane: "", reason: "known", file: "known.txt", line: 1 };
  return { ...entry, actual: "passes on JSONRPC 1.0", ...members };
}

/** A reply to a call over HTTP with these bodies. */
export function replyAt(url: string, request: string, response: string): Reply {
  const headers = { "user-agent": "probe", "x-team": "a", "a2a-version": "1.0" };
  return replyOf({
    exchange: {
      id: 1,
      startedAt: 0,
      request: { method: "POST", url, headers, body: request },
      response: {
        status: 200,
        headers: { date: "today" },
        headMs: 1,
        body: response,
        events: undefined,
        bytes: 0,
        omitted: { earlier: 0, tooLong: 0 },
        isTruncated: false,
      },
      error: undefined,
      isAborted: false,
      durationMs: 1,
    },
  });
}

/** A report with these results. */
export function judgedOf(results: readonly Result[], members: Partial<Judged> = {}): Judged {
  const report = {
    url: "http://agent.example/card",
    agent: "Agent",
    agentVersion: "1",
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1_000,
    lanes: [...new Set(results.map(({ lane }) => lane))],
    suites: [],
    notes: [],
    results,
  };
  return { report, results, unmet: [], failOn: "must", secrets: [], ...members };
}
