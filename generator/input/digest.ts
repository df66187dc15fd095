import { hashOf } from "../../support/hash.js";
import { mainTexts, readImports, type SourceText, type SpecSource } from "./source.js";

/** Title of a specification, and the hash of all its files, by which runs find changes. */
export interface SourceDigest {
  readonly title: string;
  readonly hash: string;
}

/** Returns the digest of a specification. `imports` are the files that it imports. */
export function digestOf(
  source: SpecSource,
  imports: readonly SourceText[] = readImports(source),
): SourceDigest {
  const { title } = source;
  const texts = mainTexts(source).map(({ text }) => text);
  const imported = imports.flatMap(({ file, text }) => [file, text]);
  return { title, hash: hashOf(title, ...texts, ...imported) };
}
