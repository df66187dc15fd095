import type { SpecMatch } from "./match.js";

/** The texts that a specification consists of. Reading them is the caller's business, so that reading stays pure. */
export interface SpecSource {
  /** How the source is called in headers and reports, for example `A2A 1.0.1` or the name of a file. */
  readonly title: string;
  /** The main proto. A specification has a proto, a schema, or both. */
  readonly proto?: SourceText;
  /** The JSON Schema of the JSON side, where the proto does not describe it. */
  readonly schema?: SourceText;
  /** Doc comments for what has none in proto and schema, the most basic file first. */
  readonly docs: readonly SourceText[];
  /** The manifests, the most basic one first; later ones override. */
  readonly manifests: readonly SourceText[];
  /** Whether the manifests are those of another version, because this one has none. */
  readonly borrowed: boolean;
  /** The bundled version that a file of the user is like; absent if a manifest is given, or if there is none. */
  readonly match?: SpecMatch;
  /** Gives the text of an import, or `undefined` where there is no such file. */
  readonly readImport: (path: string) => SourceText | undefined;
}

const importStatement = /\bimport\s+(?:public\s+|weak\s+)?["']([^"'\n]+)["']/g;

/** Reads every file that a specification imports, directly or not, as far as it is there. */
export function readImports({ proto, readImport }: SpecSource): SourceText[] {
  const found = new Map<string, SourceText>();
  const queue = proto === undefined ? [] : [proto];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const [, path = ""] of file.text.matchAll(importStatement)) {
      const imported = found.has(path) ? undefined : readImport(path);
      if (imported === undefined) continue;
      found.set(path, imported);
      queue.push(imported);
    }
  }
  return [...found.values()];
}

/** All texts that are named by themselves, and not by an import. */
export function mainTexts({ proto, schema, manifests, docs }: SpecSource): SourceText[] {
  return [...(proto === undefined ? [] : [proto]), ...(schema === undefined ? [] : [schema]), ...manifests, ...docs];
}

/** A text and the name that messages call it by. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}
