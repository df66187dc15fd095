import { between, number, withUnit } from "./table.mjs";

/** The measurements of SDKs that the README shows, with the titles of their columns. */
export const columns = new Map([
  ["A message", "Message"],
  ["A task with four events", "Task"],
  ["Events of a stream", "Stream"],
  ["A page with 50 of 1,000 tasks", "List"],
  ["A 0.3 call, a message", "0.3 call"],
  ["Memory of 10,000 tasks", "Memory of tasks"],
  ["Memory of an open stream", "Memory of a stream"],
]);

const unique = (values) => [...new Set(values)];
const isMade = ({ reason }) => reason === undefined;
const peersOf = (results) => unique(results.map(({ peerName }) => peerName));
const row = (cells) => `| ${cells.join(" | ")} |`;
const cell = (result) =>
  result === undefined ? "–" : `${number(result.ratio)}${between(result.spread)}`;

/** Returns the table of all measurements of SDKs, and lists what was not measured. */
export function sdkTableOf(results) {
  const made = results.filter(isMade);
  const names = unique(made.map(({ name }) => name));
  const peers = peersOf(made);
  const rows = names.map((name) => {
    const own = made.filter((result) => result.name === name);
    const cells = peers.map((peer) => cell(own.find(({ peerName }) => peerName === peer)));
    return row([name, withUnit(own[0].ours, own[0].unit), ...cells]);
  });
  const head = row(["What", "a2a-codegen", ...peers]);
  const lines = row(["---", ...peers.map(() => "--:"), "--:"]);
  return [head, lines, ...rows, "", ...omissionsOf(results), loadOf(made)].join("\n");
}

/** Returns the table of the README: a row for each SDK, compared with our fastest runtime. */
export function sdkSummaryOf(results) {
  const made = results.filter(isMade);
  const runtime = unique(made.map(({ runtime }) => runtime)).at(-1);
  const rows = peersOf(made).map((peer) => {
    const own = made.filter(({ peerName }) => peerName === peer);
    const cells = [...columns.keys()].map((name) =>
      cell(own.find((result) => result.name === `${name}, ${runtime}`)),
    );
    return row([peer, ...cells]);
  });
  const head = row([`SDK; a2a-codegen on ${runtime}`, ...columns.values()]);
  return [head, row(["---", ...[...columns].map(() => "--:")]), ...rows].join("\n");
}

/** Lists what was not measured, by SDK and reason. */
function omissionsOf(results) {
  const omissions = results.filter((result) => !isMade(result));
  const keys = unique(omissions.map(({ peerName, reason }) => JSON.stringify([peerName, reason])));
  const lines = keys.map((key) => {
    const [peer, reason] = JSON.parse(key);
    const own = omissions.filter((one) => one.peerName === peer && one.reason === reason);
    return `- ${peer}, not measured: ${own.map(({ name }) => name).join("; ")}. Reason: ${reason}.`;
  });
  return lines.length === 0 ? [] : [...lines, ""];
}

function loadOf(made) {
  const loads = made.map(({ load }) => load);
  const [low, high] = [Math.min(...loads), Math.max(...loads)];
  return `The load average of the machine was ${low.toFixed(1)} to ${high.toFixed(1)}.`;
}
