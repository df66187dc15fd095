import { InputError, reasonOf, type Diagnostic } from "../../support/diagnostics.js";
import { visible, visibleLines } from "../../support/visible.js";

/**
 * Exit codes: success, a failed call or check, invalid input or usage, an agent that cannot be
 * reached, missing or rejected credentials, a time-out, and Ctrl-C (128 and the number of the
 * signal, as shells do).
 */
export const ExitCode = {
  ok: 0,
  failed: 1,
  invalid: 2,
  unreachable: 3,
  credentials: 4,
  timeout: 5,
  interrupted: 130,
} as const;

/** Receives what a command prints to standard output. */
export const standardOutput = {
  write: (text: string): void => void process.stdout.write(text),
};

/** Prints a JSON document to standard output. */
export function printJson(value: unknown): void {
  standardOutput.write(`${visibleLines(JSON.stringify(value, null, 2))}\n`);
}

/** Prints a line of text to standard output. */
export function print(line: string): void {
  standardOutput.write(`${visible(line)}\n`);
}

/**
 * Prints an error as text or as JSON, and returns the exit code. An unknown error is a bug, so its
 * text asks the user to report it.
 */
export function printError(error: unknown, json: boolean): number {
  const diagnostics = diagnosticsOf(error);
  if (json) printJson({ ok: false, errors: diagnostics });
  else if (error instanceof InputError)
    for (const line of error.message.split("\n")) printWarning(line);
  else
    for (const { message, hint } of diagnostics)
      printWarning(`a2a-codegen: ${message.replaceAll("\n", " ")}. ${hint}.`);
  return ExitCode.invalid;
}

function printWarning(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  if (error instanceof InputError) return error.diagnostics;
  const message = reasonOf(error);
  if (isSystemError(error)) return [{ message, hint: "Check the path and its permissions" }];
  return [
    {
      message: `internal error: ${message}`,
      hint: "This is a bug of a2a-codegen; please report it with the input",
    },
  ];
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** Returns a count with its noun: `1 file`, `2 files`. */
export function count(number: number, name: string): string {
  const plural = number === 1 ? "" : "s";
  return `${number} ${name}${plural}`;
}
