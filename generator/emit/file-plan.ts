/** A file of the output: a template, and the values that the template prints. */
export interface FilePlan {
  /** The path, relative to the output folder. */
  readonly path: string;
  /** The name of the template: its path below `templates/`, without `.hbs`. */
  readonly template: string;
  /**
   * The values that the template prints, except for the import and export statements. The template
   * contains no logic of its own.
   */
  readonly view: object;
  readonly imports: readonly Statement[];
  readonly exports: readonly Statement[];
  /**
   * Modules that the template reexports under other names, by the key of each specifier in the
   * template.
   */
  readonly specifiers?: Readonly<Record<string, string>>;
}

/** An import or export statement, without the specifier of the module. */
export interface Statement {
  /** The path of the module, relative to the output folder and without extension. */
  readonly module: string;
  /** The beginning of the statement: `import type`, or `export *`. */
  readonly clause: string;
  /** The names in braces; absent if the statement has no braces. */
  readonly items?: readonly string[];
}
