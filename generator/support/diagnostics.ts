/** A place in a text: lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Something that is wrong with the input: what, where, and what to do about it. */
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

/** Writes a diagnostic as one line: `file:line:column: problem. Remedy.` */
export function formatDiagnostic({ place, problem, remedy }: Diagnostic): string {
  const where = place === undefined ? "" : `${formatPlace(place)}: `;
  return `${where}${problem}. ${remedy}.`.replaceAll("\n", " ");
}

/** Writes a place as `file:line:column`, as far as it is known. */
export function formatPlace({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** Gathers diagnostics, so that one run reports everything that is wrong. */
export class Diagnostics {
  readonly #found: Diagnostic[] = [];

  /** Adds a diagnostic; the place may be unknown. */
  add(place: Place | undefined, problem: string, remedy: string): void {
    this.#found.push(place === undefined ? { problem, remedy } : { place, problem, remedy });
  }

  /** Throws an {@link InputError} if anything was added. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new InputError(...this.#found);
  }
}
