import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { format, resolveConfig } from "prettier";

/**
 * The measurements against the official SDK that the README shows, by name, with their descriptions
 * in the README.
 */
export const comparison = new Map([
  ["JSON-RPC, a stored task", "Create a task: custom service, JSON-RPC"],
  ["HTTP+JSON, a stored task", "Create a task: custom service, HTTP+JSON"],
  ["gRPC, a stored task", "Create a task: custom service, gRPC"],
  ["Task kit, JSON-RPC", "Create a task: task kit, JSON-RPC"],
  ["Events over JSON-RPC", "Stream events: custom service, JSON-RPC"],
  ["Events over gRPC", "Stream events: custom service, gRPC"],
  ["Events to 100 subscribers", "Stream events to 100 subscribers: task kit"],
  [
    "client bundle with discovery, JSON-RPC and HTTP+JSON, gzipped",
    "Client bundle with discovery, gzipped",
  ],
  [
    "validate a task with ten messages, where the SDK converts unchecked",
    "Validate a task (the SDK converts unchecked)",
  ],
  [
    "read a task with ten messages as a client does, where the SDK converts unchecked",
    "Read a task in a client (the SDK converts unchecked)",
  ],
]);

/** Formats a number with three significant digits and separators between thousands. */
export function number(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Formats a number with its unit. */
export const withUnit = (value, unit) =>
  `${number(value)}${unit.startsWith("/") ? "" : " "}${unit}`;

/** Formats the spread of a factor; an empty string for results that do not vary. */
export const between = (spread) =>
  spread === undefined ? "" : ` (${number(spread.low)}–${number(spread.high)})`;

function closest(results) {
  const rows = new Map();
  for (const result of results)
    if (!(rows.get(result.name)?.ratio <= result.ratio)) rows.set(result.name, result);
  return [...rows.values()];
}

export const tableOf = {
  /** Formats one result, or the omission of one, as a line of text. */
  line: ({ name, ours, peer, peerName, ratio, spread, unit, reason }) =>
    reason === undefined
      ? `${(number(ratio) + between(spread)).padStart(20)} x ${peerName.padEnd(28)} ${name}: ` +
        `${withUnit(ours, unit)} against ${withUnit(peer, unit)}`
      : `${"skipped".padStart(20)}   ${peerName.padEnd(28)} ${name}: ${reason}`,

  /** Formats a change between two commits as a line of text. */
  change: ({ name, unit, before, after, factor, low, high }) =>
    `${(number(factor) + (low === high ? "" : between({ low, high }))).padStart(20)} x ${name}: ` +
    `${withUnit(before, unit)} to ${withUnit(after, unit)}`,

  /** Formats results as a Markdown table with the best peer of each measurement. */
  markdown: (results) =>
    [
      `| What | Ours | Peer | | Ratio |`,
      `| --- | ---: | --- | ---: | ---: |`,
      ...closest(results).map(
        ({ name, ours, peer, peerName, ratio, spread, unit }) =>
          `| ${name} | ${withUnit(ours, unit)} | ${peerName} | ${withUnit(peer, unit)} | ` +
          `${number(ratio)}${between(spread)} |`,
      ),
    ].join("\n"),
};

/** Returns the table of the README. Throws if one of its measurements is missing. */
export function comparisonOf(results) {
  const found = closest(results);
  const rows = [...comparison].map(([name, text]) => {
    const result = found.find((result) => result.name === name);
    if (result === undefined)
      throw new Error(`"${name}" was not measured; correct its name in bench/table.mjs`);
    const { ours, peer, ratio, unit } = result;
    return `| ${text} | ${withUnit(ours, unit)} | ${withUnit(peer, unit)} | ${number(ratio)} |`;
  });
  return [
    "| Measurement | a2a-codegen | `@a2a-js/sdk` | Ratio |",
    "| --- | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

/**
 * Writes a table between the two markers of a file with a name, by default with the machine that
 * was measured. Throws if the file does not have the markers.
 */
export async function writeTable(file, table, name = "bench", namesMachine = true) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const text = readFileSync(file, "utf8");
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from)
    throw new Error(`${file} has no ${start} and ${end} to put the table between`);
  const machine =
    `Node ${process.versions.node}, ${cpus().length} cores ` +
    `(${cpus()[0]?.model.trim() ?? "unknown"}).`;
  const body = namesMachine ? `\n\n${table}\n\n${machine}\n\n` : `\n\n${table}\n\n`;
  const next = text.slice(0, from + start.length) + body + text.slice(to);
  writeFileSync(file, await format(next, { ...(await resolveConfig(file)), filepath: file }));
}
