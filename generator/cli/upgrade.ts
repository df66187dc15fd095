import { summaryOf, type Comparison } from "../diff/report.js";
import { textReport } from "../diff/text.js";
import type { SilentChange } from "../upgrade/silent.js";
import type { Remaining, Renamed, UpgradeReport } from "../upgrade/types.js";
import { upgrade } from "../upgrade/upgrade.js";
import { linesOf, reportOf } from "./report.js";
import { count, ExitCode, print, printJson } from "../../tools/terminal/output.js";
import type { Arguments } from "./options.js";

/** Runs `a2a-codegen upgrade`. */
export async function upgradeCommand(args: Arguments<"upgrade">): Promise<number> {
  const report = await upgrade(args);
  if (args.json) {
    const { comparison, generated, ...rest } = report;
    printJson({ ok: true, ...rest, changes: comparison.changes, generated: reportOf(generated) });
  } else for (const line of reportLines(report, args)) print(line);
  return ExitCode.ok;
}

/** Returns the lines of the report: first the remaining work, then the changes that were made. */
function reportLines(
  report: UpgradeReport,
  { diff }: Pick<Arguments<"upgrade">, "diff">,
): string[] {
  const {
    comparison,
    generated,
    renamed,
    remaining,
    isCurrent,
    written,
    silent,
    newMethods,
    adapter,
  } = report;
  return [
    `${comparison.from} → ${comparison.to}: ` +
      `${summaryOf(comparison)}${diff ? "" : "; list them with --diff"}`,
    ...(adapter === undefined ? [] : ["", `The output keeps its adapter: ${adapter}`]),
    ...remainingLines(remaining),
    ...silentLines(silent, adapter !== undefined),
    ...newLines(newMethods),
    "",
    ...renamedLines(renamed, written),
    "",
    ...linesOf(generated, { dryRun: !written, listFiles: false }),
    ...(diff ? ["", ...textReport(comparison)] : []),
    ...(written
      ? []
      : [
          "",
          isCurrent
            ? nothingToWrite(comparison)
            : "Nothing was written; add --write to change the project",
        ]),
  ];
}

/** Explains why a project is current although its specification has changed, if it has. */
function nothingToWrite({ changes }: Comparison): string {
  return changes.length === 0
    ? "Nothing to write"
    : "Nothing to write, because the output is already generated. If your code has old names, " +
        "restore the previous output with git, and run `upgrade` instead of `generate`";
}

function silentLines(silent: readonly SilentChange[], isAdapted: boolean): string[] {
  if (silent.length === 0) return [];
  const who = isAdapted
    ? "the adapter, once passed to createAgent and connect, handles"
    : `${silent.length === 1 ? "affects" : "affect"} callers and agents, but not the compiler`;
  const heading = `${count(silent.length, "change")} that ${who}`;
  return [
    "",
    heading,
    ...silent.flatMap(({ message, notes }) => [
      `  ${message}`,
      ...notes.map((note) => `      ${note}`),
    ]),
  ];
}

function newLines(methods: readonly string[]): string[] {
  if (methods.length === 0) return [];
  const named = "set `agent` in the configuration so that `generate` adds them";
  return [
    "",
    `${count(methods.length, "new operation")} that the service can implement; ${named}`,
    ...methods.map((name) => `  ${name}`),
  ];
}

function renamedLines(renamed: readonly Renamed[], written: boolean): string[] {
  if (renamed.length === 0) return ["Nothing to rewrite in your files"];
  const files = new Set(renamed.map(({ file }) => file)).size;
  const lines = renamed.map(
    ({ file, line, column, from, to }) => `  ${file}:${line}:${column} ${from} → ${to}`,
  );
  return [
    `${count(renamed.length, "location")} ${written ? "" : "would be "}rewritten in ` +
      count(files, "file"),
    ...lines,
  ];
}

function remainingLines(remaining: readonly Remaining[]): string[] {
  const errors = remaining.filter(({ kind, wasBefore }) => kind === "error" && !wasBefore);
  const before = remaining.filter(({ wasBefore }) => wasBefore);
  const notices = remaining.filter(({ kind }) => kind === "name");
  const section = (items: readonly Remaining[], heading: string): string[] =>
    items.length === 0 ? [] : ["", heading, ...items.flatMap(remainingLine)];
  return [
    ...(errors.length === 0 ? ["", "No new compile errors"] : []),
    ...section(errors, `${count(errors.length, "compile error")} to fix by hand`),
    ...section(before, `${count(before.length, "compile error")} that the project already had`),
    ...section(
      notices,
      `${count(notices.length, "location")} to check by hand, which the compiler accepts`,
    ),
  ];
}

function remainingLine({ file, line, column, code, message, notes }: Remaining): string[] {
  const text = code === undefined ? message : `TS${code}: ${message}`;
  return [`  ${file}:${line}:${column} ${text}`, ...notes.map((note) => `      ${note}`)];
}
