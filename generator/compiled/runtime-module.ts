import { posix } from "node:path";

/** A module of the runtime, which is copied into the output. */
export interface RuntimeModule {
  readonly text: string;
  /** The imports and exports from other runtime modules, in the order of the text. */
  readonly imports: readonly RuntimeImport[];
}

/** A reference from one runtime module to another. */
export interface RuntimeImport {
  /** The other module, by its path without extension: `protocol/error`. */
  readonly module: string;
  /** Offset at which the specifier begins in the text, after the quote. */
  readonly start: number;
  /** Offset at which the specifier ends, before the quote. */
  readonly end: number;
}

const extension = ".js";

/**
 * Returns the other runtime modules that a runtime module imports. All import declarations are at
 * the beginning, so the search for them ends at the first other statement. Dynamic imports may
 * follow anywhere.
 */
export function importsOf(path: string, text: string): RuntimeImport[] {
  const found: RuntimeImport[] = [];
  const moduleOf = (specifier: string): string =>
    posix.join(posix.dirname(path), specifier.slice(0, -extension.length));
  let at = skipTrivia(text, 0);
  for (; startsDeclaration(text, at); at = skipTrivia(text, at)) {
    const start = text.indexOf('"', at) + 1;
    const end = text.indexOf('";', start);
    if (start === 0 || end < 0 || text.slice(at, start).includes(";")) break;
    const specifier = text.slice(start, end);
    if (specifier.startsWith(".")) found.push({ module: moduleOf(specifier), start, end });
    at = end + '";'.length;
  }
  for (const { index, 1: specifier = "" } of text
    .slice(at)
    .matchAll(/(?<=\bimport\(")(\.[^"]*)(?="\))/g))
    found.push({
      module: moduleOf(specifier),
      start: at + index,
      end: at + index + specifier.length,
    });
  return found;
}

/** Returns whether an import, or a reexport from another module, begins at an offset. */
function startsDeclaration(text: string, offset: number): boolean {
  return ["import ", "export * ", "export {", "export type {", "export type * "].some((start) =>
    text.startsWith(start, offset),
  );
}

/** Returns the offset after the whitespace and comments that begin at an offset. */
function skipTrivia(text: string, offset: number): number {
  const trivia = /(?:\s+|\/\/.*|\/\*[\s\S]*?\*\/)*/y;
  trivia.lastIndex = offset;
  trivia.test(text);
  return trivia.lastIndex;
}
