import { describe, expect, it } from "vitest";
import { badgeReport } from "../../../../tools/probe/report/badge.js";
import { githubReport } from "../../../../tools/probe/report/github.js";
import { textReport } from "../../../../tools/probe/report/text.js";
import type { Judged } from "../../../../tools/probe/report/summary.js";
import fc from "../../../support/properties.js";
import { failure, judgedOf, replyAt, unmet } from "./judged.js";

const token = "8f6c2a51-token";
const report = (judged: Judged) => githubReport(judged, textReport(judged, true), token);

/** Commands in a log, as the runner of GitHub reads them: it ignores spaces before a command. */
function commandsIn(log: string) {
  const found: { readonly name: string; readonly title: string; readonly text: string }[] = [];
  let stopped: string | undefined;
  for (const line of log.split(/\r\n|[\n\r\u0085\u2028\u2029]/)) {
    const trimmed = line.trimStart();
    const [, name = "", properties = "", text = ""] =
      /^::([\w-]+)(?: (.*?))?::(.*)$/.exec(trimmed) ?? [];
    if (stopped !== undefined) {
      if (trimmed === `::${stopped}::`) stopped = undefined;
    } else if (name === "stop-commands") stopped = text;
    else if (name !== "" || trimmed.includes("##[")) found.push({ name, title: properties, text });
  }
  return { found, stopped };
}

describe("the report for GitHub Actions", () => {
  it("each failed rule is one annotation: an error if it counts, otherwise a warning or a notice", () => {
    const lines = report(
      judgedOf([
        failure({ id: "may-rule", level: "may" }),
        failure({ id: "should-rule", level: "should" }),
        failure({ id: "must-rule", reason: "100 %, got {\n}" }),
        failure({ id: "must-rule", lane: "GRPC 1.0", reason: "got nothing" }),
      ]),
    );
    expect(lines.slice(0, 4)).toEqual([
      "::error title=must-rule on JSONRPC 1.0%2C GRPC 1.0 (must%2C 3.1.3)::GetTask for an unknown task fails%0A100 %25, got {\\u000a}%0AGRPC 1.0: got nothing",
      "::warning title=should-rule on JSONRPC 1.0 (should%2C 3.1.3)::GetTask for an unknown task fails%0Aexpected an error, got a task",
      "::notice title=may-rule on JSONRPC 1.0 (may%2C 3.1.3)::GetTask for an unknown task fails%0Aexpected an error, got a task",
      `::stop-commands::${token}`,
    ]);
    expect(lines.at(-1)).toBe(`::${token}::`);
    const strict = judgedOf([failure({ level: "may" })], { failOn: "may" });
    expect(report(strict)[0]).toMatch(/^::error /);
  });

  it("an expected failure that passes is an error, and other expected failures have no annotations", () => {
    const entries = [unmet({ id: "a", line: 3, actual: "passes on card" })];
    const lines = report(judgedOf([failure({ expected: "known" })], { unmet: entries }));
    expect(lines.slice(0, 2)).toEqual([
      "::error title=Expected failure a::" +
        "The expected failure a (known.txt, line 3) passes on card: remove it",
      `::stop-commands::${token}`,
    ]);
  });

  it("text of an agent never becomes a command", () => {
    const piece = fc.constantFrom(
      ...["::", "::error::", "::add-mask::a", "::stop-commands::x", "::x::", "##[error]", "%"],
      ...["\n", "\r", "\u0085", "\u2028", ",", ":", "%0A", " ", "title=", "a"],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, text, text, text, (id, lane, title, reason, body) => {
        const replies = [replyAt(body, body, body)];
        const hostile = failure({ id, lane, title, reason, section: lane, replies });
        const judged = judgedOf([hostile, { ...hostile, lane: "GRPC 1.0", reason: body }], {
          unmet: [unmet({ id, lane, reason, actual: reason })],
        });
        const { found, stopped } = commandsIn(report(judged).join("\n"));
        expect(found.map(({ name }) => name)).toEqual(["error", "error"]);
        for (const { title: shown } of found) expect(shown).toMatch(/^title=[^:,\r\n]*$/);
        expect(stopped).toBeUndefined();
      }),
    );
  });
});

describe("the badge", () => {
  it("the badge counts the must rules that pass on all interfaces and the must rules that fail", () => {
    const passing = { state: "pass", reason: "" } as const;
    const svg = badgeReport(
      judgedOf([
        failure({ id: "a" }),
        failure({ ...passing, id: "a", lane: "GRPC 1.0" }),
        failure({ ...passing, id: "b" }),
        failure({ ...passing, id: "c", level: "may" }),
        failure({ id: "d", state: "skip" }),
      ]),
    ).join("\n");
    expect(svg).toContain("<title>Agent: A2A must rules: 1 passed, 1 failed</title>");
    expect(svg).toContain('fill="#b3261e"');
  });

  it.each([
    ["#1f7a1f", "1 passed", [failure({ state: "pass" })]],
    ["#8f5200", "0 passed, 1 failed", [failure({ expected: "known" })]],
    ["#5f6368", "not checked", [failure({ state: "skip" })]],
  ])("the badge has the color %s for %s", (color, text, results) => {
    const svg = badgeReport(judgedOf(results)).join("\n");
    expect(svg).toContain(`fill="${color}"`);
    expect(svg).toContain(`>${text}</text>`);
  });

  it("the name of the agent is escaped in the badge", () => {
    const judged = judgedOf([failure({})]);
    const agent = `"><script>alert(1)</script>`;
    const svg = badgeReport({ ...judged, report: { ...judged.report, agent } }).join("\n");
    expect(svg).not.toContain("<script");
    expect(svg).toContain('aria-label="&quot;&gt;&lt;script');
  });
});
