import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, extname } from "node:path";
import { badgeReport } from "../probe/report/badge.js";
import { githubReport } from "../probe/report/github.js";
import { htmlReport } from "../probe/report/html.js";
import { jsonReport } from "../probe/report/json.js";
import { junitReport } from "../probe/report/junit.js";
import type { Judged } from "../probe/report/summary.js";
import { textReport } from "../probe/report/text.js";
import { InputError, reasonOf } from "../../support/diagnostics.js";
import { print, printJson } from "../terminal/output.js";
import type { reportFormats } from "./probe-options.js";

/** Format of a report. */
export type Format = (typeof reportFormats)[number];

/** Options that choose a format. */
interface FormatOptions extends Readonly<Record<"json" | "junit" | "html", boolean>> {
  readonly format?: Format | undefined;
}

/** Returns the chosen format of a report. */
export function formatOf({ json, junit, html, format }: FormatOptions): Format {
  const chosen = Object.entries({ json, junit, html }).flatMap(([name, isSet]) =>
    isSet ? [{ option: name, name: name as Format }] : [],
  );
  if (format !== undefined) chosen.push({ option: "format", name: format });
  const [first, second] = chosen;
  if (first === undefined || second === undefined) return first?.name ?? "text";
  throw new InputError({
    message: `--${first.option} cannot be used with --${second.option}`,
    hint: "Remove one of them",
  });
}

/** Formats of files by their extensions. Other files get the chosen format. */
const formatsByExtension: Readonly<Record<string, Format>> = {
  ".html": "html",
  ".json": "json",
  ".svg": "badge",
  ".xml": "junit",
};

/** Options of {@link publish}. */
interface PublishOptions {
  readonly format: Format;
  /** Files to write the report to, each in the format of its extension. */
  readonly paths: readonly string[];
  /** Whether the text form contains each failure in full. */
  readonly isVerbose: boolean;
}

/**
 * Writes a report to files, and prints it. If a file has the chosen format, the text form is
 * printed instead.
 *
 * @throws {InputError} if a file cannot be written
 */
export function publish(judged: Judged, { format, paths, isVerbose }: PublishOptions): void {
  const text = textReport(judged, isVerbose);
  const files = paths.map((path) => ({
    path,
    format: formatsByExtension[extname(path).toLowerCase()] ?? format,
  }));
  const printed = files.some((file) => file.format === format) ? "text" : format;
  if (printed === "json") printJson(jsonReport(judged));
  // Line breaks in a line would be escaped.
  else for (const line of linesOf(judged, printed, text).join("\n").split("\n")) print(line);
  for (const file of files) write(file.path, linesOf(judged, file.format, text));
}

function write(path: string, lines: readonly string[]): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${lines.join("\n")}\n`);
  } catch (error) {
    throw new InputError({
      message: `the report cannot be written: ${reasonOf(error)}`,
      hint: "Check the path after --out",
    });
  }
}

function linesOf(judged: Judged, format: Format, text: readonly string[]): readonly string[] {
  const reports: Readonly<Record<Format, () => readonly string[]>> = {
    text: () => text,
    json: () => [JSON.stringify(jsonReport(judged), null, 2)],
    junit: () => junitReport(judged),
    html: () => htmlReport(judged),
    github: () => githubReport(judged, text, randomUUID()),
    badge: () => badgeReport(judged),
  };
  return reports[format]();
}
