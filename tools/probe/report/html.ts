import type { Result } from "../result.js";
import { levels } from "../rule.js";
import { unmetText } from "../expected.js";
import { evidenceOf } from "./evidence.js";
import { byLevel, byText, factsOf, groupsOf, isAlike, type RuleGroup } from "./groups.js";
import { style } from "./html-style.js";
import { type Markup, markup } from "./markup.js";
import {
  countsOf,
  hasPassed,
  isUnexpected,
  laneNames,
  countsText,
  type Judged,
} from "./summary.js";

/** Returns the report as an HTML page without scripts and without external resources. */
export function htmlReport(judged: Judged): string[] {
  const { report, results, unmet, secrets } = judged;
  const verdict = hasPassed(judged) ? "Passed" : "Failed";
  const agent = report.agent || report.url;
  const expected = groupsOf(results.filter((result) => result.expected !== undefined));
  const page = [
    markup`<!doctype html>`,
    markup`<html lang="en"><head><meta charset="utf-8">`,
    markup`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    markup`<meta name="viewport" content="width=device-width, initial-scale=1">`,
    markup`<title>${verdict}: ${agent}</title><style>${style}</style></head><body><main>`,
    markup`<h1><span class="${verdict.toLowerCase()}">${verdict}</span>: ${agent}</h1>`,
    markup`<p>${countsText(judged)}</p>`,
    markup`<p><small>${report.url}, ${report.startedAt.replace("T", " ")}</small></p>`,
    ...table(judged),
    ...report.notes.map((note) => markup`<p>Note: ${note}</p>`),
    ...(unmet.length === 0
      ? []
      : [markup`<h2>Expected failures that did not occur (${unmet.length})</h2>`]),
    ...unmet.map((entry) => markup`<p class="unmet">${unmetText(entry)}: remove it</p>`),
    ...byLevel(groupsOf(results.filter(isUnexpected))).flatMap(({ level, groups }) => [
      markup`<h2>Failed rules: ${level} (${groups.length})</h2>`,
      ...groups.map((group) => entry(group, level, secrets)),
    ]),
    ...(expected.length === 0 ? [] : [markup`<h2>Expected failures (${expected.length})</h2>`]),
    ...expected.map((group) => entry(group, "expected", secrets)),
    ...skippedSection(results),
    ...passedSection(results),
    markup`</main></body></html>`,
  ];
  return page.map(String);
}

function table(judged: Judged): Markup[] {
  const head = ["Interface", ...levels, "failed", "skipped"].map(
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
    const failed = laneResults.filter(isUnexpected).length;
    const { skipped } = countsOf(laneResults);
    const ends = markup`<td>${failed}</td><td>${skipped}</td>`;
    return markup`<tr><th scope="row">${lane}</th>${cells}${ends}</tr>`;
  });
  // The table scrolls in its box, with the keyboard, too.
  return [
    markup`<div class="scroll" tabindex="0" role="region" aria-label="Results by interface">`,
    markup`<table><caption>Passed and checked rules of each level</caption>`,
    markup`<thead><tr>${head}</tr></thead><tbody>`,
    ...rows,
    markup`</tbody></table></div>`,
  ];
}

/** Returns a failed rule: its failure on one interface, and what differs on the others. */
function entry(group: RuleGroup, kind: string, secrets: readonly string[]): Markup {
  const { level, lanes, first, others } = group;
  const name = markup`<b class="${level}">${level}</b> ${group.id}: ${group.title}`;
  const rest = others.map((result) => {
    const reason = isAlike(result.reason, first.reason) ? "the same" : reasonOf(result);
    const summary = markup`<summary>${placeOf(result)}: ${reason}</summary>`;
    return markup`<details>${summary}${blocks(result, secrets)}</details>`;
  });
  const known = first.expected === undefined ? "" : `: ${first.expected}`;
  const content = [
    markup`<summary>${name} <small>${lanes.join(", ")}${known}</small></summary>`,
    markup`<h3>${placeOf(first)}</h3><p>${reasonOf(first)}</p>${blocks(first, secrets)}`,
    ...rest,
  ];
  return markup`<details class="${kind}">${content}</details>`;
}

const placeOf = (result: Result): string => `${result.lane} (${factsOf(result)})`;

function reasonOf({ reason, expected }: Result): string {
  return expected === undefined ? reason : `${reason} (expected: ${expected})`;
}

function blocks({ replies }: Result, secrets: readonly string[]): Markup[] {
  return replies.flatMap((reply) => {
    const { request, response, curl } = evidenceOf(reply, { secrets });
    const parts = Object.entries({ Request: request, Response: response, Repeat: curl });
    return parts.flatMap(([name, text]) =>
      text === undefined ? [] : [markup`<h4>${name}</h4><pre tabindex="0">${text}</pre>`],
    );
  });
}

function skippedSection(results: readonly Result[]): Markup[] {
  const skipped = results.filter(({ state }) => state === "skip");
  if (skipped.length === 0) return [];
  const entries = byText(skipped, ({ reason }) => reason).map(([reason, some]) => {
    const summary = markup`<summary>${some.length} because ${reason}</summary>`;
    return markup`<details>${summary}${list(groupsOf(some))}</details>`;
  });
  return [markup`<h2>Skipped checks (${skipped.length})</h2>`, ...entries];
}

function passedSection(results: readonly Result[]): Markup[] {
  const passed = results.filter(({ state }) => state === "pass");
  if (passed.length === 0) return [];
  const groups = groupsOf(passed);
  return [
    markup`<h2>Passed checks (${passed.length})</h2>`,
    markup`<details><summary>${groups.length} rules</summary>${list(groups)}</details>`,
  ];
}

function list(groups: readonly RuleGroup[]): Markup {
  const items = groups.map(
    ({ id, title, lanes }) => markup`<li>${id}: ${title} <small>${lanes.join(", ")}</small></li>`,
  );
  return markup`<ul>${items}</ul>`;
}
