import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";

const bindings = { JSONRPC: "JSON-RPC", "HTTP+JSON": "HTTP+JSON", GRPC: "gRPC" };
const roles = { client: "SDK client", server: "SDK server" };

/** Lists the tests of a report that fail, with what they say. */
export function failuresOf(report) {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed");
  return failed.map(({ ancestorTitles, title, failureMessages }) =>
    [
      [...ancestorTitles, title].join(" > "),
      ...failureMessages.map((text) => `  ${text.split("\n", 1)}`),
    ].join("\n"),
  );
}

/**
 * Reads the report of Vitest. Returns a cell for each scenario that was played with an SDK: its
 * role, the transport, whether the result was correct or a known deviation, and the reasons of the
 * deviation.
 */
export function cellsOf(report) {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.flatMap(({ ancestorTitles, status, meta }) => {
    if (meta?.played === undefined) return [];
    const [pair, binding] = ancestorTitles.slice(-2);
    const [, role, sdk] = /^(client|server) of (.*)$/.exec(pair) ?? [];
    const { scenario, departures } = meta.played;
    return [{ sdk, role, binding, scenario, ok: status === "passed", departures }];
  });
}

const works = ({ ok, departures }) => ok && departures.every(({ isHabit }) => isHabit);

const columns = Object.keys(roles).flatMap((role) =>
  Object.keys(bindings).map((binding) => ({ role, binding })),
);

const isOf =
  ({ role, binding }) =>
  (cell) =>
    cell.role === role && cell.binding === binding;

/**
 * Returns the counts of working scenarios of each SDK (`summary`), and the results of every
 * scenario (`details`), as Markdown.
 */
export function markdownOf(sdks, cells) {
  const pairs = sdks.flatMap((sdk) => [
    sdk,
    { ...sdk, name: `${sdk.name}, through a 1.0 adapter` },
  ]);
  const own = pairs
    .map((sdk) => ({ ...sdk, cells: cells.filter(({ sdk: name }) => name === sdk.name) }))
    .filter((sdk) => sdk.cells.length > 0);
  const summary = [
    `| SDK | A2A | Role | ${Object.values(bindings).join(" | ")} |`,
    "| --- | --- | --- | --: | --: | --: |",
    ...own.flatMap(summaryOf),
  ];
  return { summary: summary.join("\n"), details: own.flatMap(sectionOf).join("\n") };
}

function summaryOf({ name, version, cells }) {
  return Object.entries(roles).map(([role, title]) => {
    const counts = Object.keys(bindings).map((binding) => {
      const own = cells.filter(isOf({ role, binding }));
      return `${own.filter(works).length} of ${own.length}`;
    });
    return `| ${name} | ${version} | ${title} | ${counts.join(" | ")} |`;
  });
}

function sectionOf({ name, cells }) {
  const reasons = [];
  const numberOf = ({ does, says }) => {
    const index = reasons.findIndex((reason) => reason.does === does);
    return index < 0 ? reasons.push({ does, says }) : index + 1;
  };
  const shown = (cell) => {
    if (cell === undefined) return "";
    if (!cell.ok) return "✗";
    const numbers = [...new Set(cell.departures.map(numberOf))].sort((a, b) => a - b).join(", ");
    if (!works(cell)) return numbers;
    return numbers === "" ? "✓" : `✓ (${numbers})`;
  };
  const rows = [...new Set(cells.map(({ scenario }) => scenario))].map((scenario) => {
    const row = columns.map((column) =>
      shown(cells.find((cell) => cell.scenario === scenario && isOf(column)(cell))),
    );
    return `| ${scenario} | ${row.join(" | ")} |`;
  });
  const titles = columns.map(({ role, binding }) => `${roles[role]}, ${bindings[binding]}`);
  return [
    `\n## ${name}\n`,
    `| Scenario | ${titles.join(" | ")} |`,
    `| --- |${columns.map(() => " --- ").join("|")}|`,
    ...rows,
    "",
    ...reasons.map(({ does, says }, index) => `${index + 1}. ${does} (${says.replace(/\.$/, "")})`),
  ];
}

/** Returns the table of the clients of frameworks in a report of Vitest, as Markdown. */
export function clientsOf(report) {
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const rows = tests.flatMap(({ meta }) => meta?.client ?? []);
  const titles = Object.keys(rows[0] ?? {});
  const lines = [titles, titles.map(() => "---"), ...rows.map((row) => Object.values(row))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * Writes Markdown between the markers of a page that have the given name. Throws if the page does
 * not have them.
 */
export async function writePage(file, name, markdown) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${start} and ${end} to write between`);
  const next = `${text.slice(0, from + start.length)}\n\n${markdown}\n\n${text.slice(to)}`;
  writeFileSync(file, await format(next, { ...(await resolveConfig(file)), filepath: file }));
}
