import { createRequire } from "node:module";
import type ts from "typescript";

/** The parts of TypeScript that split a source into tokens. */
export type Scanning = Pick<
  typeof ts,
  "createScanner" | "LanguageVariant" | "ScriptTarget" | "SyntaxKind"
>;

let loaded: Scanning | undefined;

/**
 * Loads the scanner of TypeScript at its first use, because runs without changes do not need it. A
 * build contains the scanner without the rest of the compiler, which takes longer to load than a
 * whole run.
 */
export function loadScanner(): Scanning {
  return (loaded ??= createRequire(import.meta.filename)("typescript") as Scanning);
}
