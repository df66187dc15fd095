import { describe, expect, it } from "vitest";
import { textReport } from "../../../../tools/probe/report/text.js";
import { failure, judgedOf, replyAt, unmet } from "./judged.js";

const ids = ["0b80d2c4-aaaa-4000-8000-000000000001", "1c91e3d5-bbbb-4000-8000-000000000002"];
const lanes = ["JSONRPC 1.0", "HTTP+JSON 1.0"] as const;
const [rpc, rest] = ["http://agent.example/rpc", "http://agent.example/rest"];
const text = (...args: Parameters<typeof judgedOf>) => textReport(judgedOf(...args)).join("\n");

describe("the text report", () => {
  it("the failed rules are listed first, by level, each with the interfaces where it failed", () => {
    const report = text([
      failure({ id: "may-rule", level: "may" }),
      failure({ id: "should-rule", level: "should", lane: lanes[1] }),
      failure({ id: "must-rule" }),
      failure({ id: "must-rule", lane: lanes[1] }),
    ]);
    expect(report).toContain(
      [
        "Failed rules: 3",
        "  must",
        "    must-rule                   JSONRPC 1.0, HTTP+JSON 1.0",
        "  should",
        "    should-rule                 HTTP+JSON 1.0",
        "  may",
        "    may-rule                    JSONRPC 1.0",
        "",
        "FAIL must-rule on JSONRPC 1.0, HTTP+JSON 1.0 (must, 3.1.3)",
      ].join("\n"),
    );
  });

  it("a rule with the same failure on several interfaces is one entry with one request and response", () => {
    const results = lanes.map((lane, at) =>
      failure({
        lane,
        reason: `got ${ids[at] ?? ""}`,
        replies: [replyAt(at === 0 ? rpc : rest, `{"id":"${ids[at] ?? ""}"}`, "{}")],
      }),
    );
    expect(text(results)).toContain(
      [
        "FAIL get-unknown on JSONRPC 1.0, HTTP+JSON 1.0 (must, 3.1.3)",
        "  GetTask for an unknown task fails",
        `  got ${ids[0] ?? ""}`,
        `  Request: POST ${rpc}`,
        "    x-team: a",
        `    {"id":"${ids[0] ?? ""}"}`,
        "  Response: HTTP 200",
        "    {}",
        `  HTTP+JSON 1.0: the same, POST ${rest}`,
        "",
      ].join("\n"),
    );
  });

  it("another reason, level or response on a further interface is part of the entry", () => {
    const report = text([
      failure({ replies: [replyAt(rpc, "{}", '{"a":1}')] }),
      failure({
        lane: lanes[1],
        level: "should",
        section: "8.2",
        reason: "got the status 500",
        replies: [replyAt(rest, "{}", '{"b":2}')],
      }),
    ]);
    expect(report).toContain(
      [
        "  HTTP+JSON 1.0 (should, 8.2): got the status 500",
        `    Request: POST ${rest}`,
        "      x-team: a",
        "    Response: HTTP 200",
        '      {"b":2}',
        "",
      ].join("\n"),
    );
  });

  it("the entry has the most important level of the rule, whichever interface is first", () => {
    const report = text([failure({ level: "should" }), failure({ lane: lanes[1] })]);
    expect(report).toContain("FAIL get-unknown on JSONRPC 1.0, HTTP+JSON 1.0 (must, 3.1.3)");
    expect(report).toContain("  JSONRPC 1.0 (should, 3.1.3): the same");
  });

  it("tests with the same id in two suites are two entries", () => {
    const report = text([failure({ suite: "one" }), failure({ suite: "two" })]);
    expect(report.match(/^FAIL get-unknown/gm)).toHaveLength(2);
  });

  it("long bodies, and bodies with many lines, are shortened unless the report is verbose", () => {
    const replies = [replyAt(rpc, "x".repeat(1_000), "line\n".repeat(1_000))];
    const judged = judgedOf([failure({ replies })]);
    const short = textReport(judged);
    expect(short.join("\n")).toContain("… (700 more characters)");
    expect(short.length).toBeLessThan(30);
    expect(textReport(judged, true).join("\n")).toContain("x".repeat(1_000));
  });

  it("an expected failure on several interfaces is one line", () => {
    const results = lanes.map((lane) => failure({ lane, expected: "known" }));
    expect(text(results)).toContain("  get-unknown on JSONRPC 1.0, HTTP+JSON 1.0: known");
    expect(text(results)).toMatch(
      /\nPassed: 0 passed, 0 failed, 2 failed as expected, 0 skipped in/,
    );
  });

  it("an expected failure that does not occur is listed with its file and its line, and counted", () => {
    const report = text([], { unmet: [unmet({ lane: "GRPC", line: 7 })] });
    expect(report).toContain(
      "\n\nThe expected failure get-unknown GRPC (known.txt, line 7) passes on JSONRPC 1.0:\nremove",
    );
    expect(report).toMatch(
      /\nFailed: 0 passed, 0 failed, 1 did not fail as expected, 0 skipped in/,
    );
  });
});
