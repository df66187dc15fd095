import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { format, resolveConfig } from "prettier";

/** The comparisons that the README shows. */
const highlights = [
  "generate all targets of 1.0",
  "generate 1,000 messages",
  "encode a task with ten messages",
  "verdict on a task with ten messages",
  "JSON-RPC, a stored task",
  "Events over JSON-RPC",
  "client bundle, JSON-RPC at a known address, gzipped",
  "type-check of all that is generated for 1.0",
];

const start = "<!-- bench -->";
const end = "<!-- /bench -->";

/** Three digits that count, and thousands that are set apart. */
function number(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const withUnit = (value, unit) => `${number(value)}${unit.startsWith("/") ? "" : " "}${unit}`;

function closest(results) {
  const rows = new Map();
  for (const result of results) if (!(rows.get(result.name)?.ratio <= result.ratio)) rows.set(result.name, result);
  return [...rows.values()];
}

export const tableOf = {
  /** One result as a line of text. */
  line: ({ name, ours, peer, peerName, ratio, unit }) =>
    `${number(ratio).padStart(8)} x ${peerName.padEnd(28)} ${name}: ${withUnit(ours, unit)} against ${withUnit(peer, unit)}`,

  /** Results as a table of Markdown: for each thing measured the peer that comes closest to us. */
  markdown: (results) =>
    [
      `| What | Ours | Peer | | Ratio |`,
      `| --- | ---: | --- | ---: | ---: |`,
      ...closest(results).map(
        ({ name, ours, peer, peerName, ratio, unit }) =>
          `| ${name} | ${withUnit(ours, unit)} | ${peerName} | ${withUnit(peer, unit)} | ${number(ratio)} |`,
      ),
    ].join("\n"),
};

/** Returns the results that the README shows. Throws if one of them was not measured. */
export function highlighted(results) {
  const missing = highlights.find((name) => !results.some((result) => result.name === name));
  if (missing !== undefined) throw new Error(`"${missing}" was not measured; correct its name in bench/table.mjs`);
  return results.filter(({ name }) => highlights.includes(name));
}

/** Puts a table of results between the two markers of a file. Throws if the file does not have them. */
export async function writeTable(file, results) {
  const text = readFileSync(file, "utf8");
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has no ${start} and ${end} to put the table between`);
  const machine = `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}).`;
  const body = `\n\n${tableOf.markdown(results)}\n\n${machine}\n\n`;
  const next = text.slice(0, from + start.length) + body + text.slice(to);
  writeFileSync(file, await format(next, { ...(await resolveConfig(file)), filepath: file }));
}
