import { brokenSurfaces } from "./compare.js";
import { style } from "./html-style.js";
import { countOf, partOf, reasonsOf, sectionsOf, surfaceNames, type Comparison, type Group } from "./report.js";
import { surfaces, type Change, type Surface } from "./types.js";

/** Returns the report as an HTML page without scripts and without external resources. */
export function htmlReport(comparison: Comparison): string[] {
  const title = `${comparison.from} → ${comparison.to}`;
  const sections = anchored(comparison);
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(title)}</title>`,
    `<style>\n${style}\n</style>`,
    "</head>",
    "<body>",
    `<h1>${escape(title)}</h1>`,
    ...summaryOf(comparison.changes),
    ...(sections.length === 0 ? [] : contentsOf(sections)),
    ...sections.flatMap(sectionOf),
    "</body>",
    "</html>",
  ];
}

/** Changes of one owner, with the id of this group on the page. */
interface Block extends Group {
  readonly id: string;
  /** Heading above the changes. */
  readonly title: string;
}

interface Part {
  readonly id: string;
  readonly heading: string;
  readonly blocks: readonly Block[];
  readonly changes: readonly Change[];
}

/** Adds a readable, unique id to every section and group. */
function anchored({ changes }: Comparison): Part[] {
  const ids = new Set<string>();
  const idOf = (text: string): string => {
    const base = text.replaceAll(/[^\w.-]+/g, "-");
    let id = base;
    for (let count = 2; ids.has(id); count += 1) id = `${base}-${count}`;
    ids.add(id);
    return id;
  };
  return sectionsOf(changes).map(({ heading, groups }) => {
    const id = idOf(heading.toLowerCase());
    const blocks = groups.map((group): Block => {
      const title = group.name === "" ? heading : group.name;
      return { ...group, title, id: idOf(`${id}-${title}`) };
    });
    return { id, heading, blocks, changes: groups.flatMap((group) => group.changes) };
  });
}

function summaryOf(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ["<p>No differences.</p>"];
  const row = (name: string, count: number): string => `<tr><th scope="row">${name}</th><td>${count}</td></tr>`;
  return [
    '<table class="counts">',
    row("Changes", changes.length),
    ...surfaces.map((surface) => row(`Breaking for ${surfaceNames[surface]}`, countOf(changes, surface))),
    "</table>",
  ];
}

function contentsOf(parts: readonly Part[]): string[] {
  const items = parts.flatMap(({ id, heading, blocks, changes }) => [
    `<li><p><a href="#${id}">${escape(heading)}</a> ${countText(changes)}</p><ul>`,
    ...blocks.map((block) => {
      const isBreaking = breaking(block.changes) > 0;
      const link = `<a href="#${escape(block.id)}">${titleOf(block)}</a>`;
      return `<li>${link} <span class="count">${block.changes.length}</span>${isBreaking ? mark : ""}</li>`;
    }),
    "</ul></li>",
  ]);
  return ['<nav aria-label="Contents"><ul>', ...items, "</ul></nav>"];
}

const mark = ' <span class="breaking" title="has breaking changes">!</span>';

function sectionOf({ id, heading, blocks, changes }: Part): string[] {
  return [
    `<section id="${id}">`,
    `<h2>${escape(heading)} ${countText(changes)}</h2>`,
    ...blocks.flatMap(blockOf),
    "</section>",
  ];
}

function blockOf(block: Block): string[] {
  const { id, name, changes } = block;
  const broken = surfaces.filter((surface) => countOf(changes, surface) > 0);
  return [
    `<section id="${escape(id)}">`,
    `<header><h3><a href="#${escape(id)}">${titleOf(block)}</a></h3>${badges(broken)}</header>`,
    '<table class="changes">',
    '<thead><tr><th scope="col">Change</th><th scope="col">What it breaks</th></tr></thead>',
    "<tbody>",
    ...changes.map((change) => rowOf(change, name)),
    "</tbody>",
    "</table>",
    "</section>",
  ];
}

/** Returns the heading of a block, which is a name as code or the name of the section. */
function titleOf({ name, title }: Block): string {
  return name === "" ? escape(title) : code(title);
}

function badges(broken: readonly Surface[]): string {
  if (broken.length === 0) return '<span class="badge fine">compatible</span>';
  return broken.map((surface) => `<span class="badge breaking">breaks ${surfaceNames[surface]}</span>`).join("");
}

function rowOf(change: Change, owner: string): string {
  const reasons = reasonsOf(change).map((reason) => `<li class="breaking">${escape(reason)}</li>`);
  const note = change.note === undefined ? "" : `<p class="note">${escape(change.note)}</p>`;
  const list =
    reasons.length === 0 ? '<span class="fine">nothing</span>' : `<ul class="reasons">${reasons.join("")}</ul>`;
  return `<tr><td>${lineOf(change, owner)}</td><td>${list}${note}</td></tr>`;
}

/** Formats a change as one line, with names as code. */
function lineOf(change: Change, owner: string): string {
  const { action, from, to, aspect } = change;
  const { kind, name } = partOf(change, owner);
  const named = change.subject === "fact" ? escape(name) : name === "" ? "" : code(name);
  const subject = [kind, named, escape(aspect ?? "")].filter(Boolean).join(" ");
  const start = subject === "" ? action : `${action} ${subject}`;
  if (action === "renamed" || action === "moved") return `${start} → ${code(to ?? "")}`;
  if (from !== undefined && to !== undefined) return `${start}: ${escape(from)} → ${escape(to)}`;
  const detail = from ?? to;
  return detail === undefined ? start : `${start}: ${escape(detail)}`;
}

function countText(changes: readonly Change[]): string {
  const count = breaking(changes);
  const total = `${changes.length} ${changes.length === 1 ? "change" : "changes"}`;
  return `<span class="count">${total}${count === 0 ? "" : `, ${count} breaking`}</span>`;
}

function breaking(changes: readonly Change[]): number {
  return changes.filter((change) => brokenSurfaces(change).length > 0).length;
}

function code(text: string): string {
  return `<code>${escape(text)}</code>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
