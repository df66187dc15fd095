import { brokenBy } from "./compare.js";
import { lineOf, reasonsOf, sectionsOf, summaryOf, type Comparison } from "./report.js";
import type { Change } from "./types.js";

const style = `
:root { color-scheme: light dark; --line: #8884; --breaking: #c0392b; --fine: #1e8449; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: 0.4rem 0.6rem; vertical-align: top; overflow-wrap: anywhere; }
td:first-child { width: 6.5rem; }
code { font: 0.9em ui-monospace, monospace; }
.breaking { color: var(--breaking); font-weight: 600; } .fine { color: var(--fine); }
.reasons { opacity: 0.8; font-size: 0.9em; margin: 0; padding: 0; list-style: none; }
@media (max-width: 40rem) { td, td:first-child { display: block; width: auto; border: 0; } tr { display: block; border-top: 1px solid var(--line); } }
`.trim();

/** The report as a page of its own: nothing in it comes from elsewhere. */
export function htmlReport(comparison: Comparison): string[] {
  const title = `${comparison.from} → ${comparison.to}`;
  const sections = sectionsOf(comparison.changes).flatMap(({ heading, groups }) => [
    `<h2>${escape(heading)}</h2>`,
    "<table>",
    ...groups.flatMap(({ changes }) => changes).map(rowOf),
    "</table>",
  ]);
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(title)}</title>`,
    `<style>\n${style}\n</style>`,
    `<h1>${escape(title)}</h1>`,
    `<p>${escape(summaryOf(comparison))}.</p>`,
    ...sections,
    "</html>",
  ];
}

function rowOf(change: Change): string {
  const isBreaking = brokenBy(change).length > 0;
  const verdict = isBreaking ? '<span class="breaking">breaking</span>' : '<span class="fine">compatible</span>';
  const reasons = reasonsOf(change).map((reason) => `<li>${escape(reason)}</li>`);
  const list = reasons.length === 0 ? "" : `<ul class="reasons">${reasons.join("")}</ul>`;
  return `<tr><td>${verdict}</td><td><code>${escape(lineOf(change))}</code>${list}</td></tr>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
