/** A location in a file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** A problem of the input, with its location and a hint. */
export interface Diagnostic {
  readonly place?: Place;
  readonly problem: string;
  readonly remedy: string;
}

/** Thrown when the input or the usage is wrong. The command line prints the diagnostics and exits with code 2. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(...diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(formatDiagnostic).join("\n"));
    this.diagnostics = diagnostics;
  }
}

/** Returns a diagnostic as one line: `file:line:column: problem. Remedy.` */
export function formatDiagnostic({ place, problem, remedy }: Diagnostic): string {
  const where = place === undefined ? "" : `${formatPlace(place)}: `;
  return `${where}${problem}. ${remedy}.`.replaceAll("\n", " ");
}

/** Returns a location as `file:line:column`, without the parts that are unknown. */
export function formatPlace({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** Collects diagnostics, so that one run reports all problems of the input. */
export class Diagnostics {
  readonly #found: Diagnostic[] = [];

  /** Adds a diagnostic; the location may be unknown. */
  add(place: Place | undefined, problem: string, remedy: string): void {
    this.#found.push(place === undefined ? { problem, remedy } : { place, problem, remedy });
  }

  /** Throws an {@link InputError} if anything was added. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new InputError(...this.#found);
  }
}
