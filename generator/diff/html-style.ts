/** Style of the page: colors for light and dark screens, and for paper, with a contrast ratio of at least 4.5. */
export const style = `
:root { color-scheme: light dark; --page: #ffffff; --box: #f4f5f7; --text: #1b1e23; --soft: #515863; --line: #c9ced6; --link: #0b57b0; --breaking: #a3161a; --fine: #17642f; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14161a; --box: #20242b; --text: #e8eaed; --soft: #b3bac5; --line: #454c57; --link: #8ab8ff; --breaking: #ff9a91; --fine: #84dca0; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--text); overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.3rem; margin: 3rem 0 1rem; } h3 { font-size: 1rem; margin: 0; }
a { color: var(--link); text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
code { font: 0.9em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: 0.85rem; }
th, td { border-top: 1px solid var(--line); padding: 0.4rem 0.6rem; vertical-align: top; }
.counts { width: auto; } .counts td { font-variant-numeric: tabular-nums; text-align: right; }
nav { margin-top: 1.5rem; background: var(--box); border-radius: 0.5rem; padding: 0.75rem 1rem; }
nav ul { list-style: none; margin: 0; padding: 0; } nav ul ul { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; padding-left: 1rem; font-size: 0.9rem; }
nav p { margin: 0.5rem 0 0.1rem; } .count { color: var(--soft); font-weight: 400; font-size: 0.9rem; }
section section { border: 1px solid var(--line); border-radius: 0.5rem; margin: 0 0 1rem; scroll-margin-top: 1rem; overflow: hidden; }
section header { display: flex; flex-wrap: wrap; gap: 0.25rem 0.6rem; align-items: baseline; background: var(--box); padding: 0.4rem 0.6rem; }
section:target { outline: 2px solid var(--link); }
.changes td:first-child, .changes th:first-child { width: 55%; }
.badge { border: 1px solid currentcolor; border-radius: 1rem; padding: 0 0.5rem; font-size: 0.8rem; font-weight: 600; white-space: nowrap; }
.breaking { color: var(--breaking); } .fine { color: var(--fine); } .note { color: var(--soft); margin: 0; }
.reasons { margin: 0; padding: 0; list-style: none; }
@media (max-width: 40rem) {
  .changes thead { display: none; } .changes tr { display: block; border-top: 1px solid var(--line); padding: 0.4rem 0.6rem; }
  .changes td, .changes td:first-child { display: block; width: auto; border: 0; padding: 0; }
}
@media print {
  :root { color-scheme: light; --page: #ffffff; --box: #ffffff; --text: #000000; --soft: #444444; --line: #999999; --link: #000000; --breaking: #8f0f13; --fine: #0f5223; }
  body { max-width: none; padding: 0; font-size: 10pt; } tr, section header { break-inside: avoid; } h2, section header { break-after: avoid; }
}
`.trim();
