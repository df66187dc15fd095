import { InputError, type Diagnostic } from "../support/diagnostics.js";

/** The exit codes: success, a check that failed, and input or usage that is not valid. */
export const ExitCode = { ok: 0, failed: 1, invalid: 2 } as const;

/** Prints one JSON document on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a line for people. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints an error as lines for people, or as JSON, and returns the exit code. An unknown error is a bug, and asks for a report. */
export function printError(error: unknown, json: boolean): number {
  const diagnostics = diagnosticsOf(error);
  if (json) printJson({ ok: false, errors: diagnostics });
  else if (error instanceof InputError) process.stderr.write(`${error.message}\n`);
  else for (const { message, hint } of diagnostics) process.stderr.write(`a2a-codegen: ${message}. ${hint}.\n`);
  return ExitCode.invalid;
}

function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  if (error instanceof InputError) return error.diagnostics;
  const message = error instanceof Error ? error.message : String(error);
  if (isSystemError(error)) return [{ message, hint: "Check the path and its permissions" }];
  return [
    { message: `internal error: ${message}`, hint: "This is a bug of a2a-codegen; please report it with the input" },
  ];
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** A number of things, in words: `1 file`, `2 files`. */
export function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}
