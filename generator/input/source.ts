import { schemaFiles, type ReadReference } from "./json-schema/files.js";
import type { SourceText } from "./source-text.js";

export type { SourceText } from "./source-text.js";

/**
 * The files of a specification, as strings. The caller reads the files, so that the code that
 * parses them has no access to the file system.
 */
export interface SpecSource {
  /** The title for headers and reports, for example `A2A 1.0.1` or the name of a file. */
  readonly title: string;
  /** The main proto. A specification has a proto, a schema, or both. */
  readonly proto?: SourceText;
  /** Further files of the package of the main proto. */
  readonly further?: readonly SourceText[];
  /**
   * The folders of all packages of a run, by the names of the packages. Types of other packages are
   * declared in the outputs in their folders.
   */
  readonly folders?: ReadonlyMap<string, string>;
  /** The packages of a run with several outputs, which have no proto or schema in common. */
  readonly packages?: readonly PackageSource[];
  /** The JSON Schema of the model, if the model is not the ProtoJSON of the proto. */
  readonly schema?: SourceText;
  /**
   * The name of the type that the schema itself describes. Absent if only its definitions are
   * types.
   */
  readonly rootType?: string;
  /**
   * Doc comments for elements without a comment in proto and schema. The most basic file comes
   * first.
   */
  readonly docs: readonly SourceText[];
  /**
   * The manifests, starting with the most basic manifest. Later manifests override earlier
   * manifests.
   */
  readonly manifests: readonly SourceText[];
  /** Whether the manifests belong to another version, because this version has no manifest. */
  readonly borrowed: boolean;
  /**
   * The bundled version that matches a user's file; absent if the user provides a manifest, or if
   * no version matches.
   */
  readonly match?: SpecMatch;
  /** Other versions that the output supports, with adapters. */
  readonly versions?: readonly SpecSource[];
  /** Extensions of the protocol, which become modules of the output. */
  readonly extensions?: readonly ExtensionSource[];
  /**
   * Returns the text of an import; `undefined` if the file does not exist.
   *
   * @throws InputError if reading the file is not allowed
   */
  readonly readImport: (path: string) => SourceText | undefined;
  /** The folders in which `readImport` searches, for messages. */
  readonly importFolders?: readonly string[];
  /**
   * Returns the text of a file that the JSON Schema refers to, by its path relative to the folder
   * of the schema.
   */
  readonly readReference?: ReadReference;
}

/** A package of a run with several outputs. */
export interface PackageSource extends SpecSource {
  /** The folder of its output, below the folder of the run. */
  readonly folder: string;
}

const importStatement = /\bimport\s+(?:public\s+|weak\s+)?["']([^"'\n]+)["']/g;

/**
 * Returns the files that a specification imports or refers to, directly or indirectly. Skips files
 * that do not exist.
 */
export function readImports({
  proto,
  further = [],
  packages = [],
  schema,
  readImport,
  readReference,
}: SpecSource): SourceText[] {
  const found = new Map<string, SourceText>();
  const queue = proto === undefined ? [] : [proto, ...further];
  // Iterating over a list includes the elements that are added during the iteration.
  for (const file of queue) {
    for (const [, path = ""] of file.text.matchAll(importStatement)) {
      const imported = found.has(path) ? undefined : readImport(path);
      if (imported === undefined) continue;
      found.set(path, imported);
      queue.push(imported);
    }
  }
  const [, ...others] = schema && readReference ? schemaFiles(schema, readReference) : [];
  const texts = [...found.values(), ...others.map(({ source }) => source)];
  return [...texts, ...packages.flatMap((each) => readImports(each))];
}

/** Returns the files of a specification that no other file imports. */
export function mainTexts({
  proto,
  further = [],
  packages = [],
  schema,
  manifests,
  docs,
}: SpecSource): SourceText[] {
  return [
    ...(proto === undefined ? [] : [proto]),
    ...further,
    ...packages.flatMap((each) => mainTexts(each)),
    ...(schema === undefined ? [] : [schema]),
    ...manifests,
    ...docs,
  ];
}

/** Returns the files of the other versions that an output supports, and of its extensions. */
export function otherTexts({ versions = [], extensions = [] }: SpecSource): SourceText[] {
  const ofVersions = versions.flatMap((version) => [
    ...mainTexts(version),
    ...readImports(version),
  ]);
  return [
    ...ofVersions,
    ...extensions.flatMap(({ source }) => [...mainTexts(source), ...readImports(source)]),
  ];
}

/** An extension of the protocol, described by a JSON Schema. */
export interface ExtensionSource {
  readonly uri: string;
  /** The name of the type of its values. */
  readonly type: string;
  /** The folder of its module, below `extensions/` of the output. */
  readonly folder: string;
  readonly description?: string;
  readonly source: SpecSource;
}

/** A bundled version whose proto or JSON Schema equals a file, or is most similar to it. */
export interface SpecMatch {
  /** The name of the version, as `--manifest` accepts it. */
  readonly id: string;
  /** The full version. */
  readonly version: string;
  /**
   * The number of declarations that only one of the two files contains. If this is 0, the manifest
   * of the version is used.
   */
  readonly differences: number;
}
