import { writeFileSync } from "node:fs";
import { htmlReport } from "../probe/report/html.js";
import { jsonReport } from "../probe/report/json.js";
import { junitReport } from "../probe/report/junit.js";
import type { Judged } from "../probe/report/summary.js";
import { textReport } from "../probe/report/text.js";
import { InputError } from "../../support/diagnostics.js";
import { print, printJson } from "../terminal/output.js";

/** Format of a report. */
export type Format = "text" | "json" | "junit" | "html";

/** Returns the chosen format of a report. */
export function formatOf({
  json,
  junit,
  html,
}: Readonly<Record<"json" | "junit" | "html", boolean>>): Format {
  const chosen = Object.entries({ json, junit, html }).flatMap(([name, isSet]) =>
    isSet ? [name as Format] : [],
  );
  const [format = "text", second] = chosen;
  if (second === undefined) return format;
  throw new InputError({
    message: `--${format} cannot be used with --${second}`,
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
  const text = (): string[] => textReport(judged, isVerbose);
  if (format === "json" && path === undefined) return printJson(jsonReport(judged));
  const lines = format === "text" ? text() : linesOf(judged, format);
  if (path !== undefined) writeFileSync(path, `${lines.join("\n")}\n`);
  // Line breaks in a line would be escaped.
  const printed = path === undefined ? lines.join("\n").split("\n") : text();
  for (const line of printed) print(line);
}

function linesOf(judged: Judged, format: Exclude<Format, "text">): string[] {
  if (format === "json") return [JSON.stringify(jsonReport(judged), null, 2)];
  return format === "html" ? htmlReport(judged) : junitReport(judged);
}
