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

/** Prints a report. With `path`, writes the report to this file and prints its text form. */
export function publish(judged: Judged, format: Format, path: string | undefined): void {
  if (path === undefined) {
    if (format === "json") printJson(jsonReport(judged));
    // Line breaks in a line would be escaped.
    else for (const line of linesOf(judged, format).join("\n").split("\n")) print(line);
    return;
  }
  const content =
    format === "json"
      ? JSON.stringify(jsonReport(judged), null, 2)
      : linesOf(judged, format).join("\n");
  writeFileSync(path, `${content}\n`);
  for (const line of textReport(judged)) print(line);
}

function linesOf(judged: Judged, format: Format): string[] {
  if (format === "html") return htmlReport(judged);
  return format === "junit" ? junitReport(judged) : textReport(judged);
}
