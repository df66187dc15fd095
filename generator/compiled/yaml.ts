/** What a YAML file holds: values, and where they are. It is plain data, so that the build can keep it as JSON. */
export interface YamlTree {
  /** The value; `null` where there are errors. */
  readonly value: unknown;
  /** The offset of each value, by its JSON pointer. */
  readonly offsets: Readonly<Record<string, number>>;
  /** The scalars of the top level as they are written: `1.0` and not the number 1. */
  readonly scalars: Readonly<Record<string, string>>;
  readonly errors: readonly YamlError[];
}

/** Why a file is no YAML. */
export interface YamlError {
  readonly message: string;
  /** Absent where the parser does not say it. */
  readonly offset?: number;
}

/** What the YAML files of the package hold, by their strings. Only a build has any; without one, they are parsed at run time. */
export const yamlTrees: ReadonlyMap<string, YamlTree> = new Map();
