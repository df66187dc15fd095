import { posix } from "node:path";

/** A module of the runtime, which is copied into the output. */
export interface RuntimeModule {
  readonly text: string;
  /** What it imports or exports from other modules of the runtime, in the order of the text. */
  readonly imports: readonly RuntimeImport[];
}

/** Where a module of the runtime names another one. */
export interface RuntimeImport {
  /** The other module, by its path without extension: `protocol/error`. */
  readonly module: string;
  /** Where its specifier begins in the text, behind the quote. */
  readonly start: number;
  /** Where its specifier ends, before the quote. */
  readonly end: number;
}

const extension = ".js";

/**
 * Returns which other modules a module of the runtime imports. Declarations with a specifier are what it begins with; the
 * first statement of another kind ends the search.
 */
export function importsOf(path: string, text: string): RuntimeImport[] {
  const found: RuntimeImport[] = [];
  for (let at = skipTrivia(text, 0); beginsDeclaration(text, at); at = skipTrivia(text, at)) {
    const start = text.indexOf('"', at) + 1;
    const end = text.indexOf('";', start);
    if (start === 0 || end < 0 || text.slice(at, start).includes(";")) break;
    const specifier = text.slice(start, end);
    if (specifier.startsWith(".")) {
      const module = posix.join(posix.dirname(path), specifier.slice(0, -extension.length));
      found.push({ module, start, end });
    }
    at = end + '";'.length;
  }
  return found;
}

/** Returns whether a declaration begins at an offset that imports, or that exports what another module has. */
function beginsDeclaration(text: string, offset: number): boolean {
  return ["import ", "export * ", "export {", "export type {", "export type * "].some((start) =>
    text.startsWith(start, offset),
  );
}

/** Returns where the white space and the comments end that begin at an offset. */
function skipTrivia(text: string, offset: number): number {
  const trivia = /(?:\s+|\/\/.*|\/\*[\s\S]*?\*\/)*/y;
  trivia.lastIndex = offset;
  trivia.test(text);
  return trivia.lastIndex;
}
