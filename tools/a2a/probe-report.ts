import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { badgeReport } from "../probe/report/badge.js";
import { githubReport } from "../probe/report/github.js";
import { htmlReport } from "../probe/report/html.js";
import { jsonReport } from "../probe/report/json.js";
import { junitReport } from "../probe/report/junit.js";
import type { Judged } from "../probe/report/summary.js";
import { textReport } from "../probe/report/text.js";
import { InputError } from "../../support/diagnostics.js";
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

/** Options of {@link publish}. */
interface PublishOptions {
  readonly format: Format;
  /** File to write the report to. The text form is then printed. */
  readonly path: string | undefined;
  /** Whether the text form contains each failure in full. */
  readonly isVerbose: boolean;
}

/** Prints a report, or writes it to a file. */
export function publish(judged: Judged, { format, path, isVerbose }: PublishOptions): void {
  if (format === "json" && path === undefined) return printJson(jsonReport(judged));
  const text = textReport(judged, isVerbose);
  const lines = linesOf(judged, format, text);
  if (path !== undefined) writeFileSync(path, `${lines.join("\n")}\n`);
  // Line breaks in a line would be escaped.
  const printed = path === undefined ? lines.join("\n").split("\n") : text;
  for (const line of printed) print(line);
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
