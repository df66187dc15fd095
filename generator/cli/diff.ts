import { InputError } from "../../support/diagnostics.js";
import { compareSpecs, type DiffRequest } from "../diff/diff.js";
import { markdownReport } from "../diff/markdown.js";
import { countsOf, type Comparison } from "../diff/report.js";
import { textReport } from "../diff/text.js";
import type { Surface } from "../diff/types.js";
import { ExitCode, print, printJson } from "../../tools/terminal/output.js";
import type { Arguments } from "./options.js";

/** Arguments of `diff`. */
export type DiffArguments = Arguments<"diff"> & Pick<DiffRequest, "from" | "to">;

/** Runs `a2a-codegen diff`. */
export function diffCommand(args: DiffArguments): number {
  const { json, format = json ? "json" : "text" } = args;
  if (json && format !== "json") {
    const message = `--format ${format} cannot be used with --json`;
    throw new InputError({ message, hint: "Remove one of them" });
  }
  const comparison = compareSpecs({ ...args, protoPaths: args.protoPath });
  const failed = isBroken(comparison, args.failOn);
  const { from, to, changes } = comparison;
  if (format === "json")
    printJson({ ok: !failed, failed, from, to, counts: countsOf(changes), changes });
  else
    for (const line of format === "md" ? markdownReport(comparison) : textReport(comparison))
      print(line);
  return failed ? ExitCode.failed : ExitCode.ok;
}

function isBroken({ changes }: Comparison, failOn: DiffArguments["failOn"]): boolean {
  if (failOn === undefined) return false;
  const surface = failOn.split(":")[1];
  const isMeant = (broken: string): boolean => surface === undefined || surface === broken;
  return changes.some(({ breaks }) => (Object.keys(breaks) as Surface[]).some(isMeant));
}
