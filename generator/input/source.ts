/** The files of a specification, as text. The caller reads them, so that readers have no access to the file system. */
export interface SpecSource {
  /** The title for headers and reports, for example `A2A 1.0.1` or the name of a file. */
  readonly title: string;
  /** The main proto. A specification has a proto, a schema, or both. */
  readonly proto?: SourceText;
  /** The JSON Schema of the model, if the model is not the ProtoJSON of the proto. */
  readonly schema?: SourceText;
  /** Doc comments for elements that have none in proto and schema, the most basic file first. */
  readonly docs: readonly SourceText[];
  /** The manifests, the most basic one first; later ones override. */
  readonly manifests: readonly SourceText[];
  /** Whether the manifests are those of another version, because this one has none. */
  readonly borrowed: boolean;
  /** The bundled version that a file of the user is like; absent if a manifest is given, or if there is none. */
  readonly match?: SpecMatch;
  /** Other versions that the output speaks as well, by adapters. */
  readonly versions?: readonly SpecSource[];
  /** Returns the text of an import, or `undefined` if there is no such file. May throw an `InputError` for one that is not to be read. */
  readonly readImport: (path: string) => SourceText | undefined;
}

const importStatement = /\bimport\s+(?:public\s+|weak\s+)?["']([^"'\n]+)["']/g;

/** Returns the files that a specification imports, directly or not, without those that do not exist. */
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

/** Returns the files of a specification that are not imported by others. */
export function mainTexts({ proto, schema, manifests, docs }: SpecSource): SourceText[] {
  return [...(proto === undefined ? [] : [proto]), ...(schema === undefined ? [] : [schema]), ...manifests, ...docs];
}

/** Returns the files of the other versions that an output speaks. */
export function versionTexts({ versions = [] }: SpecSource): SourceText[] {
  return versions.flatMap((version) => [...mainTexts(version), ...readImports(version)]);
}

/** A file: its name for messages, and its text. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** A bundled version whose proto or JSON Schema is that of a file, or is the most like it. */
export interface SpecMatch {
  /** The name of the version, as `--manifest` takes it. */
  readonly id: string;
  /** The full version. */
  readonly version: string;
  /** How many declarations only one of the two has. Where there are none, the manifest of the version is used. */
  readonly differences: number;
}
