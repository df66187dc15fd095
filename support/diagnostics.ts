/** A location in a file. Lines and columns count from 1. */
export interface Location {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** An error in the input: its location, a message, and a hint. */
export interface Diagnostic {
  readonly location?: Location;
  readonly message: string;
  readonly hint: string;
}

/**
 * Error if the input or the usage is invalid. The command line prints the diagnostics and exits
 * with code 2.
 */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(...diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(formatDiagnostic).join("\n"));
    this.diagnostics = diagnostics;
  }
}

/** Returns a diagnostic as one line: `file:line:column: message. Hint.` */
export function formatDiagnostic({ location, message, hint }: Diagnostic): string {
  const where = location === undefined ? "" : `${formatLocation(location)}: `;
  return `${where}${sentence(message)} ${sentence(hint)}`;
}

/**
 * Returns a text on one line, with a full stop at its end. Messages of other programs may end in
 * punctuation.
 */
function sentence(text: string): string {
  return `${text.replaceAll("\n", " ").replace(/[\s:;,.]+$/, "")}.`;
}

/**
 * Returns the text of an error. An error without a text, such as an `AggregateError`, has the text
 * of its causes.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (message !== "") return message;
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map((one) => reasonOf(one)))].join("; ");
  return cause === undefined
    ? "code" in error
      ? String(error.code)
      : error.name
    : reasonOf(cause);
}

/** Returns a location as `file:line:column`, without unknown parts. */
export function formatLocation({ file, line, column }: Location): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** Collects diagnostics, so that one run reports all errors in the input. */
export class Diagnostics {
  readonly #found: Diagnostic[] = [];

  /** The diagnostics that have been added. */
  get found(): readonly Diagnostic[] {
    return this.#found;
  }

  /** Adds a diagnostic. The location may be unknown. */
  add(location: Location | undefined, message: string, hint: string): void {
    this.#found.push(location === undefined ? { message, hint } : { location, message, hint });
  }

  /** Throws an {@link InputError} if a diagnostic was added. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new InputError(...this.#found);
  }
}
