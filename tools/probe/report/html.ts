import { isFailure, type Result } from "../result.js";
import { levels } from "../rule.js";
import { evidenceOf } from "./evidence.js";
import { type Markup, markup } from "./markup.js";
import { countsOf, hasPassed, isUnexpected, laneNames, type Judged } from "./summary.js";

const style = markup`:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}th,td{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #8886}
th:first-child{text-align:left}
details{border-left:.3rem solid #8888;margin:.5rem 0;padding:.2rem .8rem}
details.fail{border-color:#d33}details.expected{border-color:#c80}
summary{cursor:pointer;overflow-wrap:anywhere}
pre{overflow:auto;max-height:24rem;padding:.6rem;background:#8882;white-space:pre-wrap;overflow-wrap:anywhere}
p{overflow-wrap:anywhere}`;

/** Returns the report as an HTML page without scripts and without external resources. */
export function htmlReport(judged: Judged): string[] {
  const { report, results, unmet } = judged;
  const verdict = hasPassed(judged) ? "Passed" : "Failed";
  const title = `${verdict}: ${report.agent || report.url}`;
  const failed = results.filter(isUnexpected);
  const expected = results.filter((result) => result.expected !== undefined);
  const skipped = results.filter(({ state }) => state === "skip");
  const passed = results.filter(({ state }) => state === "pass");
  const page = [
    markup`<!doctype html>`,
    markup`<html lang="en"><head><meta charset="utf-8">`,
    markup`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    markup`<meta name="viewport" content="width=device-width, initial-scale=1">`,
    markup`<title>${title}</title><style>${style}</style></head><body>`,
    markup`<h1>${title}</h1>`,
    markup`<p>${report.url}, ${report.startedAt}</p>`,
    ...table(judged),
    ...report.notes.map((note) => markup`<p>Note: ${note}</p>`),
    ...unmet.map(
      ({ id, lane, actual }) => markup`<p>The expected failure ${id} ${lane} ${actual}</p>`,
    ),
    ...section("Failures", failed, judged),
    ...section("Expected failures", expected, judged),
    ...section("Skipped", skipped, judged),
    ...section("Passed", passed, judged),
    markup`</body></html>`,
  ];
  return page.map(String);
}

function table(judged: Judged): Markup[] {
  const head = ["Interface", ...levels, "skipped"].map(
    (name) => markup`<th scope="col">${name}</th>`,
  );
  const rows = laneNames(judged).map((lane) => {
    const laneResults = judged.results.filter((result) => result.lane === lane);
    const cells = levels.map((level) => {
      const { passed, total, skipped } = countsOf(
        laneResults.filter((result) => result.level === level),
      );
      return markup`<td>${passed}/${total - skipped}</td>`;
    });
    return markup`<tr><th scope="row">${lane}</th>${cells}<td>${countsOf(laneResults).skipped}</td></tr>`;
  });
  return [markup`<table><thead><tr>${head}</tr></thead><tbody>`, ...rows, markup`</tbody></table>`];
}

function section(name: string, results: readonly Result[], { secrets }: Judged): Markup[] {
  if (results.length === 0) return [];
  return [
    markup`<h2>${name} (${results.length})</h2>`,
    ...results.map((result) => entry(result, secrets)),
  ];
}

function entry(result: Result, secrets: readonly string[]): Markup {
  const { id, lane, level, section: place, title, reason, expected, replies } = result;
  const facts = [lane, level, ...(place === "" ? [] : [place])].join(", ");
  const summary = markup`${id}: ${title} <small>(${facts})</small>`;
  if (reason === "") return markup`<p>${summary}</p>`;
  const blocks = replies.flatMap((reply) => {
    const { request, response, curl } = evidenceOf(reply, { secrets });
    return [request, response, ...(curl === undefined ? [] : [curl])].map(
      (text) => markup`<pre>${text}</pre>`,
    );
  });
  const failureKind = expected === undefined ? "fail" : "expected";
  const kind = isFailure(result) ? failureKind : "";
  const why = expected === undefined ? reason : `${reason} (expected: ${expected})`;
  const content = markup`<summary>${summary}</summary><p>${why}</p>${blocks}`;
  return markup`<details class="${kind}">${content}</details>`;
}
